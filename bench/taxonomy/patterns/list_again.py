"""A list is gone through again: after a cue such as ``let me recount`` the same numbers follow as before."""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import islice

from bench.taxonomy.findings import Pattern, Span
from bench.taxonomy.rules import PatternRule
from bench.taxonomy.trace import Trace

_CUE = re.compile(
    r"\b(?:re-?(?:check|count|examin|read|do)(?:e|ing)?|(?:count|check|look"
    r"|go)\b[^.\n]{0,30}?\b(?:again|once more|a second time|one more time))\b"
)
_NUMBER = re.compile(r"(?<![\w.])-?\d{1,18}(?![\w]|\.\d)")
_MIN_ITEMS = 3
_REACH = 200  # characters after the cue in which the list begins
_MAX_CUES = 200
_MAX_NUMBERS = 6_000


def _find(trace: Trace) -> list[Span]:
    found = [match.span() for match in islice(_NUMBER.finditer(trace.low), _MAX_NUMBERS)]
    numbers = [trace.low[start:end] for start, end in found]
    first: dict[tuple[str, ...], int] = {}
    for at in range(len(numbers) - _MIN_ITEMS + 1):
        first.setdefault(tuple(numbers[at : at + _MIN_ITEMS]), found[at + _MIN_ITEMS - 1][1])
    spans = []
    for cue in islice(_CUE.finditer(trace.low), _MAX_CUES):
        at = bisect_left(found, (cue.end(), 0))
        items = tuple(numbers[at : at + _MIN_ITEMS])
        if len(items) == _MIN_ITEMS and found[at][0] < cue.end() + _REACH and first[items] <= cue.start():
            spans.append((found[at][0], found[at + _MIN_ITEMS - 1][1]))
    return spans


RULE = PatternRule("list_again", Pattern.REDUNDANT_VERIFICATION, _find, order=24)
