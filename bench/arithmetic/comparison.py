"""Say which of two integers is larger, or that they are equal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import comb
from typing import Any

from bench.arithmetic.operands import Integers, PairTask
from bench.problem import AnswerKind
from bench.ranking import combination
from bench.seeding import permuted, stratified


@dataclass(frozen=True)
class Comparison(PairTask):
    """Data: [a, b]. Gold: ``>``, ``<`` or ``=``, so that a, the sign, b reads as a true statement.

    ``equal``, ``less`` and ``greater`` are the probabilities of the three relations, in whole percents.
    Each run of 100 problems keeps them exactly.
    """

    equal: float = 0.33
    less: float = 0.33
    greater: float = 0.34

    name = "comparison"
    category = "arithmetic"
    answer_kind = AnswerKind.RELATION
    order = 2

    def __post_init__(self) -> None:
        """Check the range and the probabilities."""
        super().__post_init__()
        for name in ("equal", "less", "greater"):
            if not _is_whole_percent(getattr(self, name)):
                raise ValueError(
                    f"comparison: {name} has to be a whole percent, e.g. 0.33, not {getattr(self, name)!r}"
                )
        if sum(self._percents) != 100:
            raise ValueError(
                "comparison: equal, less and greater have to add up to 1, "
                f"not {self.equal} + {self.less} + {self.greater}"
            )
        if self.span == 1 and self.less + self.greater > 0:
            raise ValueError("comparison: unequal pairs need a range of at least two integers")

    @property
    def _percents(self) -> tuple[int, int, int]:
        return round(100 * self.equal), round(100 * self.less), round(100 * self.greater)

    def draw(self, seed: int, position: int) -> Integers:
        """Return a pair, uniform over those of its relation; all come up before one comes again."""
        kind, rank = stratified(position, self._percents, seed, self.name, "relation")
        if kind == 0:
            value = self.low + permuted(rank, self.span, seed, self.name, "equal")
            return value, value
        pair = permuted(rank, comb(self.span, 2), seed, self.name, "less" if kind == 1 else "greater")
        larger, smaller = combination(pair, self.span, 2)
        a, b = (smaller, larger) if kind == 1 else (larger, smaller)
        return self.low + a, self.low + b

    def question(self, data: Integers) -> str:
        a, b = data
        return f"Which sign makes the statement true: {a} ? {b}\nAnswer with one of >, < or =."

    def gold(self, data: Integers) -> str:
        a, b = data
        return "=" if a == b else "<" if a < b else ">"

    def facts(self, data: Integers) -> Mapping[str, int | str]:
        """Return the sign as ``relation``."""
        return {"relation": self.gold(data)}


def _is_whole_percent(probability: Any) -> bool:
    if type(probability) not in (int, float) or not 0 <= probability <= 1:  # nan is no such number either
        return False
    return bool(abs(100 * probability - round(100 * probability)) < 1e-9)
