"""Finds tasks by name: those of this package and those in a user's own folder, without any list of them."""

from __future__ import annotations

import difflib
import hashlib
import importlib
import importlib.util
import inspect
import pkgutil
import re
import sys
from collections.abc import Iterable
from dataclasses import fields
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from bench.problem import AnswerKind, Problem
from bench.task import Task

# Every module of these packages is imported and every finished Task subclass in it becomes a task.
TASK_PACKAGES = ("arithmetic", "algorithmic", "puzzles", "stored")

# What each class attribute of a task has to be.
_ATTRIBUTES = {
    "name": str,
    "category": str,
    "suite": str,
    "answer_kind": AnswerKind,
    "order": int,
    "data_version": int,
    "wording_version": int,
}

_NAME = re.compile(r"[a-z][a-z0-9_]*")


class Registry:
    """Task classes by name, in listing order."""

    def __init__(self) -> None:
        self._classes: dict[str, type[Task]] = {}
        self._files: set[Path] = set()
        for package in TASK_PACKAGES:
            self._add(_classes_of(_package_modules(package)))

    def task_names(self, suite: str | None = None) -> list[str]:
        """Return the names of all tasks, or of those of one suite, in a stable order.

        Raises:
            ValueError: no task belongs to the suite.
        """
        if suite is None:
            return list(self._classes)
        names = [name for name, task in self._classes.items() if task.suite == suite]
        if not names:
            raise ValueError(_unknown("suite", suite, {task.suite for task in self._classes.values()}))
        return names

    def task_class(self, name: str) -> type[Task]:
        """Return the class of a task, whose attributes can be read even where its parameters make trouble.

        Raises:
            ValueError: there is no such task.
        """
        if name not in self._classes:
            raise ValueError(_unknown("task", name, self._classes))
        return self._classes[name]

    def make_task(self, name: str, **params: Any) -> Task:
        """Return the task with these parameters, the others at their defaults.

        Raises:
            ValueError: there is no such task or parameter, or a value is not allowed.
        """
        task = self.task_class(name)
        allowed = [field.name for field in fields(task)]
        for param in params:
            if param not in allowed:
                raise ValueError(f"{name}: unknown parameter {param!r}; allowed: {', '.join(allowed) or 'none'}")
        return task(**params)

    def add_folder(self, path: str | Path) -> list[str]:
        """Add the tasks of a user's folder of ``.py`` files and return their names.

        Each file stands alone (it can't import its neighbours). Files that were added before are passed over.
        Either all of the folder's new tasks are added or, with an error, none.

        Raises:
            ValueError: the folder does not exist or holds no task, a file can't be imported, or a name is
                taken; the message names the file and the cause.
        """
        folder = Path(path).expanduser().resolve()
        if not folder.is_dir():
            raise ValueError(f"task folder {folder} does not exist")
        files = sorted(folder.glob("*.py"))
        new = [file for file in files if file not in self._files]
        added = _classes_of(_import_file(file) for file in new)
        if not added and not self._files.intersection(files):
            raise ValueError(f"task folder {folder} holds no .py file that defines a Task")
        self._add(added)
        self._files.update(new)
        return [task.name for task in added]

    def _add(self, classes: list[type[Task]]) -> None:
        merged = dict(self._classes)
        for task in classes:
            if task.name in merged:
                raise ValueError(f"{_file(task)}: task name {task.name!r} is taken by {_file(merged[task.name])}")
            merged[task.name] = task
        self._classes = merged


def _package_modules(package: str) -> list[ModuleType]:
    name = f"bench.{package}"
    folders = importlib.import_module(name).__path__
    return [importlib.import_module(f"{name}.{found.name}") for found in pkgutil.iter_modules(folders)]


