"""Find the arithmetic mean of a list."""

from __future__ import annotations

from fractions import Fraction

from bench.arithmetic.operands import PRECISION, Integers, ListTask
from bench.problem import AnswerKind


class Mean(ListTask):
    """Data: the list. Gold: its mean, a Fraction even where it is whole."""

    name = "mean"
    category = "statistics"
    answer_kind = AnswerKind.RATIONAL
    order = 10

    def question(self, data: Integers) -> str:
        return f"What is the arithmetic mean (average) of this list of integers: {list(data)}?\n{PRECISION}"

    def gold(self, data: Integers) -> Fraction:
        return Fraction(sum(data), len(data))
