"""The table that a multirun ends with: a row a run, by what sets the runs apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from rich.console import Console
from rich.table import Table
from rich.text import Text

from runner.config.model import EffortLevel
from runner.config.settings import Scoring
from runner.errors import StorageError, UserError
from runner.report.console import print_line
from runner.report.terminal import mean, share, span
from runner.results.layout import RunFolder, find_runs
from runner.results.load import runs_of
from runner.results.run import Run
from runner.results.summary import compute_summary

if TYPE_CHECKING:
    from bench.metrics.figures import Figures

_FIGURES = ("n", "accuracy", "95 % interval", "truncated", "thinking", "output", "O")


@dataclass(frozen=True, slots=True)
class Row:
    """One point of a study as it was asked, finished or not.

    Attributes:
        folder: Where its run lies, if it ever began.
        settings: What is asked, as ``run.json`` holds it.
        engine: Name of the engine.
        state: ``done``, or how far it is.
    """

    folder: RunFolder
    settings: Mapping[str, Any]
    engine: str
    state: str


def show_study(study: Path, scoring: Scoring, console: Console, asked: Sequence[Row]) -> None:
    """Print a row for each run of a study and each point asked, in the order of their choices, budgets by size.

    Points that are not done have a row that says so.
    """
    runs = list(runs_of(study)) if find_runs(study) else []
    found = [(folder, run.settings, run.loaded.engine) for folder, run in runs]
    begun = {folder.path for folder, _, _ in found}
    rows = found + [(row.folder, row.settings, row.engine) for row in asked if row.folder.path not in begun]
    rows.sort(key=lambda row: rank(row[1], row[2]))
    choices = set_apart([(settings, engine) for _, settings, engine in rows])
    apart = list(choices[0])
    states = {row.folder.path: row.state for row in asked}
    unfinished = any(state != "done" for state in states.values())
    table = Table(title=Text(f"study {study}"), title_justify="left")
    for name in (*apart, *(["state"] if unfinished else []), *_FIGURES):
        table.add_column(name, justify="left" if name in (*apart, "state") else "right", no_wrap=True)
    for (folder, _, _), chosen in zip(rows, choices, strict=True):
        state = [states.get(folder.path, "")] if unfinished else []
        figures = _overall(folder, scoring) if folder.path in begun else None
        cells = ["–"] * len(_FIGURES) if figures is None else _cells(figures)
        table.add_row(*(Text(cell) for cell in (*chosen.values(), *state, *cells)))
    console.print(table, highlight=False)
    print_line(console, "accuracy: mean over the tasks; thinking, output: mean tokens; O: Overthinking Score")
    if note := computed_in([run for _, run in runs]):
        print_line(console, note)


def computed_in(runs: Sequence[Run]) -> str | None:
    """Say in which number formats runs computed where these differ: that alone may change texts."""
    by_format: dict[str, set[str]] = {}
    for run in (run for run in runs if run.loaded.compute_dtype != "none"):  # a scripted engine computes nothing
        by_format.setdefault(run.loaded.compute_dtype, set()).add(str(run.settings["precision"]["name"]))
    if len(by_format) < 2:
        return None
    each = (f"{name} (precision {', '.join(sorted(by_format[name]))})" for name in sorted(by_format))
    return f"these runs do not compute alike, which may change texts by itself: {'; '.join(each)}"


def set_apart(runs: Sequence[tuple[Mapping[str, Any], str]]) -> list[dict[str, str]]:
    """Return for each of some runs what sets it apart from the others: model and every group in which they differ.

    Args:
        runs: Settings, as ``run.json`` holds them, and the engine's name.
    """
    choices = [_choices(settings, engine) for settings, engine in runs]
    names = [name for name in choices[0] if name == "model" or len({chosen[name] for chosen in choices}) > 1]
    return [{name: chosen[name] for name in names} for chosen in choices]


def _overall(folder: RunFolder, scoring: Scoring) -> Figures | None:
    """Return a run's figures, None if its files can't be read: its row costs the others nothing."""
    try:
        return compute_summary(folder, scoring).overall
    except (UserError, StorageError):
        return None


def _choices(settings: Mapping[str, Any], engine: str) -> dict[str, str]:
    """Return what was chosen for a run, by the name of the group, as text."""
    names = {group: str(settings[group]["name"]) for group in ("model", "precision", "suite", "prompt", "sampling")}
    return {
        **names,
        "engine": engine,
        "effort": str(settings["effort"]["level"]),
        "budget": _budget(settings["budget"]),
    }


def _budget(budget: Mapping[str, object]) -> str:
    tokens = budget["tokens"]
    kind = "" if budget.get("kind", "total") == "total" else f" {budget['kind']}"
    return "none" if tokens is None else f"{tokens}{kind}"


_EFFORTS = get_args(EffortLevel)


def rank(settings: Mapping[str, Any], engine: str) -> tuple[object, ...]:
    """Return what runs are ordered by: their choices, efforts from least to most, budgets by size."""
    chosen, budget = _choices(settings, engine), settings["budget"]
    effort = _EFFORTS.index(chosen["effort"]) if chosen["effort"] in _EFFORTS else -1
    tokens = float("inf") if budget["tokens"] is None else float(budget["tokens"])
    first = tuple(chosen[name] for name in ("model", "precision", "suite", "prompt", "sampling", "engine"))
    return (*first, effort, str(budget.get("kind")), tokens)


def _cells(figures: Figures) -> Sequence[str]:
    return [
        str(figures.n),
        share(figures.accuracy),
        span(figures.accuracy_interval),
        str(figures.truncated),
        mean(figures.thinking_tokens),
        mean(figures.output_tokens),
        share(figures.overthinking),
    ]
