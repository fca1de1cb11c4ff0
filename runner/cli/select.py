"""``python -m runner select RUN RUN lambda=0.1``: tasks that a small thinking model does better than a large one."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from rich.console import Console
from rich.table import Table

from bench.metrics.pairs import PairedDifference
from runner.cli.one_run import run_at
from runner.config.settings import Scoring
from runner.errors import UserError
from runner.report.console import make_console, print_line, visible_line
from runner.report.numbers import signed
from runner.report.terminal import share
from runner.results.output import STANDARD_OUTPUT, writing
from runner.results.paired import compare_runs

# selected: even the lower end of the interval is above lambda. above: the difference is, its interval is not.
Decision = Literal["selected", "above", "no"]

_DEFAULT = 0.1  # source: OptimalThinkingBench
_COLUMNS = ("task", "problems", "thinking", "direct", "difference", "low", "high", "decision")


@dataclass(frozen=True, slots=True)
class Selection:
    """A task with what decides about it.

    Attributes:
        task: Its name.
        found: Direct run (A) and thinking run (B) on the problems that both answered.
        decision: See :data:`Decision`.
    """

    task: str
    found: PairedDifference
    decision: Decision


def select(words: Sequence[str], table: str | None, scoring: Scoring, console: Console) -> None:
    """Print the tasks with their decisions.

    Args:
        words: The thinking run, the direct one, and ``lambda=``.
        table: CSV file for the table, None for none.
        scoring: Whose verdicts.
        console: Where to print.

    Raises:
        UserError: two runs are not given, they share no answered problem, or lambda is none in [0, 1).
    """
    limit, paths = _limit(words)
    if len(paths) != 2:
        raise UserError(f"select: {len(paths)} runs are given; give two: the thinking one, then the direct one")
    console = make_console(errors=True) if table == STANDARD_OUTPUT else console
    thinking, direct = (run_at(Path(path), None, "select") for path in paths)
    found = compare_runs(direct, thinking, scoring)
    rows = selections(found.by["accuracy"].tasks, limit)
    _show(rows, limit, console)
    if table is not None:
        _write(table, rows)


def selections(tasks: Iterable[PairedDifference], limit: float) -> list[Selection]:
    """Return a decision for each task, the largest difference first.

    Source: OptimalThinkingBench, accuracy(small thinking) - accuracy(large non-thinking) > lambda. On 50 questions the
    difference has a standard error of up to 0.1, so the lower end of its interval has to be above lambda, too.
    """
    rows = [Selection(str(one.task), one, _decided(one, limit)) for one in tasks]
    return sorted(rows, key=lambda row: (-row.found.difference, row.task))


def _decided(one: PairedDifference, limit: float) -> Decision:
    if one.difference <= limit:
        return "no"
    return "selected" if one.interval is not None and one.interval.low > limit else "above"


def _limit(words: Sequence[str]) -> tuple[float, list[str]]:
    given = [word.removeprefix("lambda=") for word in words if word.startswith("lambda=")]
    paths = [word for word in words if not word.startswith("lambda=")]
    try:
        limit = float(given[-1]) if given else _DEFAULT
    except ValueError:
        limit = -1.0
    if not 0 <= limit < 1:
        raise UserError(f"lambda={given[-1]}: give a difference of accuracies from 0 to below 1, e.g. lambda=0.1")
    return limit, paths


def _show(rows: Sequence[Selection], limit: float, console: Console) -> None:
    table = Table(title=f"accuracy(thinking) - accuracy(direct), lambda = {limit:g}", title_justify="left")
    for name in ("task", "problems", "thinking", "direct", "difference", "95 % interval", ""):
        table.add_column(name, justify="left" if name in ("task", "") else "right")
    for row in rows:
        one = row.found
        span = "–" if one.interval is None else f"{signed(one.interval.low)} to {signed(one.interval.high)}"
        decision = {"selected": "selected", "above": "above lambda, interval is not", "no": ""}[row.decision]
        table.add_row(row.task, str(one.problems), share(one.b), share(one.a), signed(one.difference), span, decision)
    console.print(table)
    chosen = [row.task for row in rows if row.decision == "selected"]
    print_line(console, f"selected {len(chosen)} of {len(rows)}: {visible_line(', '.join(chosen)) or 'none'}")


def _write(target: str, rows: Iterable[Selection]) -> None:
    with writing(target, "--csv", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(_COLUMNS)
        for row in rows:
            one, ends = row.found, row.found.interval
            low, high = (None, None) if ends is None else (ends.low, ends.high)
            writer.writerow([row.task, one.problems, one.b, one.a, one.difference, low, high, row.decision])
