"""What a rule says about an answer that a judge decides on, where the reference is simple enough for one."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction

from bench.grade import grade
from bench.problem import AnswerKind, Gold, Problem
from bench.verdict import Outcome

_INTEGER = re.compile(r"-?\d{1,18}")
_DECIMAL = re.compile(r"-?\d{1,18}\.\d{1,18}|-?\d{1,18}/0*[1-9]\d{0,17}")
_CHOICE = re.compile(r"\(?([A-Z])[).]?")
_LATEX = re.compile(r"\\[a-z]+\{|\^|[=+*/]")


def rule_verdict(problem: Problem, answer: str) -> bool | None:
    """Return whether an answer is right by rule; None where no rule applies or no answer was read.

    A judged problem is graded as what its reference is: a number, the letter of a choice, or a mathematical
    expression; a problem of another kind as always.

    Args:
        problem: What was asked.
        answer: The visible answer, without the thinking.
    """
    if problem.answer_kind is AnswerKind.JUDGED:
        found = _as_rule(str(problem.gold).strip().strip("$").strip())
        if found is None:
            return None
        kind, gold = found
        problem = replace(problem, answer_kind=kind, gold=gold)
    outcome = grade(problem, answer).outcome
    return outcome is Outcome.CORRECT if outcome in (Outcome.CORRECT, Outcome.INCORRECT) else None


def _as_rule(reference: str) -> tuple[AnswerKind, Gold] | None:
    """Return the kind of answer that a reference is, and it as a gold of that kind."""
    if _INTEGER.fullmatch(reference):
        return AnswerKind.INTEGER, int(reference)
    if _DECIMAL.fullmatch(reference):
        return AnswerKind.RATIONAL, Fraction(reference)
    if match := _CHOICE.fullmatch(reference):
        return AnswerKind.CHOICE, match[1]
    if _LATEX.search(reference) and len(reference) <= 200 and " the " not in reference:
        return AnswerKind.EXPRESSION, reference
    return None
