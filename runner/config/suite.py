"""The problems of a suite: which ones, in which order, and each again by its id."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import bench
from bench.problem import Problem
from bench.registry import add_folder
from bench.task import Task
from runner.config.settings import SuiteSettings
from runner.errors import UserError


@dataclass(frozen=True, slots=True)
class Place:
    """Where a problem stands in the suite."""

    fold: int
    index: int
    repeat: int


class Suite:
    """The tasks of a suite with their parameters.

    Attributes:
        known: Every task that the suite has parameters for.
        tasks: The tasks that are asked.

    Raises:
        UserError: an unknown task, a parameter out of range, or a task file that can't be read.
    """

    def __init__(self, settings: SuiteSettings) -> None:
        self._settings = settings
        if settings.task_folder is not None:
            _load_folder(Path(settings.task_folder))
        chosen = tuple(settings.params) if settings.tasks is None else settings.tasks
        self.known: dict[str, Task] = {name: self._make(name) for name in settings.params}
        self.tasks: dict[str, Task] = {name: self.known.get(name) or self._make(name) for name in chosen}
        if not self.tasks:
            raise UserError("suite.tasks is empty; give task names or null for all")
        for task in self.tasks.values():
            _check(task, settings.seed)

    @property
    def size(self) -> int:
        """Number of samples: tasks × folds × samples × repeats."""
        s = self._settings
        return len(self.tasks) * s.folds * s.samples * s.repeats

    def places(self) -> Iterator[tuple[Problem, Place]]:
        """Yield every sample's problem and place, tasks interleaved, so that a part of a run covers all."""
        s = self._settings
        for fold in range(s.folds):
            for index in range(s.samples):
                for task in self.tasks.values():
                    problem = task.problem(seed=s.seed, fold=fold, index=index)
                    for repeat in range(s.repeats):
                        yield problem, Place(fold, index, repeat)

    def problem(self, problem_id: str) -> Problem:
        """Return the problem with this id again.

        Raises:
            UserError: the id is of no task of this suite, or of other data.
        """
        try:
            name, seed, fold, index, _ = problem_id.split(":")
            problem = self.tasks[name].problem(seed=int(seed), fold=int(fold), index=int(index))
        except (ValueError, KeyError):
            raise UserError(f"{problem_id!r} is no problem of these tasks: {', '.join(self.tasks)}") from None
        if problem.id != problem_id:
            raise UserError(f"{problem_id!r} belongs to other data; here it is {problem.id!r}")
        return problem

    def _make(self, name: str) -> Task:
        try:
            return bench.make_task(name, **self._settings.params.get(name, {}))
        except ValueError as error:
            raise UserError(f"suite.tasks: {error}") from error


def _check(task: Task, seed: int) -> None:
    """Refuse a task that a stored sample could not be read with again."""
    try:
        problem = task.problem(seed=seed, fold=0, index=0)
        again = bench.problem_from_data(task.name, json.loads(json.dumps(problem.data)))
    except Exception as error:  # a user's task is a program: it may raise anything
        raise UserError(f"task {task.name} fails on its first problem: {type(error).__name__}: {error}") from error
    if (again.question, again.gold) != (problem.question, problem.gold):
        raise UserError(f"task {task.name}: question and gold have to follow from the data alone, not from parameters")


def _load_folder(folder: Path) -> None:
    try:
        add_folder(folder)
    except (OSError, ValueError) as error:
        raise UserError(f"suite.task_folder={str(folder)!r}: {error}") from error