def _import_file(file: Path) -> ModuleType:
    """Import one file under a name of its own.

    Raises:
        ValueError: the file can't be read, or fails or exits while it runs.
    """
    digest = hashlib.sha256(str(file).encode("utf-8", "surrogateescape")).hexdigest()[:8]
    name = f"bench_folder_{digest}_{file.stem}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise ValueError(f"{file}: not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up here
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        sys.modules.pop(name, None)
        raise ValueError(f"{file}: {type(error).__name__}: {error}") from error
    return module


def _classes_of(modules: Iterable[ModuleType]) -> list[type[Task]]:
    """Return the task classes that these modules define, in listing order.

    Raises:
        ValueError: one lacks a class attribute, has one of the wrong type or a name that users could not type.
    """
    found = []
    for module in modules:
        for value in vars(module).values():
            if _is_task(value, module):
                _check(value)
                found.append(value)
    return sorted(found, key=lambda task: (task.order, task.name))


def _is_task(value: Any, module: ModuleType) -> bool:
    """Tell whether ``value`` is a Task class of ``module`` itself and no mere base of others.

    A class with a name is meant as a task even where it lacks a method, so that :func:`_check` can say so.
    """
    return (
        inspect.isclass(value)
        and issubclass(value, Task)
        and value.__module__ == module.__name__
        and (not inspect.isabstract(value) or hasattr(value, "name"))
    )


def _check(task: type[Task]) -> None:
    missing = [name for name in ("name", "category", "answer_kind") if not hasattr(task, name)]
    missing += sorted(task.__abstractmethods__)
    if missing:
        raise ValueError(f"{_file(task)}: task class {task.__name__} lacks {', '.join(missing)}")
    for name, kind in _ATTRIBUTES.items():
        value = getattr(task, name)
        if not isinstance(value, kind) or isinstance(value, bool):
            raise ValueError(f"{_file(task)}: {task.__name__}.{name} has to be of type {kind.__name__}, not {value!r}")
    if not _NAME.fullmatch(task.name):
        raise ValueError(f"{_file(task)}: task name {task.name!r} has to be lower case letters, digits and underscores")


def _file(task: type[Task]) -> str:
    return inspect.getfile(task)


def _unknown(kind: str, given: str, known: Iterable[str]) -> str:
    """Return the message about a name that does not exist, near ones first."""
    names = sorted(known)
    near = difflib.get_close_matches(str(given), names, n=3, cutoff=0.5)
    hint = f" Did you mean {' or '.join(near)}?" if near else ""
    return f"unknown {kind} {given!r}.{hint} Allowed: {', '.join(names)}"


@cache
def _shared() -> Registry:
    """Return the one registry of this process, filled on first use so that importing bench stays cheap."""
    return Registry()


def task_names(suite: str | None = None) -> list[str]:
    """Return the names of all tasks, or of those of one suite; see :meth:`Registry.task_names`."""
    return _shared().task_names(suite)


def make_task(name: str, **params: Any) -> Task:
    """Return a task, e.g. ``make_task("sum", sizes=(8,))``; see :meth:`Registry.make_task`."""
    return _shared().make_task(name, **params)


def task_class(name: str) -> type[Task]:
    """Return the class of a task; see :meth:`Registry.task_class`."""
    return _shared().task_class(name)


def add_folder(path: str | Path) -> list[str]:
    """Add a user's own tasks; see :meth:`Registry.add_folder`."""
    return _shared().add_folder(path)


def problem_from_data(task: str, data: Any) -> Problem:
    """Return the problem that ``task`` poses about ``data``, e.g. ``("subtraction", [a, b])`` for b - a.

    Raises:
        ValueError: there is no such task, or it has no answer for this data.
    """
    return _with_defaults(task).from_data(data)


@cache
def _with_defaults(name: str) -> Task:
    """Return the task as it reads data; kept, since every graded sample asks for it."""
    return make_task(name)


def own_file(task: type[Task]) -> Path | None:
    """Return the file that a user's own task was read from, None for a task of this package."""
    return None if task.__module__.startswith("bench.") else Path(inspect.getfile(task))
