"""Results of at least two earlier steps are put together in one step: ``47*20=940, 47*6=282, 940+282=1222``."""

from __future__ import annotations

from fractions import Fraction

from bench.taxonomy.findings import Pattern, Span
from bench.taxonomy.rules import PatternRule
from bench.taxonomy.trace import Trace

_MIN_PARTS = 2
# One-digit results recur by chance in written arithmetic.
_MIN_PART = 10


def _find(trace: Trace) -> list[Span]:
    given: dict[Fraction, Span] = {}
    spans: set[Span] = set()
    for step in trace.steps:
        parts = {value for value in step.left.operands if abs(value) >= _MIN_PART and value in given}
        if len(parts) >= _MIN_PARTS:
            spans |= {step.span, *(given[part] for part in parts)}
        if step.left.signs:
            given.setdefault(step.stated, step.span)
    return sorted(spans)


RULE = PatternRule("parts_combined", Pattern.HELPFUL_DECOMPOSITION, _find, order=50)
