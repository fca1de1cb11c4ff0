"""Find the absolute difference of two integers."""

from __future__ import annotations

from bench.arithmetic.operands import Integers, PairTask
from bench.problem import AnswerKind


class AbsoluteDifference(PairTask):
    """Data: [a, b]. Gold: |a - b|."""

    name = "absolute_difference"
    category = "arithmetic"
    answer_kind = AnswerKind.INTEGER
    order = 7

    def question(self, data: Integers) -> str:
        a, b = data
        return f"What is the absolute difference between {a} and {b}, that is, |({a}) - ({b})|?"

    def gold(self, data: Integers) -> int:
        a, b = data
        return abs(a - b)
