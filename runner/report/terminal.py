"""The table that a run ends with, on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from runner.report.console import print_line
from runner.results.layout import RunFolder
from runner.results.published import PublishedRow
from runner.results.summary import RunSummary

if TYPE_CHECKING:
    from bench.metrics.figures import Figures

_HEADINGS = (
    "task", "n", "accuracy", "95 % interval", "instr.", "truncated", "unparsed", "thinking", "answer", "output",
    "words", "chars", "O",
)  # fmt: skip


def show_summary(summary: RunSummary, folder: RunFolder, console: Console) -> None:
    """Print a row a task, the row over all tasks and what was published for the model."""
    table = Table(title=summary.run, title_justify="left")
    for heading in _HEADINGS:
        table.add_column(heading, justify="left" if heading == "task" else "right", no_wrap=True)
    for row in summary.tasks:
        table.add_row(row.task, *_cells(row.figures))
    table.add_section()
    table.add_row("all tasks", *_cells(summary.overall), style="bold")
    if summary.published is not None:
        table.add_row("published", *_published_cells(summary.published), style="dim")
    console.print(table, highlight=False)
    for line in _notes(summary):
        print_line(console, line)
    print_line(console, f"folder: {folder.path}")


def _cells(figures: Figures) -> list[str]:
    interval = figures.accuracy_interval
    return [
        str(figures.n),
        _share(figures.accuracy),
        "–" if interval is None else f"{interval.low:.3f}–{interval.high:.3f}",
        _share(figures.instruction_followed),
        str(figures.truncated),
        str(figures.unparsed),
        _mean(figures.thinking_tokens),
        _mean(figures.answer_tokens),
        _mean(figures.output_tokens),
        _mean(figures.words),
        _mean(figures.characters),
        _share(figures.overthinking),
    ]


def _published_cells(row: PublishedRow) -> list[str]:
    means = [_mean(row.output_tokens), _mean(row.words), _mean(row.characters)]
    shares = [_share(row.accuracy), "", _share(row.instruction_followed)]
    return ["", *shares, "", "", "", "", *means, _share(row.overthinking)]


def _notes(summary: RunSummary) -> list[str]:
    bounds, overall = summary.bounds, summary.overall
    notes = [
        f"O: Overthinking Score of the means, bounds {bounds.name} ({bounds.low:.0f}, {bounds.high:.0f}) tokens; "
        f"mean of the tasks' scores {_share(overall.overthinking_mean)}. thinking, answer, output: mean tokens "
        f"(counted by: {', '.join(summary.token_sources) or 'nothing'})."
    ]
    if summary.partial and overall.accuracy_bounds is not None:
        low, high = overall.accuracy_bounds
        missing = overall.errors + overall.ungraded
        notes.append(
            f"PARTIAL: {missing} samples have no verdict ({overall.errors} failed); with them all wrong the accuracy "
            f"would be {low:.3f}, all right {high:.3f}."
            + (" The same command tries the failed ones again." if overall.errors else "")
        )
    return notes


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _mean(value: float | None) -> str:
    return "–" if value is None else f"{value:.0f}" if value >= 100 else f"{value:.1f}"
