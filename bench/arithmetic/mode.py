"""Find every value of a list that occurs most often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import comb

from bench.arithmetic.operands import COUNTABLE, Integers, ListTask
from bench.problem import AnswerKind
from bench.ranking import arrangement, arrangements, combination
from bench.seeding import Stream, permuted, stratified

_MOST_MODES = 3
_MULTIPLICITIES = 3  # how many are drawn: 2, 3 and 4 unless a short list or a small range forces others
_SHARE = 36  # of a size in each run of positions; three mode counts with three multiplicities divide it


class Mode(ListTask):
    """Data: the list. Gold: its modes in ascending order.

    Uniform values hardly ever repeat, so modes are planted: one to three values occur equally often, twice or
    more, and every other value once. The numbers of modes are equally frequent among the lists of a size, and
    so are the multiplicities among those of a number of modes.
    """

    name = "mode"
    category = "statistics"
    answer_kind = AnswerKind.INTEGER_SET
    order = 12
    smallest = 2

    def draw(self, seed: int, position: int) -> Integers:
        """Return a list, uniform over the lists of its shape."""
        shapes, shares = _shapes(self.sizes, self.span)
        kind, rank = stratified(position, shares, seed, self.name, "shape")
        shape = shapes[kind]
        key = (seed, self.name, "list", shape.size, shape.modes, shape.multiplicity)
        if shape.space < COUNTABLE:
            drawn = shape.ranked(permuted(rank, shape.space, *key))
        else:
            drawn = shape.streamed(Stream(*key, rank))
        return tuple([self.low + value for value in drawn])

    def question(self, data: Integers) -> str:
        return (
            f"What is the mode of this list: {list(data)}?\n"
            "List every value of highest frequency, each once; there may be one or several."
        )

    def gold(self, data: Integers) -> Integers:
        counts = Counter(data)
        highest = max(counts.values())
        return tuple(sorted(value for value, count in counts.items() if count == highest))

    def facts(self, data: Integers) -> Mapping[str, int | str]:
        """Return the number of values, of modes, and how often each mode occurs."""
        counts = list(Counter(data).values())
        highest = max(counts)
        return {"size": len(data), "modes": counts.count(highest), "multiplicity": highest}


@dataclass(frozen=True)
class _Shape:
    """Lists of ``size`` values from ``range(span)`` in which some values occur equally often, others once."""

    size: int
    modes: int  # how many values occur ``multiplicity`` times
    multiplicity: int
    span: int

    @cached_property
    def counts(self) -> list[int]:
        """How often each different value occurs, the modes first."""
        return [self.multiplicity] * self.modes + [1] * (self.size - self.modes * self.multiplicity)

    @cached_property
    def space(self) -> int:
        """How many lists have this shape."""
        others = len(self.counts) - self.modes
        return comb(self.span, self.modes) * comb(self.span - self.modes, others) * arrangements(self.counts)

    def ranked(self, rank: int) -> list[int]:
        """Return the ``rank``-th of them."""
        others_count = len(self.counts) - self.modes
        rank, modes_rank = divmod(rank, comb(self.span, self.modes))
        order_rank, others_rank = divmod(rank, comb(self.span - self.modes, others_count))
        modes = combination(modes_rank, self.span, self.modes)
        others = combination(others_rank, self.span - self.modes, others_count)
        for mode in sorted(modes):
            others = [value + (value >= mode) for value in others]
        values = modes + others
        return [values[letter] for letter in arrangement(order_rank, self.counts)]

    def streamed(self, stream: Stream) -> list[int]:
        """Return one drawn uniformly."""
        values = stream.distinct(len(self.counts), 0, self.span - 1)
        repeated, drawn = values[: self.modes] * self.multiplicity, values[self.modes :]
        places = stream.distinct(len(repeated), 0, self.size - 1)
        for place, mode in sorted(zip(places, repeated, strict=True)):
            drawn.insert(place, mode)
        return drawn


@lru_cache(maxsize=64)
def _shapes(sizes: tuple[int, ...], span: int) -> tuple[list[_Shape], tuple[int, ...]]:
    """Return the shapes that are drawn, and how many lists of each a run of positions holds."""
    shapes: list[_Shape] = []
    shares: list[int] = []
    for size in sizes:
        by_modes = [_of_size(size, modes, span) for modes in range(1, _MOST_MODES + 1)]
        fitting = [alike for alike in by_modes if alike]
        for alike in fitting:
            shapes += alike
            shares += [_SHARE // (len(fitting) * len(alike))] * len(alike)
    return shapes, tuple(shares)


def _of_size(size: int, modes: int, span: int) -> list[_Shape]:
    """Return the shapes with so many modes, repeated at least so often that the other values can differ."""
    if modes > span:
        return []
    least = max(2, -((span - modes - size) // modes))
    most = min(size // modes, least + _MULTIPLICITIES - 1)
    return [_Shape(size, modes, multiplicity, span) for multiplicity in range(least, most + 1)]
