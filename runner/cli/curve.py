"""``python -m runner curve``: accuracy against the token budget of a finished run, without a model."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.table import Table

from runner.cli.one_run import run_at
from runner.config.compose import read_stored
from runner.config.settings import Scoring, Settings
from runner.engines.factory import make_writer
from runner.errors import UserError
from runner.report.console import print_line
from runner.report.terminal import mean, share, span
from runner.results.curve import Answered, CurvePoint, curve
from runner.results.grading import make_tasks_known, problem_of
from runner.results.layout import RunFolder
from runner.results.output import STANDARD_OUTPUT, writing
from runner.results.record import Record, RecordStatus
from runner.results.store import read, scan
from runner.sampling.prompting import messages_of, stop_strings
from runner.sampling.request import Request, SamplingParams

_COLUMNS = ("cap", "n", "accuracy", "accuracy_low", "accuracy_high", "truncated", "thinking_tokens", "output_tokens")
_LEAST_CAP = 16


def show_curve(
    path: Path, part: str | None, caps: str | None, file: str | None, scoring: Scoring, console: Console
) -> None:
    """Print accuracy and tokens of a run under every cap, means over its tasks.

    Args:
        path: The run's folder, or a study's.
        part: A part of the run's name; None where the study holds one run alone.
        caps: Output tokens with commas between; by default the powers of two up to the longest text.
        file: CSV file for the same, ``-`` for standard output, with full precision.
        scoring: Who decides.
        console: Where to print.

    Raises:
        UserError: no such run, caps that are none, or a run whose texts can't be cut.
        StorageError: the file can't be written.
    """
    folder, run = run_at(path, part, "curve", _typed(caps, file, scoring))
    settings = read_stored(Settings, run.settings, folder.run_json)
    if settings.budget.kind in ("hint", "native") and settings.budget.tokens is not None:
        raise UserError(
            f"{folder.path} was made with budget={settings.budget.kind}, so its texts under smaller budgets are not "
            "their beginnings; a curve needs a run with budget=total"
        )
    if settings.tools.names:
        raise UserError(
            f"{folder.path} was made with tools, whose calls a smaller budget would have cut in another place; sweep "
            "budget.tokens instead"
        )
    family = make_tasks_known(run)
    wanted = _powers(folder) if caps is None else _read_caps(caps)
    writer = make_writer(settings, run.loaded)
    points = curve(_samples(folder, settings), writer, wanted, family, scoring)
    if file is not None:
        _write(file, points)
    if file != STANDARD_OUTPUT:
        console.print(_table(folder, points), highlight=False)
        print_line(console, "means over the tasks; texts cut at each cap, nothing was generated")


def _typed(caps: str | None, file: str | None, scoring: Scoring) -> list[str]:
    """Return the options as they were typed."""
    options = {"--caps": caps, "--csv": file, "--scoring": None if scoring is Scoring.PAPER else scoring.value}
    return [word for name, value in options.items() if value is not None for word in (name, value)]


def _samples(folder: RunFolder, settings: Settings) -> Iterator[Answered]:
    for record in read(folder, with_ids=True):
        yield Answered(record, _request(record, settings))


def _request(record: Record, settings: Settings) -> Request:
    """Return the request that a stored sample answered."""
    problem = problem_of(record)
    if problem is None:
        raise UserError(f"{record.key}: its stored data can't be read as a problem of {record.task}")
    return Request(
        key=f"{record.key}#0",
        messages=messages_of(settings, problem.question),
        sampling=SamplingParams(),  # nothing is drawn
        seed=0,
        max_tokens=None,
        stop=stop_strings(settings.model),
        template_options=settings.model.effort_options(settings.effort.level),
    )


def _powers(folder: RunFolder) -> list[int]:
    """Return the powers of two below the longest text, and its length, as far as no text was cut before."""
    lengths, open_lengths = [_LEAST_CAP], []
    for record in read(folder, scanned=scan(folder)):
        if record.status is not RecordStatus.ERROR:
            lengths.append(record.usage.output)
        if record.status is RecordStatus.TRUNCATED:
            open_lengths.append(record.usage.output)
    longest = min(open_lengths, default=max(lengths))
    below = [1 << power for power in range(_LEAST_CAP.bit_length() - 1, longest.bit_length()) if 1 << power < longest]
    return [*below, longest]


def _read_caps(typed: str) -> list[int]:
    try:
        caps = sorted({int(cap) for cap in typed.split(",")})
    except ValueError:
        caps = []
    if not caps or caps[0] < 1:
        raise UserError(f"--caps {typed}: give output tokens, 1 or more, with commas between, e.g. --caps 64,128,256")
    return caps


def _cells(point: CurvePoint) -> list[float | int | None]:
    figures = point.figures
    interval = figures.accuracy_interval
    ends = (None, None) if interval is None else (interval.low, interval.high)
    tokens = (figures.thinking_tokens, figures.output_tokens)
    return [point.cap, figures.n, figures.accuracy, *ends, figures.truncated, *tokens]


def _table(folder: RunFolder, points: list[CurvePoint]) -> Table:
    table = Table(title=folder.path.name, title_justify="left")
    for heading in ("cap", "n", "accuracy", "95 % interval", "truncated", "thinking", "output"):
        table.add_column(heading, justify="right", no_wrap=True)
    for point in points:
        figures = point.figures
        ends = span(figures.accuracy_interval)
        tokens = mean(figures.thinking_tokens), mean(figures.output_tokens)
        table.add_row(str(point.cap), str(figures.n), share(figures.accuracy), ends, str(figures.truncated), *tokens)
    return table


def _write(target: str, points: list[CurvePoint]) -> None:
    with writing(target, "--csv", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(_COLUMNS)
        writer.writerows(["" if cell is None else cell for cell in _cells(point)] for point in points)
