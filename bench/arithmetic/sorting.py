"""Sort a list of integers in ascending order."""

from __future__ import annotations

from bench.arithmetic.operands import Integers, ListTask
from bench.problem import AnswerKind


class Sorting(ListTask):
    """Data: the list. Gold: its values in ascending order, duplicates kept."""

    name = "sorting"
    category = "arithmetic"
    answer_kind = AnswerKind.INTEGER_LIST
    order = 1

    def question(self, data: Integers) -> str:
        return (
            f"Sort this list of integers in ascending order: {list(data)}\n"
            "Keep every duplicate. Write the result as a list in the form [a, b, c]."
        )

    def gold(self, data: Integers) -> Integers:
        return tuple(sorted(data))
