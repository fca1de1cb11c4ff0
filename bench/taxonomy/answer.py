"""An answer as the verdict holds it, read back into numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from bench.problem import AnswerKind, Problem
from bench.taxonomy.findings import Span

_LISTS = frozenset({AnswerKind.INTEGER_LIST, AnswerKind.INTEGER_SET})
_MAX_PLACES = 200


@dataclass(frozen=True, slots=True)
class Answer:
    """What was answered.

    Attributes:
        number: The number, None where the answer is something else.
        decimals: Digits after its point, None where it does not end.
        listed: The numbers of a list, empty where it is something else.
        relation: The relation, empty where it is something else.
    """

    number: Fraction | None = None
    decimals: int | None = 0
    listed: tuple[Fraction, ...] = ()
    relation: str = ""


def read_back(text: str | None, problem: Problem) -> Answer | None:
    """Return the answer whose canonical text a verdict holds, None where it holds none."""
    if text is None:
        return None
    if problem.answer_kind is AnswerKind.RELATION:
        return Answer(relation=text)
    if problem.answer_kind in _LISTS or text.startswith("["):
        return Answer(listed=tuple(Fraction(part) for part in text.strip("[]").split(",") if part.strip()))
    return Answer(number=Fraction(text), decimals=None if "/" in text else len(text.partition(".")[2]))


def places(text: str, number: int | Fraction, start: int = 0) -> list[Span]:
    """Return where an integer stands by itself in a text, with or without group marks; none for other numbers."""
    if number.denominator != 1:
        return []
    digits = {str(abs(int(number))), f"{abs(int(number)):,}"}
    sign = "[-−–]" if number < 0 else "(?<![-−–])"
    pattern = re.compile(rf"(?<![\d.,]){sign}(?:{'|'.join(sorted(digits))})(?![\d]|[.,]\d)")
    found = []
    for match in pattern.finditer(text, start):
        found.append(match.span())
        if len(found) == _MAX_PLACES:
            break
    return found
