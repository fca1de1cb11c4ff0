"""What was derived is called into question again: ``is 16 even?``, ``27 is even? No``, ``64*5 = 310? No``."""

from __future__ import annotations

import re
from itertools import islice

from bench.taxonomy.findings import Pattern, Span
from bench.taxonomy.rules import PatternRule
from bench.taxonomy.steps import read_steps
from bench.taxonomy.trace import Trace

_PARITY = re.compile(r"\b(?:is -?(?P<one>\d{1,18})|(?P<other>\d{1,18}) is) (?:really |actually )?(?:even|odd)\?")
_RESULT = re.compile(
    r"\bis (?:it|that|this|the (?:answer|sum|result)) (?:really |actually )?(?P<value>-?\d{1,30}(?:\.\d{1,9})?)\?"
)
_EQUATION = re.compile(r"(?P<said>[\d][\d .,()+*/×·÷−-]{1,60}= ?-?\d[\d.,]{0,30}) ?\?")
_MAX_ASKED = 500


def _find(trace: Trace) -> list[Span]:
    return sorted([*_parities(trace), *_results(trace), *_equations(trace)])


def _parities(trace: Trace) -> list[Span]:
    """Return the questions for a parity that was claimed before."""
    claimed: dict[str, int] = {}
    for claim in trace.claims:
        claimed.setdefault(claim.about, claim.span[0])
    asked = islice(_PARITY.finditer(trace.low), _MAX_ASKED)
    return [
        match.span()
        for match in asked
        if claimed.get(f"parity of {match['one'] or match['other']}", match.end()) < match.start()
    ]


def _results(trace: Trace) -> list[Span]:
    """Return the questions whether a result is right that was stated before."""
    stated: dict[str, int] = {}
    for step in trace.steps:
        stated.setdefault(str(step.stated), step.span[0])
    asked = islice(_RESULT.finditer(trace.low), _MAX_ASKED)
    return [match.span() for match in asked if stated.get(match["value"], match.end()) < match.start()]


def _equations(trace: Trace) -> list[Span]:
    """Return the questions for an equation whose left side was worked out before."""
    worked_out: dict[str, int] = {}
    for step in trace.steps:
        worked_out.setdefault(step.left.key, step.span[0])
    spans = []
    for match in islice(_EQUATION.finditer(trace.low), _MAX_ASKED):
        steps = read_steps(match["said"])
        if steps and worked_out.get(steps[-1].left.key, match.end()) < match.start():
            spans.append(match.span())
    return spans


RULE = PatternRule("asked_again", Pattern.REDUNDANT_VERIFICATION, _find, order=23)
