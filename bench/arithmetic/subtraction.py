"""Subtract one integer from another."""

from __future__ import annotations

from bench.arithmetic.operands import Integers, PairTask
from bench.problem import AnswerKind


class Subtraction(PairTask):
    """Data: [a, b]. Gold: b - a."""

    name = "subtraction"
    category = "arithmetic"
    answer_kind = AnswerKind.INTEGER
    order = 4

    def question(self, data: Integers) -> str:
        a, b = data
        return f"Subtract {a} from {b}: what is ({b}) - ({a})?"

    def gold(self, data: Integers) -> int:
        a, b = data
        return b - a
