"""Tasks with a fixed number of problems: a ladder of sizes, or a stored set."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

from bench.problem import Problem
from bench.task import MAX_FOLDS, Task


@dataclass(frozen=True)
class FiniteTask(Task):
    """A task whose problems are counted; none comes twice, and there are no folds but the first."""

    @abstractmethod
    def entry(self, seed: int, index: int) -> Any:
        """Return the data of problem ``index``, below :meth:`length`; a pure function."""

    @abstractmethod
    def length(self) -> int:
        """Return how many problems there are."""

    def draw(self, seed: int, position: int) -> Any:
        """Return the data at a position of the numbering over all folds, of which only the first holds problems."""
        return self.entry(seed, position // MAX_FOLDS)

    def problem(self, *, seed: int, fold: int, index: int) -> Problem:
        """Return problem number ``index`` of the only fold, 0.

        Raises:
            ValueError: there is no such fold or problem; or as :meth:`bench.task.Task.problem`.
        """
        if fold != 0:
            raise ValueError(f"fold {fold!r} does not exist: {self.name} has one fold, of {self.length()} problems")
        if type(index) is int and index >= self.length():
            raise ValueError(f"index {index} does not exist: {self.name} has {self.length()} problems")
        return super().problem(seed=seed, fold=fold, index=index)


def size_of(name: str, data: Any, key: str, smallest: int, largest: int) -> dict[str, int]:
    """Return a problem's data, ``{key: n}``, from itself or from the plain number.

    Raises:
        ValueError: it is neither, or the number is out of range.
    """
    size = data.get(key) if isinstance(data, dict) and set(data) == {key} else data
    if type(size) is not int or not smallest <= size <= largest:
        raise ValueError(f'{name}: data has to be {{"{key}": n}} or n, from {smallest} to {largest}, not {data!r:.60}')
    return {key: size}
