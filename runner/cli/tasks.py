"""Shows tasks: a sample problem each, or one prompt as a model is sent it."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from bench.problem import write_gold
from runner.config.compose import near
from runner.config.settings import Settings
from runner.config.suite import Suite
from runner.errors import UserError
from runner.sampling.prompting import messages_for


def show_tasks(settings: Settings, console: Console) -> None:
    """Print the tasks of the suite, each with the first problem of fold 0."""
    table = Table(title=Text(f"Tasks of {settings.suite.name}"), title_justify="left", show_lines=True)
    for heading in ("task", "category", "first problem", "answer"):
        table.add_column(heading, overflow="fold")
    for name, task in Suite(settings.suite).tasks.items():
        problem = task.problem(seed=settings.suite.seed, fold=0, index=0)
        table.add_row(name, task.category, Text(_short(problem.question)), Text(_short(write_gold(problem.gold))))
    console.print(table)


def show_prompt(settings: Settings, name: str, console: Console) -> None:
    """Print the messages for the first problem of a task.

    Raises:
        UserError: the suite has no such task.
    """
    tasks = Suite(settings.suite).tasks
    if name not in tasks:
        raise UserError(f"--show {name}: no such task.{near(name, list(tasks))} Tasks: {', '.join(tasks)}")
    problem = tasks[name].problem(seed=settings.suite.seed, fold=0, index=0)
    for message in messages_for(settings.prompt, problem.question):
        console.rule(message.role, align="left")
        console.print(message.content, markup=False, highlight=False, soft_wrap=True)
    console.rule("gold", align="left")
    console.print(write_gold(problem.gold), markup=False, highlight=False)


def _short(text: str, limit: int = 160) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
