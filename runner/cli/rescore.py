"""Grades a study's stored texts anew and shows what changed; needs no model."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from runner.config.settings import Scoring
from runner.errors import EXIT_FAILED
from runner.report.console import make_console, print_line, visible
from runner.results.load import runs_of
from runner.results.output import STANDARD_OUTPUT, writing
from runner.results.rescore import Change, Comparison, Row, TaskChange, rescore
from runner.results.summary import summarise

_HEADINGS = (
    "task", "n", "accuracy before", "after", "gained", "lost", "unparsed before", "after",
)  # fmt: skip
_SIDES = ("outcome", "answer", "rule", "reason", "grader_version", "scoring")


def rescore_study(study: Path, scoring: Scoring, limit: int, table: str | None, console: Console) -> int:
    """Grade every run of a study anew and print what changed.

    The verdicts are stored. ``summary.json`` is made again with the default scoring only: it holds the figures of the
    last run, which another scoring must not replace unasked.

    Args:
        study: A study's folder, or a run's.
        scoring: Who decides now.
        limit: How many changed samples are printed.
        table: CSV file for all changed samples, None for none.
        console: Where to print.

    Returns:
        0, or 1 if some samples could not be graded.

    Raises:
        UserError: there is no run, or the CSV file is none that may be written.
        StorageError: it can't be written.
    """
    console = make_console(errors=True) if table == STANDARD_OUTPUT else console
    found: list[Comparison] = []
    for folder, _ in runs_of(study):
        found.append(rescore(folder, scoring))
        if scoring is Scoring.PAPER:
            summarise(folder)
        _show(found[-1], console)
    changes = sorted((change for run in found for change in run.changes), key=lambda change: not change.matters)
    if any(run.before for run in found):
        _list(changes, limit, console)
    if table is not None:
        _write(table, changes)
        print_line(console, visible(f"{len(changes)} changed samples: {table}"))
    return EXIT_FAILED if any(run.ungraded for run in found) else 0


def _show(found: Comparison, console: Console) -> None:
    if found.ungraded:
        print_line(console, f"{found.run}: {found.ungraded} samples could not be graded")
    if found.before is None:
        print_line(console, f"{found.run}: graded by {found.after}; nothing is stored from another grading to compare")
        return
    table = Table(title=Text(f"{found.run}: {found.before} → {found.after}"), title_justify="left")
    for place, heading in enumerate(_HEADINGS):
        table.add_column(heading, justify="right" if place else "left")
    for task in found.tasks:
        table.add_row(*_cells(task))
    if len(found.tasks) > 1:
        table.add_section()
        table.add_row(*_cells(_total(found.tasks)), style="bold")
    console.print(table)
    if found.only_now:
        print_line(console, f"{found.only_now} samples had no verdict before and are not in the table")


def _total(tasks: Iterable[TaskChange]) -> TaskChange:
    total = TaskChange("all samples")
    for task in tasks:
        for name in TaskChange.__slots__[1:]:
            setattr(total, name, getattr(total, name) + getattr(task, name))
    return total


def _cells(task: TaskChange) -> list[str]:
    counts = [task.gained, task.lost, task.unparsed_before, task.unparsed_after]
    shares = [f"{task.right_before / task.n:.3f}", f"{task.right_after / task.n:.3f}"]
    return [task.task, str(task.n), *shares, *map(str, counts)]


def _list(changes: list[Change], limit: int, console: Console) -> None:
    """Print the changed samples, those with another outcome first."""
    matter = sum(change.matters for change in changes)
    print_line(
        console, f"{matter} samples with another outcome, {len(changes) - matter} with the same and another answer"
    )
    for change in changes[:limit]:
        key = f"{change.run} {change.after['problem_id']}/{change.after['repeat']}"
        line = f"{key}: {_said(change.before)} → {_said(change.after)}; gold {change.after['gold']}"
        print_line(console, visible(line))
    if len(changes) > limit:
        print_line(console, f"… and {len(changes) - limit} more; --limit N shows N, --csv FILE writes all")


def _said(row: Row) -> str:
    found = f"{row['answer']} by {row['rule']}" if row["rule"] else f"{row['reason'] or 'nothing read'}"
    return f"{row['outcome']} ({found})"


def _write(target: str, changes: Iterable[Change]) -> None:
    sides = [f"{name}_{side}" for side in ("before", "after") for name in _SIDES]
    with writing(target, "--csv", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["run", "problem_id", "repeat", "task", "gold", *sides])
        writer.writerows(map(list, map(_row, changes)))


def _row(change: Change) -> Iterator[object]:
    yield change.run
    for name in ("problem_id", "repeat", "task", "gold"):
        yield change.after[name]
    for row in (change.before, change.after):
        for name in _SIDES:
            yield row[name]
