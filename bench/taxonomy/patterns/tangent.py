"""A remark that opens another subject: ``By the way, …``, ``This reminds me of …``, ``I wonder what …``."""

from __future__ import annotations

import re

from bench.taxonomy.findings import Pattern, Span
from bench.taxonomy.rules import PatternRule
from bench.taxonomy.trace import Trace

_OPENS = re.compile(
    r"\b(?:by the way|fun fact|(?:this|that|which|it) reminds me|interestingly|interesting (?:fact"
    r"|that)|speaking of|on a side note|"
    r"as an aside|incidentally|out of curiosity|just for fun)\b[^\n]{30}"
)


def _find(trace: Trace) -> list[Span]:
    spans = []
    for match in _OPENS.finditer(trace.low):
        end = trace.low.find("\n", match.start())
        spans.append((match.start(), len(trace.low) if end < 0 else end))
    return spans


RULE = PatternRule("tangent", Pattern.IRRELEVANT_EXPLORATION, _find, order=42)
