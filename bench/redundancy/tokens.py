"""Where tokens stand in a text, so that the tokens of a part can be counted; the model's tokenizer is the caller's."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence

# Returns how many tokens of a trace begin before a character's place in it.
TokensBefore = Callable[[int], int]


def by_starts(starts: Sequence[int]) -> TokensBefore:
    """Return a counter from the places at which tokens begin, in order, as a tokenizer's offsets say."""
    return lambda place: bisect_left(starts, place)


def by_characters(tokens: int, length: int) -> TokensBefore:
    """Return a counter that spreads known tokens evenly over the characters of a trace: an estimate.

    Args:
        tokens: All tokens of the trace.
        length: All characters of it.
    """
    return lambda place: round(tokens * min(place, length) / length) if length else 0


def by_decoding(ids: Sequence[int], decode: Callable[[Sequence[int]], str], length: int) -> TokensBefore:
    """Return a counter over the ids of a text.

    The text of the first n ids grows evenly with n, so one decoding of a beginning lands near a place, and the rest
    are decodings of a few ids around it.

    Args:
        ids: Of the whole text, an end token included.
        decode: Returns the text of ids, special tokens kept.
        length: Characters of the text.
    """
    known = {0: 0, len(ids): length}  # number of ids to the characters of their text

    def before(place: int) -> int:
        if place <= 0:
            return 0
        if place >= length:
            return len(ids)
        anchor = _nearest(known, place)
        if abs(known[anchor] - place) > _FAR:
            guess = round(len(ids) * place / length)
            known[guess] = len(decode(ids[:guess]))
            anchor = _nearest(known, place)
        return _walk(ids, decode, (anchor, known[anchor]), place)

    return before


_FAR = 1_000  # characters from which on another anchor is made
_STEP = 32  # ids between two looks on the way from an anchor
_LOOK_BACK = 8  # ids before, which decide on how the first ones after them are written


def _nearest(known: Mapping[int, int], place: int) -> int:
    return min(known, key=lambda count: abs(known[count] - place))


def _walk(ids: Sequence[int], decode: Callable[[Sequence[int]], str], anchor: tuple[int, int], place: int) -> int:
    """Return the least number of ids whose text reaches a place, from a number whose text's length is known."""
    count, reached = anchor
    while reached < place and count < len(ids):
        end = min(count + _STEP, len(ids))
        longer = reached + _grown(ids, decode, count, end)
        if longer >= place:
            return _least(ids, decode, (count, reached), end, place)
        count, reached = end, longer
    while reached >= place and count > 0:
        begin = max(0, count - _STEP)
        shorter = reached - _grown(ids, decode, begin, count)
        if shorter < place:
            return _least(ids, decode, (begin, shorter), count, place)
        count, reached = begin, shorter
    return count


def _least(
    ids: Sequence[int], decode: Callable[[Sequence[int]], str], low: tuple[int, int], high: int, place: int
) -> int:
    """Return the least number of ids above ``low`` and up to ``high`` whose text reaches a place."""
    first, reached = low
    counts = range(first + 1, high + 1)
    at = bisect_left(counts, True, key=lambda count: reached + _grown(ids, decode, first, count) >= place)
    return counts[min(at, len(counts) - 1)]


def _grown(ids: Sequence[int], decode: Callable[[Sequence[int]], str], begin: int, end: int) -> int:
    """Return by how many characters the text grows from some ids to more."""
    start = max(0, begin - _LOOK_BACK)
    return len(decode(ids[start:end])) - len(decode(ids[start:begin]))
