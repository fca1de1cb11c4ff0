"""The problems of a suite: which ones, in which order, and each again by its id."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Container, Iterable, Iterator
from dataclasses import dataclass
from itertools import count, islice, zip_longest
from pathlib import Path
from typing import Protocol, cast

import bench
from bench.problem import Problem, part_of
from bench.puzzles.items import keep_in
from bench.registry import add_folder, task_class
from bench.stored.rows import StoredTask
from bench.task import Task
from runner.config.folder import cache_folder
from runner.config.settings import SuiteSettings
from runner.config.stored import with_path
from runner.errors import UserError

# Numbers as sample keys write them; longer ones than these name no sample.
_NUMBER = r"(0|[1-9][0-9]{0,17})"
# A part that none of so many problems in a row belongs to is empty, or too small to be asked from.
_LONGEST_GAP_IN_PARTS = 100
_PROBLEM_ID = re.compile(rf"([^:/]+):(-?[0-9]+):{_NUMBER}:{_NUMBER}:[0-9a-f]{{8}}")
_SAMPLE_KEY = re.compile(rf"([^/]+)/{_NUMBER}")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a problem stands in the suite."""

    fold: int
    index: int
    repeat: int


class Indices(Iterable[int], Container[int], Protocol):
    """Indices in rising order."""


class Suite:
    """The tasks of a suite with their parameters.

    Attributes:
        known: Every task that the suite has parameters for; of stored sets, which have to be fetched, those asked.
        tasks: The tasks that are asked.

    Raises:
        UserError: a task that is unknown, given twice or fails, a parameter out of range, or a task file that
            can't be read.
    """

    def __init__(self, settings: SuiteSettings) -> None:
        self._settings = settings
        keep_in(cache_folder() / "items")
        if settings.task_folder is not None:
            _load_folder(Path(settings.task_folder))
        chosen = tuple(settings.params) if settings.tasks is None else settings.tasks
        if twice := [name for name, count in Counter(chosen).items() if count > 1]:
            raise UserError(f"suite.tasks gives {', '.join(twice)} more than once; give each task once")
        here = (name for name in settings.params if name in chosen or not issubclass(_class(name), StoredTask))
        self.known: dict[str, Task] = {name: self._make(name) for name in here}
        self.tasks: dict[str, Task] = {name: self.known.get(name) or self._make(name) for name in chosen}
        if not self.tasks:
            raise UserError("suite.tasks is empty; give task names or null for all")
        for task in self.tasks.values():
            self._check_folds(task)
            _check(task, settings.seed)
        self._indices: dict[tuple[str, int], Indices] = {}

    @property
    def size(self) -> int:
        """Number of samples: tasks × folds × samples × repeats; of a task with fewer problems than samples, those."""
        s = self._settings
        problems = sum(self._count(task, fold) for task in self.tasks.values() for fold in range(s.folds))
        return problems * s.repeats

    def places(self) -> Iterator[tuple[Problem, Place]]:
        """Yield every sample's problem and place, tasks interleaved, so that a part of a run covers all.

        Raises:
            UserError: a task fails on one of its problems.
        """
        s = self._settings
        for fold in range(s.folds):
            indices = [self._asked(task, fold) for task in self.tasks.values()]
            for row in zip_longest(*indices):
                for task, index in zip(self.tasks.values(), row, strict=True):
                    if index is None:
                        continue
                    problem = _drawn(task, s.seed, fold, index)
                    for repeat in range(s.repeats):
                        yield problem, Place(fold, index, repeat)

    def problem(self, problem_id: str) -> Problem:
        """Return the problem with this id again.

        Raises:
            UserError: the id is of no problem that this suite asks, or of other data; or the task fails on it.
        """
        problem = self._at_place_of(problem_id)
        if problem is None:
            raise UserError(f"{problem_id!r} is no problem of these tasks: {', '.join(self.tasks)}")
        if problem.id != problem_id:
            raise UserError(f"{problem_id!r} belongs to other data; here it is {problem.id!r}")
        return problem

    def count_done(self, done: Collection[str]) -> int:
        """Return how many different ones of these sample keys are of samples that this suite asks.

        Takes time by the number of keys, not by the size of the suite. Any text may be among them.

        Raises:
            UserError: a task fails on one of its problems.
        """
        repeats: Counter[str] = Counter()
        for key in set(done):
            match = _SAMPLE_KEY.fullmatch(key)
            if match and int(match[2]) < self._settings.repeats:
                repeats[match[1]] += 1
        # Sorted, so that a task's problems come together: drawing keeps what it last worked out.
        problems = ((problem_id, self._at_place_of(problem_id)) for problem_id in sorted(repeats))
        return sum(repeats[problem_id] for problem_id, problem in problems if problem and problem.id == problem_id)

    def _at_place_of(self, problem_id: str) -> Problem | None:
        """Return what this suite asks at the place that an id names, None if it asks nothing there."""
        s, match = self._settings, _PROBLEM_ID.fullmatch(problem_id)
        if match is None or match[1] not in self.tasks or match[2] != str(s.seed):
            return None
        task, fold, index = self.tasks[match[1]], int(match[3]), int(match[4])
        if fold >= s.folds or index not in self._asked(task, fold):
            return None
        return _drawn(task, s.seed, fold, index)

    def _asked(self, task: Task, fold: int) -> Indices:
        """Return the indices of a task's problems that are asked in a fold: all, or those of the split's part.

        Raises:
            UserError: the task fails on one of its problems, or the part has too few of them.
        """
        if self._settings.split is None:
            return range(_most(task, self._settings.samples))
        if (task.name, fold) not in self._indices:
            found = islice(self._in_part(task, fold), self._settings.samples)
            self._indices[task.name, fold] = dict.fromkeys(found)
        return self._indices[task.name, fold]

    def _count(self, task: Task, fold: int) -> int:
        """Return how many of a task's problems are asked in a fold."""
        counted = self._settings.split is not None and task.length() is not None
        asked = cast("Collection[int]", self._asked(task, fold)) if counted else ()
        return len(asked) if counted else _most(task, self._settings.samples)

    def _check_folds(self, task: Task) -> None:
        if self._settings.folds > 1 and task.length() is not None:
            raise UserError(
                f"suite.folds={self._settings.folds}: {task.name} has {task.length()} problems in all and no disjoint "
                "sets of them; use suite.folds=1, and suite.repeats for more samples"
            )

    def _in_part(self, task: Task, fold: int) -> Iterator[int]:
        split, last = self._settings.split, 0
        assert split is not None
        length = task.length()
        for index in count() if length is None else range(length):
            if part_of(_drawn(task, self._settings.seed, fold, index).data, split.parts) == split.part:
                last = index
                yield index
            elif length is None and index - last > _LONGEST_GAP_IN_PARTS * split.parts:
                raise UserError(f"suite.split: part {split.part} holds too few problems of {task.name}; ask for less")

    def _make(self, name: str) -> Task:
        params = with_path(_class(name), dict(self._settings.params.get(name, {})), self._settings.path)
        with _Naming(name):
            return bench.make_task(name, **params)


