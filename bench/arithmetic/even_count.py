"""Count the even values of a list."""

from __future__ import annotations

from bench.arithmetic.operands import Integers, ListTask
from bench.problem import AnswerKind


class EvenCount(ListTask):
    """Data: the list. Gold: how many of its values are even (0 is), each occurrence counted."""

    name = "even_count"
    category = "counting"
    answer_kind = AnswerKind.INTEGER
    order = 14

    def question(self, data: Integers) -> str:
        return f"How many integers in this list are even, counting each occurrence: {list(data)}?"

    def gold(self, data: Integers) -> int:
        return sum(value & 1 == 0 for value in data)
