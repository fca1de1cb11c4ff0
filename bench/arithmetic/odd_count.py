"""Count the odd values of a list."""

from __future__ import annotations

from bench.arithmetic.operands import Integers, ListTask
from bench.problem import AnswerKind


class OddCount(ListTask):
    """Data: the list. Gold: how many of its values are odd, each occurrence counted."""

    name = "odd_count"
    category = "counting"
    answer_kind = AnswerKind.INTEGER
    order = 13

    def question(self, data: Integers) -> str:
        return f"How many integers in this list are odd, counting each occurrence: {list(data)}?"

    def gold(self, data: Integers) -> int:
        return sum(value & 1 for value in data)
