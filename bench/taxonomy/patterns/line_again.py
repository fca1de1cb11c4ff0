"""A line of working is written again, word for word."""

from __future__ import annotations

import re

from bench.taxonomy.findings import Pattern, Span
from bench.taxonomy.rules import PatternRule
from bench.taxonomy.trace import Trace

_OPENING = re.compile(r"\s*(?:(?:check|verify|again|wait|so)\b[:,. ]*)?", re.IGNORECASE)
_WORKING = re.compile(r"\d.*(?:[=:<>]|\d, ).*\d")
_SHORTEST = 12


def _find(trace: Trace) -> list[Span]:
    seen: set[str] = set()
    again = []
    for start, line in trace.lines():
        opening = _OPENING.match(line)
        said = line[opening.end() if opening else 0 :].strip()
        if len(said) < _SHORTEST or not _WORKING.search(said[:400]):
            continue
        if said in seen:
            again.append((start, start + len(line)))
        seen.add(said)
    return again


RULE = PatternRule("line_again", Pattern.REDUNDANT_VERIFICATION, _find, order=21)
