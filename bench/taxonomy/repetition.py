"""Finds where a text begins to repeat itself without end, or falls apart into random tokens."""

from __future__ import annotations

import re
from collections import Counter

_MAX_TAIL = 6_000  # characters at the end that are looked at
_MAX_PERIOD = 1_500
_MIN_REPEATED = 120  # characters
_MIN_TIMES = 5
_SURELY_BEFORE = 96  # characters; the last ones of such a repetition stand in it before, whatever its period
_MIN_LINES = 10  # that say the same but for their numbers
_MIN_COUNTED = 20  # lines that hold nothing but their number
_COUNTED = re.compile(r"0(?:[.)]0){0,6}[.)]?")
_MIN_LETTERS = 8
_WINDOW = 24  # words that are judged together
_MIN_ODD = 0.4  # share of odd words among them that no language has
_BLANK_LINES = re.compile(r"[\s\-=_*#.|]+")
_NUMBER = re.compile(r"\d+")
_LETTERED = re.compile(r"[^\W\d_]")
# A word inside its punctuation; LaTeX, code and arithmetic are told apart before.
_EDGES = "\"'`.,;:!?()*_-…"
_CAMEL = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]|[A-Za-z][0-9]+[A-Za-z]|[A-Za-z]{2}[0-9]|[0-9][A-Za-z]{2}|[A-Za-z]_")
_LATIN = re.compile(r"[A-Za-z]")
_NO_VOWEL = re.compile(r"(?![A-Z]+$)[b-df-hj-np-tv-xzB-DF-HJ-NP-TV-XZ]{3,}")
_SYMBOLS = re.compile(r"[\]\[{}()<>~^%#$;|,≠¬=@&§]{2,}")
_KNOWN_SYMBOLS = frozenset(
    {"==", "<=", ">=", "->", "=>", "||", "&&", "()", "[]", "{}", "$$", "##", "###", "),", ");", "},"}
)


def failure_start(text: str) -> int | None:
    """Return where the end of a text begins to repeat one unit, or to be random, None where it does neither.

    Looks at the last 6,000 characters; a repetition that fills them counts from their beginning.
    """
    offset = max(0, len(text) - _MAX_TAIL)
    tail = text[offset:].rstrip()
    found = [_period_start(tail), _alike_lines_start(tail), _random_start(tail)]
    starts = [start for start in found if start is not None]
    return offset + min(starts) if starts else None


def _period_start(tail: str) -> int | None:
    """Return where a tail begins to be one unit over and over, None where it is not.

    Z[p] is how far the reversed tail agrees with itself p characters on, so it has period p over Z[p] + p characters.
    """
    if tail.rfind(tail[-_SURELY_BEFORE:], 0, -1) < 0:
        return None
    reversed_tail = tail[::-1]
    size = len(reversed_tail)
    agreed = _agreements(reversed_tail)
    best = 0
    for period in range(1, min(_MAX_PERIOD, size)):
        length = agreed[period] + period
        if length >= max(_MIN_REPEATED, _MIN_TIMES * period) and length > best:
            best = length
            if not _BLANK_LINES.fullmatch(reversed_tail[:period]):
                return size - best
    return None


def _agreements(text: str) -> list[int]:
    """Return the Z function: for each place, how many characters from there on equal those at the beginning; linear."""
    size = len(text)
    agreed = [0] * size
    left = right = 0
    for place in range(1, size):
        length = min(right - place, agreed[place - left]) if place < right else 0
        while place + length < size and text[length] == text[place + length]:
            length += 1
        agreed[place] = length
        if place + length > right:
            left, right = place, place + length
    return agreed


def _alike_lines_start(tail: str) -> int | None:
    """Return where the last lines or sentences begin to say the same but for numbers in words of prose."""
    parts = re.split(r"(?<=[.!?])[ \n]+|\n+", tail)
    alike: Counter[str] = Counter()
    start = len(tail)
    for part in reversed(parts):
        key = _NUMBER.sub("0", part).strip()
        counted = _COUNTED.fullmatch(key) and len(key) > 1
        if (not counted and len(_LETTERED.findall(key)) < _MIN_LETTERS) or (key not in alike and len(alike) == 2):
            break
        alike[key] += 1
        start = tail.rfind(part, 0, start)
    lettered = any(not _COUNTED.fullmatch(key) for key in alike)
    return start if alike.total() >= (_MIN_LINES if lettered else _MIN_COUNTED) else None


def _random_start(tail: str) -> int | None:
    """Return where the words at the end begin to be odd, None where they are those of a language."""
    words = [(match.start(), match.group()) for match in re.finditer(r"\S+", tail)]
    if len(words) < _WINDOW or sum(_is_odd(word) for _, word in words[-_WINDOW:]) < _MIN_ODD * _WINDOW:
        return None
    odd = [_is_odd(word) for _, word in words]
    place = len(words) - _WINDOW
    while place > 0 and sum(odd[max(0, place - 4) : place]) >= 2:
        place -= 1
    return words[place][0]


def _is_odd(word: str) -> bool:
    if "\\" in word or "boxed" in word:
        return False
    core = word.strip(_EDGES)
    if _SYMBOLS.search(core):
        return core not in _KNOWN_SYMBOLS
    if not core or not _LETTERED.search(core):
        return False
    latin = bool(_LATIN.search(core))
    others = not core.isascii() and any(ord(char) > 0x24F and char.isalpha() for char in core)
    return (
        (latin and others)
        or bool(latin and (_CAMEL.search(core) or _NO_VOWEL.search(core)))
        or (others and len(core) == 1)
    )