def _class(name: str) -> type[Task]:
    try:
        return task_class(name)
    except ValueError as error:
        raise UserError(f"suite.tasks: {error}") from error


@dataclass(frozen=True, slots=True)
class _Naming:
    """Turns whatever a task raises into one line; a user's task is a program and may raise anything, or exit.

    A class, since every problem passes through it and a generator takes several times as long.

    Raises:
        UserError: ``task NAME: Type: message``.
    """

    task: str

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if isinstance(error, Exception | SystemExit):
            raise UserError(f"task {self.task}: {type(error).__name__}: {' '.join(str(error).split())}") from error


def lasting(settings: SuiteSettings) -> SuiteSettings:
    """Return the settings as they are stored: where a user's files lie does not depend on where we are."""
    given = {"task_folder": settings.task_folder, "path": settings.path}
    absolute = {name: str(Path(path).expanduser().absolute()) for name, path in given.items() if path is not None}
    return settings.model_copy(update=absolute) if absolute else settings


def _drawn(task: Task, seed: int, fold: int, index: int) -> Problem:
    with _Naming(task.name):
        return task.problem(seed=seed, fold=fold, index=index)


def _most(task: Task, samples: int) -> int:
    """Return how many problems of a task are asked at most."""
    length = task.length()
    return samples if length is None else min(samples, length)


def _check(task: Task, seed: int) -> None:
    """Refuse a task that a stored sample could not be read with again."""
    problem = _drawn(task, seed, fold=0, index=0)
    with _Naming(task.name):
        again = bench.problem_from_data(task.name, json.loads(json.dumps(problem.data)))
    if (again.question, again.gold) != (problem.question, problem.gold):
        raise UserError(f"task {task.name}: question and gold have to follow from the data alone, not from parameters")


def _load_folder(folder: Path) -> None:
    try:
        add_folder(folder)
    except (OSError, ValueError) as error:
        raise UserError(f"suite.task_folder={str(folder)!r}: {' '.join(str(error).split())}") from error
