"""Divide one integer by another."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from bench.arithmetic.operands import PRECISION, Integers, PairTask
from bench.problem import AnswerKind
from bench.seeding import permuted


@dataclass(frozen=True)
class Division(PairTask):
    """Data: [a, b] with b other than 0. Gold: a / b, a Fraction even where it is whole."""

    name = "division"
    category = "arithmetic"
    answer_kind = AnswerKind.RATIONAL
    order = 6

    def __post_init__(self) -> None:
        """Check that the range holds a divisor."""
        super().__post_init__()
        if self.low == self.high == 0:
            raise ValueError("division: the range has to hold an integer other than 0 to divide by")

    def draw(self, seed: int, position: int) -> Integers:
        """Return a pair, uniform over all pairs whose b is not 0."""
        has_zero = self.low <= 0 <= self.high
        divisors = self.span - has_zero
        first, second = divmod(permuted(position, self.span * divisors, seed, self.name), divisors)
        divisor = self.low + second
        if has_zero and divisor >= 0:
            divisor += 1
        return self.low + first, divisor

    def read_data(self, data: Any) -> Integers:
        """Return the pair; b may be any integer but 0."""
        values = super().read_data(data)
        if values[1] == 0:
            raise ValueError(f"division: b has to be other than 0 in [a, b] = {list(values)}")
        return values

    def question(self, data: Integers) -> str:
        a, b = data
        return f"Divide {a} by {b}: what is ({a}) / ({b})?\n{PRECISION}"

    def gold(self, data: Integers) -> Fraction:
        return Fraction(*data)
