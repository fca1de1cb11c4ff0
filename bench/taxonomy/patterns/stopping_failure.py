"""A failure to stop: one character, phrase or line over and over up to the end, or random tokens."""

from __future__ import annotations

from bench.taxonomy.findings import Pattern, Span
from bench.taxonomy.rules import PatternRule
from bench.taxonomy.trace import Trace


def _find(trace: Trace) -> list[Span]:
    return [] if trace.failure is None else [(trace.failure, len(trace.whole))]


RULE = PatternRule("no_end", Pattern.STOPPING_FAILURE, _find, order=10)
