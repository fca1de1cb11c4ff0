"""Find the median of a list."""

from __future__ import annotations

from fractions import Fraction

from bench.arithmetic.operands import PRECISION, Integers, ListTask
from bench.problem import AnswerKind


class Median(ListTask):
    """Data: the list. Gold: its median, a Fraction even where it is whole."""

    name = "median"
    category = "statistics"
    answer_kind = AnswerKind.RATIONAL
    order = 11

    def question(self, data: Integers) -> str:
        return (
            f"What is the median of the integers in this list: {list(data)}?\n"
            "With an even number of values, the median is the mean of the two middle ones. "
            f"{PRECISION}"
        )

    def gold(self, data: Integers) -> Fraction:
        ordered = sorted(data)
        size = len(ordered)
        return Fraction(ordered[(size - 1) // 2] + ordered[size // 2], 2)
