"""An equation or claim that stands already is derived again after a cue such as ``Wait`` or ``let me check``."""

from __future__ import annotations

from fractions import Fraction

from bench.taxonomy.findings import Pattern, Span
from bench.taxonomy.rules import PatternRule
from bench.taxonomy.trace import Trace

_TWO_DIGITS = 10
_REACH = 250  # characters before the second derivation in which the cue stands


def _find(trace: Trace) -> list[Span]:
    # Digits are added over and over in written arithmetic, so a step of one-digit numbers tells nothing.
    derived = [(step.span, f"{step.left.key} = {step.stated}") for step in trace.steps if _tells(step.left.operands)]
    derived += [(claim.span, f"{claim.about} {claim.says}") for claim in trace.claims]
    derived.sort()
    first: dict[str, Span] = {}
    again = []
    for span, said in derived:
        earlier = first.setdefault(said, span)
        if earlier is not span and trace.cue_between(max(earlier[1], span[0] - _REACH), span[0]):
            again.append(span)
    return again


def _tells(operands: tuple[Fraction, ...]) -> bool:
    return len(operands) > 2 or any(abs(value) >= _TWO_DIGITS for value in operands)


RULE = PatternRule("step_again", Pattern.REDUNDANT_VERIFICATION, _find, order=20)
