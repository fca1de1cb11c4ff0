"""An equation is asserted with two results, or a claim and its opposite."""

from __future__ import annotations

from bench.taxonomy.findings import Pattern, Span
from bench.taxonomy.rules import PatternRule
from bench.taxonomy.trace import Trace


def _find(trace: Trace) -> list[Span]:
    said = [(step.span, step.left.key, str(step.stated), step.holds) for step in trace.steps if not step.right.signs]
    said += [(claim.span, claim.about, claim.says, claim.holds) for claim in trace.claims]
    said.sort()
    first: dict[str, tuple[Span, str, bool]] = {}
    spans: set[Span] = set()
    for span, about, says, holds in said:
        earlier, said_before, held = first.setdefault(about, (span, says, holds))
        if said_before != says and not (holds and held):  # 2/3 = 0.66 and 2/3 = 0.67 both hold
            spans |= {earlier, span}
    return sorted(spans)


RULE = PatternRule("opposite_steps", Pattern.SELF_CONTRADICTION, _find, order=30)
