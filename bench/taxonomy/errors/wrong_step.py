"""Computational: a step is wrong and is not put right later."""

from __future__ import annotations

from bench.taxonomy.claims import Claim
from bench.taxonomy.findings import ErrorKind, Span
from bench.taxonomy.rules import ErrorRule, WrongAnswer


def _find(wrong: WrongAnswer) -> list[Span] | None:
    # What comes last of a left side or a claim is what stands.
    steps = {step.left.key: step for step in wrong.trace.steps}
    claims = {claim.about: claim for claim in wrong.trace.claims}
    spans = [step.span for step in steps.values() if not step.holds]
    spans += [claim.span for claim in claims.values() if not claim.holds and not _is_answer(claim, wrong)]
    return sorted(spans) or None


def _is_answer(claim: Claim, wrong: WrongAnswer) -> bool:
    """Return whether a claim is the answer itself, which the wrong method may account for, and no step to it."""
    if wrong.problem.task != "comparison" or min(wrong.problem.data) >= 0:
        return False
    first, second = sorted(wrong.problem.data)
    return claim.about == f"{first} ? {second}"


RULE = ErrorRule("wrong_step", ErrorKind.COMPUTATIONAL, _find, order=40)
