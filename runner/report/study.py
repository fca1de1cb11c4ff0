"""The table that a multirun ends with: a row a run, by what sets the runs apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from runner.config.settings import Scoring
from runner.report.console import print_line
from runner.report.terminal import mean, share
from runner.results.load import runs_of
from runner.results.run import Run
from runner.results.summary import compute_summary

if TYPE_CHECKING:
    from bench.metrics.figures import Figures

_FIGURES = ("n", "accuracy", "95 % interval", "truncated", "thinking", "output", "O")


def show_study(study: Path, scoring: Scoring, console: Console) -> None:
    """Print a row for each run of a study, in the order of their choices, budgets by size.

    Raises:
        UserError: there is no run.
    """
    runs = sorted(runs_of(study), key=lambda pair: _rank(pair[1]))
    choices = [_choices(run) for _, run in runs]
    apart = [name for name in choices[0] if name == "model" or len({chosen[name] for chosen in choices}) > 1]
    table = Table(title=Text(f"study {study}"), title_justify="left")
    for name in (*apart, *_FIGURES):
        table.add_column(name, justify="left" if name in apart else "right", no_wrap=True)
    for (folder, _), chosen in zip(runs, choices, strict=True):
        cells = _cells(compute_summary(folder, scoring).overall)
        table.add_row(*(Text(cell) for cell in (*(chosen[name] for name in apart), *cells)))
    console.print(table, highlight=False)
    print_line(console, "accuracy: mean over the tasks; thinking, output: mean tokens; O: Overthinking Score")


def _choices(run: Run) -> dict[str, str]:
    """Return what was chosen for a run, by the name of the group, as text."""
    settings = run.settings
    names = {group: str(settings[group]["name"]) for group in ("model", "precision", "suite", "prompt", "sampling")}
    return {
        **names,
        "engine": run.loaded.engine,
        "effort": str(settings["effort"]["level"]),
        "budget": _budget(settings["budget"]),
    }


def _budget(budget: Mapping[str, object]) -> str:
    tokens = budget["tokens"]
    kind = "" if budget.get("kind", "total") == "total" else f" {budget['kind']}"
    return "none" if tokens is None else f"{tokens}{kind}"


_EFFORTS = ("none", "minimal", "low", "default", "medium", "high")


def _rank(run: Run) -> tuple[object, ...]:
    settings = run.settings
    chosen, budget = _choices(run), settings["budget"]
    effort = _EFFORTS.index(chosen["effort"]) if chosen["effort"] in _EFFORTS else -1
    tokens = float("inf") if budget["tokens"] is None else float(budget["tokens"])
    first = tuple(chosen[name] for name in ("model", "precision", "suite", "prompt", "sampling", "engine"))
    return (*first, effort, str(budget.get("kind")), tokens)


def _cells(figures: Figures) -> Sequence[str]:
    interval = figures.accuracy_interval
    return [
        str(figures.n),
        share(figures.accuracy),
        "–" if interval is None else f"{interval.low:.3f}–{interval.high:.3f}",
        str(figures.truncated),
        mean(figures.thinking_tokens),
        mean(figures.output_tokens),
        share(figures.overthinking),
    ]
