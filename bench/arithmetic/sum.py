"""Add up a list of integers."""

from __future__ import annotations

from bench.arithmetic.operands import Integers, ListTask
from bench.problem import AnswerKind


class Sum(ListTask):
    """Data: the list. Gold: its sum."""

    name = "sum"
    category = "arithmetic"
    answer_kind = AnswerKind.INTEGER
    order = 3

    def question(self, data: Integers) -> str:
        return f"What is the sum of all the integers in this list: {list(data)}?"

    def gold(self, data: Integers) -> int:
        return sum(data)
