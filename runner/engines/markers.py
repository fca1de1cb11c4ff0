"""Counts the tokens between a model's thinking markers, whatever tokens the markers are made of."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

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
    decode: Decode, markers: ThinkingMarkers, before: tuple[int, ...], ids: tuple[int, ...], thinking_open: bool
) -> MarkerCounts:
    """Count over ``ids``, which follow ``before`` and begin inside thinking if ``thinking_open``.

    A marker may begin in ``before``. Linear in the number of ids.
    """
    counted = len(before)
    thinking = marked = 0
    for marker in _find(decode, markers, before + ids):
        if marker.end <= len(before):
            continue
        thinking += max(0, marker.first - counted) if thinking_open else 0
        marked += marker.end - max(marker.first, counted)
        counted = marker.end
        thinking_open = marker.opens
    thinking += len(before) + len(ids) - counted if thinking_open else 0
    return MarkerCounts(thinking, marked)


def _find(decode: Decode, markers: ThinkingMarkers, ids: tuple[int, ...]) -> Iterator[_Marker]:
    def holds_marker(first: int, end: int) -> bool:
        text = decode(ids[first:end])
        return markers.open in text or markers.close in text

    # A token is at least a byte, so a marker has no more tokens than bytes.
    most_tokens = max(len(markers.open.encode()), len(markers.close.encode()))
    start = 0
    while (end := _first_end(holds_marker, start, len(ids), most_tokens)) is not None:
        first = end - 1
        while not holds_marker(first, end):
            first -= 1
        text = decode(ids[first:end])
        found = max((marker for marker in (markers.open, markers.close) if marker in text), key=len)
        yield _Marker(first, end, opens=found == markers.open)
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
