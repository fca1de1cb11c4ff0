"""Counts the tokens between a model's thinking markers, whatever tokens the markers are made of."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from bench.thinking import Span, split_spans
from runner.config.settings import ThinkingMarkers

Decode = Callable[[Sequence[int]], str]

_STEP = 64  # tokens decoded at once while looking for a marker


@dataclass(frozen=True, slots=True)
class MarkerCounts:
    """Token counts of a stretch of text.

    Attributes:
        thinking: Tokens strictly between an opening and a closing marker; all that follow an unclosed one.
        markers: Tokens that hold a piece of a marker.
    """

    thinking: int
    markers: int


@dataclass(frozen=True, slots=True)
class _Marker:
    first: int  # its first token
    end: int  # one past its last token
    opens: bool


def opens_thinking(text: str, markers: ThinkingMarkers) -> bool:
    """Tell whether thinking is open at the end of the assistant's ``text``."""
    return text.rfind(markers.open) > text.rfind(markers.close)


def count_marked(
    decode: Decode,
    markers: ThinkingMarkers,
    before: tuple[int, ...],
    ids: tuple[int, ...],
    thinking_open: bool,
    continued: bool = False,
) -> MarkerCounts:
    """Count over ``ids``, which follow ``before`` and begin inside thinking if ``thinking_open``.

    A marker may begin in ``before``. Linear in the number of ids.

    Args:
        decode: Returns the text of ids.
        markers: The model's.
        before: Ids that stand before, of the prompt too.
        ids: What is counted.
        thinking_open: Whether the thinking is open where they begin.
        continued: Whether they go on with a turn of the model. Only where they begin it does a closing marker without
            an opening one close a thinking that nobody saw opened.
    """
    found = [marker for marker in _find(decode, markers, before + ids) if marker.end > len(before)]
    text = decode(ids)
    places = [match.span() for match in _either(markers).finditer(text)]
    if _is_tag(markers) and len(places) == len(found):
        lead = markers.open + markers.close if continued and not thinking_open else ""
        segments, visible = (
            tuple((begin - len(lead), end - len(lead)) for begin, end in spans)
            for spans in split_spans(lead + text, opened=thinking_open)
        )
        return _count_as_split(segments, visible, places, found, len(before), len(before) + len(ids))
    counted = len(before)
    thinking = marked = 0
    for marker in found:
        thinking += max(0, marker.first - counted) if thinking_open else 0
        marked += marker.end - max(marker.first, counted)
        counted = marker.end
        thinking_open = marker.opens
    thinking += len(before) + len(ids) - counted if thinking_open else 0
    return MarkerCounts(thinking, marked)


def _count_as_split(
    segments: Sequence[Span],
    visible: Sequence[Span],
    places: Sequence[Span],
    found: Sequence[_Marker],
    start: int,
    end: int,
) -> MarkerCounts:
    """Count as :func:`bench.thinking.split_spans` splits a text whose markers stand at ``places``."""
    thinking = marked = 0
    counted, place = start, 0
    for (begins, ends), marker in zip(places, found, strict=True):
        first = max(marker.first, counted)
        thinking += max(0, first - counted) if _holds(segments, place) and place < begins else 0
        if _holds(segments, begins):
            thinking += marker.end - first
        elif not _holds(visible, begins):
            marked += marker.end - first
        counted, place = marker.end, ends
    thinking += end - counted if _holds(segments, place) else 0
    return MarkerCounts(thinking, marked)


def _holds(spans: Sequence[Span], place: int) -> bool:
    """Tell whether one of the spans, which are in order, holds the character at ``place``."""
    at = bisect_right(spans, place, key=lambda span: span[0]) - 1
    return at >= 0 and place < spans[at][1]


@cache
def _either(markers: ThinkingMarkers) -> re.Pattern[str]:
    return re.compile(f"{re.escape(markers.open)}|{re.escape(markers.close)}", re.IGNORECASE)


@cache
def _is_tag(markers: ThinkingMarkers) -> bool:
    """Tell whether the text alone would show these markers, as it does not for a Harmony channel."""
    return split_spans(f"{markers.open}a{markers.close}")[0] == ((len(markers.open), len(markers.open) + 1),)


def _find(decode: Decode, markers: ThinkingMarkers, ids: tuple[int, ...]) -> Iterator[_Marker]:
    either = _either(markers)

    def holds_marker(first: int, end: int) -> bool:
        text = decode(ids[first:end])
        return either.search(text) is not None

    # A token is at least a byte, so a marker has no more tokens than bytes.
    most_tokens = max(len(markers.open.encode()), len(markers.close.encode()))
    start = 0
    while (end := _first_end(holds_marker, start, len(ids), most_tokens)) is not None:
        first = end - 1
        while not holds_marker(first, end):
            first -= 1
        text = decode(ids[first:end])
        written = max((match.group() for match in either.finditer(text)), key=len)
        yield _Marker(first, end, opens=written.lower() == markers.open.lower())
        # The last token of a marker may hold the beginning of the next one, as in "<think" "></" "think>".
        start = end if first == end - 1 else end - 1


def _first_end(holds_marker: Callable[[int, int], bool], start: int, total: int, most_tokens: int) -> int | None:
    """Return the end of the first marker that lies in the tokens from ``start`` on."""
    for high in range(start + _STEP, total + _STEP, _STEP):
        low = max(start, high - _STEP - most_tokens)
        ends = range(low + 1, min(high, total) + 1)
        if holds_marker(low, ends[-1]):
            return ends[bisect_left(ends, True, key=lambda end: holds_marker(low, end))]
    return None
