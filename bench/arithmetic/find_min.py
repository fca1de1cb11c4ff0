"""Find the smallest value of a list."""

from __future__ import annotations

from bench.arithmetic.operands import Integers, ListTask
from bench.problem import AnswerKind


class FindMin(ListTask):
    """Data: the list. Gold: its smallest value."""

    name = "find_min"
    category = "extremes"
    answer_kind = AnswerKind.INTEGER
    order = 9

    def question(self, data: Integers) -> str:
        return f"What is the smallest integer in this list: {list(data)}?"

    def gold(self, data: Integers) -> int:
        return min(data)
