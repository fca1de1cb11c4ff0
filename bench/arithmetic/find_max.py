"""Find the largest value of a list."""

from __future__ import annotations

from bench.arithmetic.operands import Integers, ListTask
from bench.problem import AnswerKind


class FindMax(ListTask):
    """Data: the list. Gold: its largest value."""

    name = "find_max"
    category = "extremes"
    answer_kind = AnswerKind.INTEGER
    order = 8

    def question(self, data: Integers) -> str:
        return f"What is the largest integer in this list: {list(data)}?"

    def gold(self, data: Integers) -> int:
        return max(data)
