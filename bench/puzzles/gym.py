"""A task whose items come from reasoning-gym: what is drawn, and how an answer comes before its scorer."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from typing import Any, ClassVar

from bench.answers import stated_answer
from bench.problem import AnswerKind
from bench.puzzles import items
from bench.puzzles.notation import plain
from bench.seeding import Stream
from bench.task import Category, Task
from bench.verdict import Unreadable

# Other versions draw other items. Its __version__ says 0.1.19, so the installed package is asked.
VERSION = "0.1.25"

# Of a draw whose gold is wrong another one is made; more than a few in a row are a fault of the parameters.
_MOST_DRAWS = 200


@dataclass(frozen=True)
class GymTask(Task):
    """A task of reasoning-gym. The fields of a subclass are its parameters, named as the package's own.

    ``problems`` says how many there are, so that one suite asks all of some tasks and so many of others. Data holds
    ``question``, ``answer`` and of the package's metadata what scoring needs. An item has a seed of its own:
    the package's items of seeds s and s + 1 are all but one the same. Class attributes beside those of a task:

        kept: Names of the metadata that are kept.
    """

    problems: int = 50

    category: ClassVar[Category] = "puzzles"
    suite: ClassVar[str] = "optimal_thinking"
    answer_kind: ClassVar[AnswerKind] = AnswerKind.CHECKED
    hostile_check: ClassVar[bool] = True
    kept: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        """Check the types of the parameters; the package checks their ranges when it draws.

        Raises:
            ValueError: one is no integer.
        """
        for name, value in self.params.items():
            if type(value) is not int:
                raise ValueError(f"{self.name}: {name} has to be an integer, not {value!r}")
        if self.problems < 1:
            raise ValueError(f"{self.name}: problems has to be at least 1, not {self.problems}")

    @property
    def config(self) -> dict[str, Any]:
        """What decides the items: the parameters as the package names them."""
        return {name: value for name, value in self.params.items() if name != "problems"}

    def length(self) -> int:
        """Return ``problems``."""
        return self.problems

    def draw(self, seed: int, position: int) -> Any:
        """Return the item of this seed and position.

        Raises:
            ValueError: the package is missing or of another version, or draws nothing under these parameters.
        """
        key = [self.name, self.config, seed, VERSION, self.data_version]
        return items.item(key, position, lambda: self._drawn(seed, position))

    def _drawn(self, seed: int, position: int) -> dict[str, Any]:
        stream = Stream(seed, self.name, "item", position)
        for _ in range(_MOST_DRAWS):
            try:
                entry = dataset(self.name, seed=stream.below(1 << 31), **self.config)[0]
            except (AssertionError, RuntimeError) as error:
                raise ValueError(f"{self.name}: {error}") from error
            data = {"question": entry["question"], "answer": entry["answer"]}
            data = json.loads(json.dumps(data | {name: entry["metadata"][name] for name in self.kept}))
            if (settled := self.settle(data)) is not None:
                return settled
        raise ValueError(f"{self.name}: no item with a right answer in {_MOST_DRAWS} draws; other parameters may help")

    def settle(self, data: dict[str, Any]) -> dict[str, Any] | None:
        """Return an item as it is asked, None for one whose gold is wrong, so that another one is drawn."""
        return data

    def question(self, data: Any) -> str:
        """Return the package's question."""
        return str(data["question"])

    def gold(self, data: Any) -> str:
        """Return the package's answer, an example of a right one."""
        return str(data["answer"])

    def read_data(self, data: Any) -> dict[str, Any]:
        """Return an item as ``draw`` makes it.

        Raises:
            ValueError: parts are missing, or question or answer is no text.
        """
        names = ("question", "answer", *self.kept)
        if not isinstance(data, Mapping) or not all(name in data for name in names):
            raise ValueError(f"{self.name}: data has to be an item with {', '.join(names)}")
        if not all(type(data[name]) is str for name in names[:2]):
            raise ValueError(f"{self.name}: question and answer have to be texts")
        return {name: data[name] for name in names}

    @abstractmethod
    def read(self, data: Any, text: str) -> str:
        """Return what an answer says in the notation that the package's scorer knows.

        Args:
            data: The item.
            text: The statement, plain.

        Raises:
            Unreadable: it is no answer.
        """

    def check(self, data: Any, answer: str) -> float:
        """Return the score of an answer; only 1 is right, the rest is the package's partial credit.

        Raises:
            Unreadable: nothing in it is an answer.
        """
        return self.score(data, self.read(data, statement(answer)))

    def score(self, data: Any, said: str) -> float:
        """Return the package's score of an answer that was read."""
        entry = {"answer": data["answer"], "metadata": dict(data)}
        return min(1.0, float(dataset(self.name).score_answer(said, entry)))


def statement(answer: str) -> str:
    """Return what a visible answer states, plain.

    Raises:
        Unreadable: it states nothing, or more than anybody needs.
    """
    stated = stated_answer(answer)
    if stated is None:
        raise Unreadable("no statement")
    return plain(stated.text)


def dataset(name: str, seed: int = 0, **params: Any) -> Any:
    """Return a data set of the package.

    Raises:
        ValueError: the package is missing or of another version.
    """
    require_package()
    import reasoning_gym

    return reasoning_gym.create_dataset(name, seed=seed, size=1, **params)


@cache
def require_package() -> None:
    """Check that reasoning-gym is there, in the version whose items these are.

    Raises:
        ValueError: it is not.
    """
    try:
        found = metadata.version("reasoning-gym")
    except metadata.PackageNotFoundError:
        found = "not there"
    if found != VERSION:
        raise ValueError(
            f"this task needs reasoning-gym {VERSION}, which is {found}: pip install reasoning-gym=={VERSION}"
        )
