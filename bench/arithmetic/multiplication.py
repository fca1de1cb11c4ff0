"""Multiply a list of integers."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from bench.arithmetic.operands import Integers, ListTask
from bench.problem import AnswerKind


@dataclass(frozen=True)
class Multiplication(ListTask):
    """Data: the factors. Gold: their exact product; eight factors can reach 10^24."""

    sizes: tuple[int, ...] = (2, 4, 8)

    name = "multiplication"
    category = "arithmetic"
    answer_kind = AnswerKind.INTEGER
    order = 5

    def question(self, data: Integers) -> str:
        return (
            f"What is the product of all the integers in this list: {list(data)}?\n"
            "Give the exact integer with all its digits."
        )

    def gold(self, data: Integers) -> int:
        return prod(data)
