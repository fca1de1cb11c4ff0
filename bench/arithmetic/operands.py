"""What the basic-math tasks share: ranges of values, and tasks about a list or about a pair of integers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from bench.ranking import digits
from bench.seeding import Stream, permuted, stratified
from bench.task import Task, read_sizes

Integers = tuple[int, ...]

# The grader takes a rounded decimal for a fraction; the question says how far it may be rounded.
PRECISION = (
    "Give the exact value (an integer or a fraction), or a decimal rounded to at least two decimal places "
    "and at least two significant digits."
)

# Fewer possible lists than this are given out by a permutation; among more, chance repeats none.
COUNTABLE = 1 << 48
# Lists of one size in each run of positions that holds all sizes equally often. Any number gives equal
# shares; with one much above 1 the next size can't be told from the last ones.
_RUN_SHARE = 16


@dataclass(frozen=True)
class RangeTask(Task):
    """A task over integers from ``low`` to ``high``, both included."""

    low: int = -1000
    high: int = 1000

    def __post_init__(self) -> None:
        """Check the range.

        Raises:
            ValueError: a bound is no integer, or ``low`` is above ``high``.
        """
        for name, value in (("low", self.low), ("high", self.high)):
            if type(value) is not int:
                raise ValueError(f"{self.name}: {name} has to be an integer, not {value!r}")
        if self.low > self.high:
            raise ValueError(f"{self.name}: low ({self.low}) has to be at most high ({self.high})")

    @property
    def span(self) -> int:
        """How many integers the range holds."""
        return self.high - self.low + 1


@dataclass(frozen=True)
class ListTask(RangeTask):
    """A task about a list of integers; all sizes are drawn equally often."""

    sizes: tuple[int, ...] = (8, 16, 32, 64)

    smallest: ClassVar[int] = 1  # allowed size

    def __post_init__(self) -> None:
        """Check the range and the sizes.

        Raises:
            ValueError: the range is wrong, or ``sizes`` no list of different integers from ``smallest`` on.
        """
        super().__post_init__()
        object.__setattr__(self, "sizes", read_sizes(self.name, self.sizes, self.smallest))

    def draw(self, seed: int, position: int) -> Integers:
        """Return a list whose values are independent and uniform over the range."""
        kind, rank = stratified(position, (_RUN_SHARE,) * len(self.sizes), seed, self.name, "size")
        size = self.sizes[kind]
        space = self.span**size
        if space >= COUNTABLE:
            return tuple(Stream(seed, self.name, "list", size, rank).integers(size, self.low, self.high))
        drawn = permuted(rank, space, seed, self.name, "list", size)
        return tuple(self.low + digit for digit in digits(drawn, self.span, size))

    def read_data(self, data: Any) -> Integers:
        """Return the list; it may have any length from 1 on and hold any integers."""
        values = _read_integers(self.name, data)
        if not values:
            raise ValueError(f"{self.name}: the list has to hold at least one integer")
        return values

    def facts(self, data: Integers) -> Mapping[str, int | str]:
        """Return the number of values as ``size``."""
        return {"size": len(data)}


@dataclass(frozen=True)
class PairTask(RangeTask):
    """A task about two integers, a and b."""

    def draw(self, seed: int, position: int) -> Integers:
        """Return a pair, uniform over all ordered pairs; all come up before one comes again."""
        first, second = divmod(permuted(position, self.span**2, seed, self.name), self.span)
        return self.low + first, self.low + second

    def read_data(self, data: Any) -> Integers:
        """Return the pair; it may hold any two integers."""
        values = _read_integers(self.name, data)
        if len(values) != 2:
            raise ValueError(f"{self.name}: data has to be two integers [a, b], not {len(values)}")
        return values


def _read_integers(task: str, data: Any) -> Integers:
    """Return a list or tuple of integers as a tuple.

    Raises:
        ValueError: it is something else; ``task`` opens the message.
    """
    if not isinstance(data, list | tuple):
        raise ValueError(f"{task}: data has to be a list of integers, not {data!r}")
    for value in data:
        if type(value) is not int:
            raise ValueError(f"{task}: data has to hold integers only, not {value!r}")
    return tuple(data)
