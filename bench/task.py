"""A task: where problems of one kind come from, and what their exact answers are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal

from bench.problem import AnswerKind, Gold, Problem, data_digest

Category = Literal["arithmetic", "extremes", "statistics", "counting"]

# Folds share one numbering of all problems of a seed, so that none of them repeats a problem of another.
MAX_FOLDS = 6


@dataclass(frozen=True)
class Task(ABC):
    """One kind of problem. A subclass is a frozen dataclass whose fields are the task's parameters.

    The parameters decide what is drawn. Question, gold and facts follow from the data alone, since a stored sample
    is read again by its data.

    Every parameter has a default; ``__post_init__`` checks them and raises ValueError. Class attributes:

        name: What users type; lower case letters, digits and underscores.
        category: What reports group by.
        suite: The set of tasks it is run with.
        answer_kind: How an answer is read and compared.
        data_version: Raised whenever the same seed, fold and index draw other data than before.
        wording_version: Raised whenever the question's text changes.
        order: Place among the tasks of its package in listings; ties go by name.
    """

    name: ClassVar[str]
    category: ClassVar[Category]
    answer_kind: ClassVar[AnswerKind]
    suite: ClassVar[str] = "basic_math"
    data_version: ClassVar[int] = 1
    wording_version: ClassVar[int] = 1
    order: ClassVar[int] = 1000

    @abstractmethod
    def draw(self, seed: int, position: int) -> Any:
        """Return the data at ``position`` (0, 1, ...) of this seed; a pure function, see bench.seeding."""

    @abstractmethod
    def question(self, data: Any) -> str:
        """Return the question in words, without instructions on how to answer a prompt."""

    @abstractmethod
    def gold(self, data: Any) -> Gold:
        """Return the exact answer."""

    @abstractmethod
    def read_data(self, data: Any) -> Any:
        """Return data that a user gave in the form that ``draw`` returns.

        Any data that has an answer is taken, whether or not the parameters could draw it.

        Raises:
            ValueError: the task has no answer for it; the message says what is allowed.
        """

    def facts(self, data: Any) -> Mapping[str, int | str]:
        """Return what makes this problem easy or hard, by name."""
        return {}

    @property
    def params(self) -> dict[str, Any]:
        """The parameters by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def problem(self, *, seed: int, fold: int, index: int) -> Problem:
        """Return problem number ``index`` (from 0) of a fold; the same on every machine.

        Problems of one seed differ, across folds too, unless small parameters leave too few of them. Each kind
        (a list size, a relation) gives out all of its problems before one comes again, counted over six folds.

        Raises:
            ValueError: ``seed`` is no integer, ``fold`` not in 0..5 or ``index`` below 0.
        """
        data = self.draw(seed, _position(seed, fold, index))
        return self._problem(f"{seed}:{fold}:{index}", data)

    def from_data(self, data: Any) -> Problem:
        """Return the problem that asks about ``data``, e.g. ``[3, -4, 10]``.

        Raises:
            ValueError: as :meth:`read_data`.
        """
        return self._problem("data", self.read_data(data))

    def _problem(self, source: str, data: Any) -> Problem:
        return Problem(
            id=f"{self.name}:{source}:{data_digest(self.name, self.wording_version, data)}",
            task=self.name,
            data=data,
            question=self.question(data),
            gold=self.gold(data),
            answer_kind=self.answer_kind,
            facts=self.facts(data),
        )


def _position(seed: int, fold: int, index: int) -> int:
    """Return where a problem stands in its seed's numbering over all folds."""
    if not type(seed) is type(fold) is type(index) is int:
        raise ValueError(f"seed, fold and index have to be integers, not {seed!r}, {fold!r}, {index!r}")
    if not 0 <= fold < MAX_FOLDS:
        raise ValueError(f"fold {fold} does not exist; folds are 0 to {MAX_FOLDS - 1}")
    if index < 0:
        raise ValueError(f"index {index} is below 0")
    return index * MAX_FOLDS + fold
