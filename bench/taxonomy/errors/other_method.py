"""Procedural: another method, followed rightly, gives exactly this answer."""

from __future__ import annotations

from bench.problem import AnswerKind
from bench.taxonomy.answer import Answer, places
from bench.taxonomy.findings import ErrorKind, Span
from bench.taxonomy.methods import Result, other_results
from bench.taxonomy.rules import ErrorRule, WrongAnswer


def _find(wrong: WrongAnswer) -> list[Span] | None:
    answer = wrong.answer
    if answer is None:
        return None
    for _, result in other_results(wrong.problem):
        if _same(answer, result, wrong.problem.answer_kind):
            return [] if answer.number is None else places(wrong.trace.text, answer.number)[-1:]
    return None


def _same(answer: Answer, result: Result, kind: AnswerKind) -> bool:
    if isinstance(result, str):
        return answer.relation == result
    if isinstance(result, tuple):
        return set(answer.listed) == set(result) if kind is AnswerKind.INTEGER_SET else answer.listed == result
    if answer.number is None:
        return False
    decimals = answer.decimals or 0
    return answer.number == result or (decimals > 1 and abs(answer.number - result) * 10**decimals < 1)


RULE = ErrorRule("other_method", ErrorKind.PROCEDURAL, _find, order=50)
