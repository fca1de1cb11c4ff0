"""A task: where problems of one kind come from, and what their exact answers are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any, ClassVar, Literal

from bench.grading.numbers import MAX_DIGITS
from bench.problem import NUMBER_KINDS, TEXT_KINDS, AnswerKind, Gold, Problem, data_digest

Category = Literal[
    "arithmetic",
    "extremes",
    "statistics",
    "counting",
    "algorithmic",
    "word_problems",
    "mathematics",
    "science",
    "code",
    "puzzles",
    "general",
]

# Folds share one numbering of all problems of a seed, so that none of them repeats a problem of another.
MAX_FOLDS = 6

# No answer from here on could be read.
_TOO_LONG = 10**MAX_DIGITS
_SHORT = f"of at most {MAX_DIGITS} digits"


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
        hostile_check: Whether ``check`` may be slow or fail on some text, so that it has to run in a process that can
            be killed.
    """

    name: ClassVar[str]
    category: ClassVar[Category]
    answer_kind: ClassVar[AnswerKind]
    suite: ClassVar[str] = "basic_math"
    data_version: ClassVar[int] = 1
    wording_version: ClassVar[int] = 1
    order: ClassVar[int] = 1000
    hostile_check: ClassVar[bool] = False

    @abstractmethod
    def draw(self, seed: int, position: int) -> Any:
        """Return the data at ``position`` (0, 1, ...) of this seed; a pure function, see bench.seeding."""

    @abstractmethod
    def question(self, data: Any) -> str:
        """Return the question in words, without instructions on how to answer a prompt."""

    @abstractmethod
    def gold(self, data: Any) -> Gold:
        """Return the exact answer, of the type that belongs to ``answer_kind``; no number has over 1,000 digits."""

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

    def check(self, data: Any, answer: str) -> float:
        """Return the score in [0, 1] of an answer, for tasks of answer kind ``checked`` alone; 1 is right.

        Unless ``hostile_check`` is set it has to be linear in the length of the text.

        Args:
            data: As ``draw`` returns it.
            answer: The visible answer, whole; see :func:`bench.answers.stated_answer`.

        Raises:
            Unreadable: nothing in it is an answer.
        """
        raise NotImplementedError(f"{self.name} checks no answers")

    def length(self) -> int | None:
        """Return how many problems there are, None for an endless supply."""
        return None

    @property
    def params(self) -> dict[str, Any]:
        """The parameters by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def problem(self, *, seed: int, fold: int, index: int) -> Problem:
        """Return problem number ``index`` (from 0) of a fold; the same on every machine.

        Problems of one seed differ, across folds too, unless small parameters leave too few of them. Each kind
        (a list size, a relation) gives out all of its problems before one comes again, counted over six folds.

        Raises:
            ValueError: ``seed`` is no integer, ``fold`` not in 0..5 or ``index`` below 0; or the task's gold is
                none that an answer can be compared with.
        """
        data = self.draw(seed, _position(seed, fold, index))
        return self._problem(f"{seed}:{fold}:{index}", data)

    def from_data(self, data: Any) -> Problem:
        """Return the problem that asks about ``data``, e.g. ``[3, -4, 10]``.

        Raises:
            ValueError: as :meth:`read_data`, and for a gold as :meth:`problem`.
        """
        return self._problem("data", self.read_data(data))

    def _problem(self, source: str, data: Any) -> Problem:
        gold = self.gold(data)
        if misfit := _misfit(self.answer_kind, gold):
            raise ValueError(f"{self.name}: the gold of answer kind {self.answer_kind.value} has to be {misfit}")
        return Problem(
            id=f"{self.name}:{source}:{data_digest(self.name, self.wording_version, data)}",
            task=self.name,
            data=data,
            question=self.question(data),
            gold=gold,
            answer_kind=self.answer_kind,
            facts=self.facts(data),
        )


def read_sizes(task: str, sizes: Any, smallest: int, largest: int | None = None) -> tuple[int, ...]:
    """Return the sizes that a task's parameter lists as a tuple.

    Raises:
        ValueError: they are not different integers from ``smallest`` on, to ``largest`` where there is one, at least
            one of them; ``task`` opens the message.
    """
    read = tuple(sizes) if isinstance(sizes, Sequence) else ()
    fit = all(type(size) is int and smallest <= size <= (size if largest is None else largest) for size in read)
    if not read or not fit or len(set(read)) < len(read):
        allowed = f"from {smallest} on" if largest is None else f"from {smallest} to {largest}"
        raise ValueError(f"{task}: sizes has to be a list of different integers {allowed}, not {sizes!r}")
    return read


def _misfit(kind: AnswerKind, gold: Any) -> str | None:
    """Return what a gold of this kind has to be, None if it is that.

    Comparing integers of different lengths costs nothing, whereas writing a long one out is slow or refused.
    """
    if type(gold) is int and kind in NUMBER_KINDS:  # most problems end here
        return None if -_TOO_LONG < gold < _TOO_LONG else _SHORT
    if kind in TEXT_KINDS:
        return _text_misfit(kind, gold)
    if kind is AnswerKind.RELATION:
        return None if type(gold) is str and gold in (">", "<", "=") else f"one of > < =, not a {_what(gold)}"
    if kind in NUMBER_KINDS:
        if type(gold) is not Fraction:
            return f"an integer or a Fraction, not a {_what(gold)}"
        longest = max(abs(gold.numerator), gold.denominator)
    else:
        if type(gold) is not tuple or not gold or set(map(type, gold)) != {int}:
            return f"a tuple of integers, at least one, not a {_what(gold)}"
        longest = max(max(gold), -min(gold))
    return None if longest < _TOO_LONG else _SHORT


def _text_misfit(kind: AnswerKind, gold: Any) -> str | None:
    """Return the same for a gold that is a text; an example or a program's tests may be missing."""
    if type(gold) is not str:
        return f"a text, not a {_what(gold)}"
    if kind is AnswerKind.CHOICE:
        return None if len(gold) == 1 and "A" <= gold <= "Z" else f"a letter from A to Z, not {gold!r:.20}"
    needed = kind in (AnswerKind.EXPRESSION, AnswerKind.JUDGED)
    return "a text that is not empty" if needed and not gold.strip() else None


def _what(gold: Any) -> str:
    """Return the type of a gold, and of its elements; its value may be too long to be written."""
    if type(gold) is tuple:
        return f"tuple of {', '.join(sorted({type(value).__name__ for value in gold})) or 'nothing'}"
    return f"str {gold!r:.20}" if type(gold) is str else type(gold).__name__


def _position(seed: int, fold: int, index: int) -> int:
    """Return where a problem stands in its seed's numbering over all folds."""
    if not type(seed) is type(fold) is type(index) is int:
        raise ValueError(f"seed, fold and index have to be integers, not {seed!r}, {fold!r}, {index!r}")
    if not 0 <= fold < MAX_FOLDS:
        raise ValueError(f"fold {fold} does not exist; folds are 0 to {MAX_FOLDS - 1}")
    if index < 0:
        raise ValueError(f"index {index} is below 0")
    return index * MAX_FOLDS + fold
