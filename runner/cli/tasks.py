"""Shows tasks: a sample problem each, or one prompt as a model is sent it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.errors import HydraException
from rich.console import Console
from rich.table import Table
from rich.text import Text

import bench
from bench.problem import write_gold
from bench.registry import own_file, task_class
from bench.task import Task
from runner.config.compose import compose, explain, near
from runner.config.settings import Settings, SuiteSettings
from runner.config.suite import Suite
from runner.config.sweep import product, read_sweep, union
from runner.errors import UserError
from runner.report.console import print_line
from runner.sampling.prompting import messages_of


def first_point(words: Sequence[str], config_dir: Path | None, console: Console) -> Settings:
    """Return the settings of what a run would be asked; of a sweep those of its first point, and say so.

    Args:
        words: As for a run: overrides, with several values too, and a study as ``sweep=NAME``.
        config_dir: A further folder of config groups.
        console: Where to print.

    Raises:
        UserError: one line for each mistake.
    """
    parser = OverridesParser.create()
    typed = [word for word in words if not word.startswith("sweep=")]
    studies = [word.removeprefix("sweep=") for word in words if word.startswith("sweep=")]
    try:
        parsed, points = parser.parse_overrides(typed), [tuple(typed)]
        if studies:
            points = [point.overrides for point in union(read_sweep(studies[-1]), typed, parser)]
        elif any(override.is_sweep_override() for override in parsed):
            points = list(product(parsed, shlex.join(typed)))
    except HydraException as error:
        raise UserError(explain(error)) from error
    if len(points) > 1:
        print_line(console, f"the first of {len(points)} points: {shlex.join(points[0])}")
    return compose(points[0], config_dir)


def show_tasks(settings: Settings, console: Console) -> None:
    """Print the tasks of the suite and of a user's own folder, each with the first problem of fold 0."""
    own = "" if settings.suite.task_folder is None else f" and of {settings.suite.task_folder}"
    table = Table(title=Text(f"Tasks of {settings.suite.name}{own}"), title_justify="left", show_lines=True)
    for heading in ("task", "category", "first problem", "answer"):
        table.add_column(heading, overflow="fold")
    for name, task in _tasks(settings.suite).items():
        problem = task.problem(seed=settings.suite.seed, fold=0, index=0)
        table.add_row(name, task.category, Text(_short(problem.question)), Text(_short(write_gold(problem.gold))))
    console.print(table)


def show_prompt(settings: Settings, name: str, console: Console) -> None:
    """Print the messages for the first problem of a task.

    Raises:
        UserError: there is no such task.
    """
    tasks = _tasks(settings.suite)
    if name not in tasks:
        raise UserError(f"--show {name}: no such task.{near(name, list(tasks))} Tasks: {', '.join(tasks)}")
    problem = tasks[name].problem(seed=settings.suite.seed, fold=0, index=0)
    for message in messages_of(settings, problem.question):
        console.rule(message.role, align="left")
        console.print(message.content, markup=False, highlight=False, soft_wrap=True)
    console.rule("gold", align="left")
    console.print(write_gold(problem.gold), markup=False, highlight=False)


def _tasks(settings: SuiteSettings) -> dict[str, Task]:
    """Return the tasks that the suite asks, and all of a user's own folder."""
    asked = Suite(settings).tasks
    if settings.task_folder is None:
        return asked
    folder = Path(settings.task_folder).expanduser().resolve()
    files = {name: own_file(task_class(name)) for name in bench.task_names()}
    own = [name for name, file in files.items() if file is not None and file.resolve().parent == folder]
    return Suite(settings.model_copy(update={"tasks": tuple(dict.fromkeys([*asked, *own]))})).tasks


def _short(text: str, limit: int = 160) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
