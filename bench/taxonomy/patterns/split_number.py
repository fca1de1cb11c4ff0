"""A number or a product is written as easier parts: ``27=20+7``, ``23*14 = 23*10 + 23*4``, ``48*52 = 50*50 - 2*2``."""

from __future__ import annotations

from bench.taxonomy.findings import Pattern, Span
from bench.taxonomy.rules import PatternRule
from bench.taxonomy.steps import Step
from bench.taxonomy.trace import Trace


def _find(trace: Trace) -> list[Span]:
    return [step.span for step in trace.steps if step.holds and (_splits_number(step) or _splits_product(step))]


def _splits_number(step: Step) -> bool:
    """Tell whether a number stands left and its tens and ones right."""
    parts = step.right.operands
    return not step.left.signs and set(step.right.signs) == {"+"} and all(part % 10 == 0 for part in parts[:-1])


def _splits_product(step: Step) -> bool:
    """Tell whether a product stands left and right one of other factors with more operations."""
    return (
        set(step.left.signs) == {"*"}
        and "*" in step.right.signs
        and len(step.right.signs) > len(step.left.signs)
        and step.left.value == step.right.value
    )


RULE = PatternRule("split_number", Pattern.HELPFUL_DECOMPOSITION, _find, order=51)
