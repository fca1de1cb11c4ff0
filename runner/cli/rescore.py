"""Grades a study's stored texts anew and shows what changed; needs no model."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean

from rich.console import Console
from rich.table import Table
from rich.text import Text

from runner.config.settings import Scoring
from runner.errors import EXIT_FAILED, EXIT_USAGE, UserError
from runner.report.console import make_console, print_line, visible, visible_line
from runner.results.layout import RunFolder
from runner.results.load import runs_of
from runner.results.output import STANDARD_OUTPUT, writing
from runner.results.rescore import (
    Change,
    Comparison,
    Row,
    TaskChange,
    current_grader,
    current_graders,
    names_grader,
    rescore,
    stored_graders,
)
from runner.results.summary import summarise

_HEADINGS = (
    "task", "n", "accuracy before", "after", "gained", "lost", "unparsed before", "after",
)  # fmt: skip
_SIDES = ("outcome", "answer", "rule", "reason", "grader_version", "scoring")


@dataclass(frozen=True, slots=True)
class Versions:
    """Which two gradings are compared, as users name them; see :func:`runner.results.rescore.rescore`.

    Attributes:
        before: The earlier one, None for the newest stored one that is another.
        after: The later one, None for today's code.
    """

    before: str | None = None
    after: str | None = None


def rescore_study(
    study: Path, scoring: Scoring, versions: Versions, limit: int, table: str | None, console: Console
) -> int:
    """Grade every run of a study anew, or take two stored gradings, and print what changed.

    New verdicts are stored. ``summary.json`` is made again by today's default scoring only: it holds the figures of the
    last run, which another grading must not replace unasked.

    Args:
        study: A study's folder, or a run's.
        scoring: Who decides now.
        versions: What is compared.
        limit: How many changed samples are printed.
        table: CSV file for all changed samples, None for none.
        console: Where to print.

    Returns:
        0, or 1 if some samples could not be graded, or 2 if no run has any sample.

    Raises:
        UserError: there is no run, no run has verdicts of a version, or the CSV file is none that may be written.
        StorageError: it can't be written.
    """
    console = make_console(errors=True) if table == STANDARD_OUTPUT else console
    folders = [folder for folder, _ in runs_of(study)]
    _check(versions, scoring, study, folders)
    found = [comparison for folder in folders if (comparison := _rescored(folder, scoring, versions, console))]
    changes = sorted((change for run in found for change in run.changes), key=lambda change: not change.matters)
    if any(run.before for run in found):
        _list(changes, limit, console)
    if table is not None:
        _write(table, changes)
        print_line(console, f"{len(changes)} changed samples: {visible_line(table)}")
    if not found:
        return EXIT_USAGE
    return EXIT_FAILED if any(run.ungraded for run in found) else 0


def _check(versions: Versions, scoring: Scoring, study: Path, folders: Iterable[RunFolder]) -> None:
    """Raise UserError if a version is asked for that is neither stored nor today's, or both are the same."""
    if versions == Versions():
        return
    known = list(dict.fromkeys([*current_graders(), *(name for folder in folders for name in stored_graders(folder))]))
    chosen = []
    for option, given in (("--from", versions.before), ("--to", versions.after or current_grader(scoring))):
        meant = [name for name in known if given is not None and names_grader(given, name)]
        if given is not None and not meant:
            raise UserError(
                f"{option} {given}: {visible_line(study)} has no verdicts of that version; there are: "
                f"{visible_line(', '.join(known))}"
            )
        chosen += meant[:1]
    if len(chosen) > len(set(chosen)):
        raise UserError(f"both sides are {chosen[0]}; give --from and --to two of: {visible_line(', '.join(known))}")


def _rescored(folder: RunFolder, scoring: Scoring, versions: Versions, console: Console) -> Comparison | None:
    """Compare the gradings of one run and print them; None without samples."""
    name = visible_line(folder.path.name)
    if not folder.generations.is_file() or not folder.generations.stat().st_size:
        print_line(console, f"{name}: no texts are stored yet, so there is nothing to grade")
        return None
    found = rescore(folder, scoring, versions.before, versions.after)
    if found.after is None:
        print_line(console, f"{name}: no verdicts of {versions.after or 'any sample'} are stored")
        return None
    if found.after.partition(",")[0] == current_grader(Scoring.PAPER):  # a judge's name may stand behind it
        summarise(folder)
    _show(found, console)
    return found


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
        total = _total(found.tasks)
        table.add_row(*_cells(total, _macro(found.tasks)), style="bold")
        table.add_row(*_cells(replace(total, task="all samples")))
    console.print(table)
    if len(found.tasks) > 1:
        print_line(console, "all tasks: mean over the tasks, as in the run's table; all samples: share of all samples")
    if found.one_sided:
        print_line(console, f"{found.one_sided} samples have a verdict of one side only and are not in the table")


def _total(tasks: Iterable[TaskChange]) -> TaskChange:
    total = TaskChange("all tasks")
    for task in tasks:
        for name in TaskChange.__slots__[1:]:
            setattr(total, name, getattr(total, name) + getattr(task, name))
    return total


def _macro(tasks: Sequence[TaskChange]) -> tuple[float, float]:
    """Return the means over the tasks of the accuracy before and after."""
    return fmean(task.right_before / task.n for task in tasks), fmean(task.right_after / task.n for task in tasks)


def _cells(task: TaskChange, shares: tuple[float, float] | None = None) -> list[str]:
    counts = [task.gained, task.lost, task.unparsed_before, task.unparsed_after]
    before, after = shares or (task.right_before / task.n, task.right_after / task.n)
    return [task.task, str(task.n), f"{before:.3f}", f"{after:.3f}", *map(str, counts)]


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
