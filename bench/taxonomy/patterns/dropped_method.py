"""Another method is brought up and dropped as needless: ``Alternatively, logarithms … but that would be overkill``."""

from __future__ import annotations

import re
from itertools import islice

from bench.taxonomy.findings import Pattern, Span
from bench.taxonomy.rules import PatternRule
from bench.taxonomy.trace import MAX_SPANS, Trace

_BROUGHT_UP = re.compile(
    r"\b(?:alternatively|maybe|perhaps|(?:i|we|one) (?:could|can|might) (?:also |even )?(?:use|think"
    r"|try|be used|do)|another (?:way|method|idea)"
    r"|could be used|what if|what about|but if i)\b"
)
_DROPPED = re.compile(
    r"\b(?:overkill|not needed|not necessary|unnecessary|needless|pointless|never mind|nevermind"
    r"|not relevant|irrelevant|no need|"
    r"doesn't matter|does not matter|won't go there|too complicated|makes no sense|no sign of|not asked"
    r"|only (?:says|asks)|just (?:says|asks))\b"
)
_REACH = 450


def _find(trace: Trace) -> list[Span]:
    spans: list[Span] = []
    for drop in islice(_DROPPED.finditer(trace.low), MAX_SPANS):
        start = max(0, drop.start() - _REACH)
        ideas = [match.start() for match in _BROUGHT_UP.finditer(trace.low, start, drop.start())]
        if ideas and drop.end() - ideas[0] >= 60:
            spans.append((ideas[0], drop.end()))
    return spans


RULE = PatternRule("dropped_method", Pattern.IRRELEVANT_EXPLORATION, _find, order=40)
