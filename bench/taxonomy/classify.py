"""Asks the rules: what kind of error an answer is, which patterns a trace shows, which steps are wrong."""

from __future__ import annotations

import bench.taxonomy.errors as errors
import bench.taxonomy.patterns as patterns
from bench.finish import ended
from bench.grade import grade
from bench.problem import TEXT_KINDS, Problem
from bench.taxonomy.answer import read_back
from bench.taxonomy.discovery import discover
from bench.taxonomy.findings import ErrorFinding, PatternFinding, WrongStep
from bench.taxonomy.rules import ErrorRule, PatternRule, WrongAnswer
from bench.taxonomy.trace import MAX_SPANS, Trace
from bench.verdict import Outcome, Verdict

# Raised whenever a text may get other findings than before; what is kept of findings names it.
TAXONOMY_VERSION = "3"

ERROR_RULES = discover(errors, ErrorRule)
PATTERN_RULES = discover(patterns, PatternRule)


def error_of(
    problem: Problem, response: str | None, verdict: Verdict | None = None, *, finish_reason: str = "stop"
) -> ErrorFinding | None:
    """Return why a response is wrong; None where it is right or not graded yet, or where nothing was answered.

    None of an answer that is no number, list or relation, either: no rule knows what is wrong with it.

    The first rule that finds something decides. Nothing was answered where no answer could be read in a response that
    ended by itself, unless the right value stands in it. Never raises on any text and is linear in its length.

    Args:
        problem: What was asked.
        response: What the model wrote, thinking included; spans are places in it.
        verdict: What it is worth; graded here where it is None.
        finish_reason: Why the response ended, in any provider's words, see :func:`bench.finish.ended`.
    """
    if problem.answer_kind in TEXT_KINDS:
        return None
    text = response or ""
    verdict = verdict or grade(problem, text, finish_reason=finish_reason)
    if verdict.outcome in (Outcome.CORRECT, Outcome.UNGRADED):
        return None
    visible = max(0, text.rfind("</think"))
    answer = read_back(verdict.answer, problem)
    wrong = WrongAnswer(problem, Trace(text), visible, verdict, answer, ended(finish_reason))
    for rule in ERROR_RULES:
        spans = rule.find(wrong)
        if spans is not None:
            return ErrorFinding(rule.kind, rule.name, tuple(spans[:MAX_SPANS]))
    return None


def patterns_of(text: str) -> tuple[PatternFinding, ...]:
    """Return the patterns of a trace, a finding for each rule that found one; several rules may find the same pattern.

    Never raises on any text and is linear in its length. Beyond the first 100,000 characters only a failure to stop
    is looked for.
    """
    trace = Trace(text)
    found = []
    for rule in PATTERN_RULES:
        spans = sorted(rule.find(trace))
        if spans:
            found.append(PatternFinding(rule.pattern, rule.name, tuple(spans[:MAX_SPANS])))
    return tuple(found)


def wrong_steps(text: str) -> tuple[WrongStep, ...]:
    """Return the equations, comparisons and parities of a text that do not hold, in order, taken back later or not.

    Exact arithmetic; linear in the length of the text. What can't be checked (unknowns, units, questions) is no step.
    """
    trace = Trace(text)
    wrong = [(step.span, str(step.left.value)) for step in trace.steps if not step.holds]
    wrong += [(claim.span, claim.truth) for claim in trace.claims if not claim.holds]
    return tuple(WrongStep(span, text[span[0] : span[1]], truth) for span, truth in sorted(wrong))
