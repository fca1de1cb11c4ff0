"""The table that a run ends with, on a terminal."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from runner.config.settings import Scoring
from runner.report.console import print_line
from runner.report.optimal_lines import optimal_lines
from runner.report.tool_lines import tool_lines
from runner.results.layout import RunFolder
from runner.results.published import PublishedRow
from runner.results.summary import RunSummary

if TYPE_CHECKING:
    from bench.metrics.figures import Figures
    from bench.metrics.intervals import Interval

_HEADINGS = (
    "task", "n", "accuracy", "95 % interval", "instr.", "truncated", "unparsed", "thinking", "answer", "output",
    "words", "chars", "O",
)  # fmt: skip
# What a terminal that is too narrow for all goes without, first to last.
_DISPENSABLE = ("chars", "words", "instr.", "answer", "thinking", "unparsed", "truncated", "95 % interval")
_ENDLESS = 10_000


def show_summary(summary: RunSummary, folder: RunFolder, console: Console) -> None:
    """Print a row a task, the row over all tasks and what was published for the model."""
    left_out = 0
    while _width(table := _table(summary, _DISPENSABLE[:left_out]), console) > console.width:
        if left_out == len(_DISPENSABLE):
            break
        left_out += 1
    console.print(table, highlight=False)
    if left_out:
        missing = ", ".join(_DISPENSABLE[:left_out])
        print_line(console, f"left out for want of width: {missing}; {folder.summary.name} has them")
    further = (*tool_lines(summary.tools), *_notes(summary), *optimal_lines(summary.optimal))
    for line in (*_reading(summary), *_repeats(summary), *further):
        print_line(console, line)
    print_line(console, f"folder: {folder.path}")


def show_line(summary: RunSummary, folder: RunFolder, console: Console, label: str) -> None:
    """Print a run in one line: for a study of many, which ends with a table of all."""
    overall = summary.overall
    counts = [f"{overall.unparsed} unparsed", f"{overall.truncated} truncated", f"{overall.errors} errors"]
    counts += [f"{overall.ungraded} ungraded"] if overall.ungraded else []
    figures = f"accuracy {share(overall.accuracy)}, {mean(overall.output_tokens)} output tokens"
    print_line(console, f"{label}: {figures}, {', '.join(counts)}: {folder.path}")


def _width(table: Table, console: Console) -> int:
    """Return how many columns the table would like to have."""
    return Measurement.get(console, console.options.update(width=_ENDLESS), table).maximum


def _table(summary: RunSummary, left_out: Collection[str]) -> Table:
    table = Table(title=Text(summary.run), title_justify="left")
    kept = [place for place, heading in enumerate(_HEADINGS) if heading not in left_out]
    for place in kept:
        table.add_column(_HEADINGS[place], justify="left" if place == 0 else "right", no_wrap=True)

    def add(name: str, cells: list[str], style: str | None = None) -> None:
        whole = [name, *cells]
        table.add_row(*(Text(whole[place]) for place in kept), style=style)

    for row in summary.tasks:
        add(row.task, _cells(row.figures))
    table.add_section()
    add("all tasks", _cells(summary.overall), style="bold")
    if summary.published is not None:
        add("published", _published_cells(summary.published), style="dim")
    return table


def _cells(figures: Figures) -> list[str]:
    return [
        str(figures.n),
        share(figures.accuracy),
        span(figures.accuracy_interval),
        share(figures.instruction_followed),
        str(figures.truncated),
        str(figures.unparsed),
        mean(figures.thinking_tokens),
        mean(figures.answer_tokens),
        mean(figures.output_tokens),
        mean(figures.words),
        mean(figures.characters),
        share(figures.overthinking),
    ]


def _published_cells(row: PublishedRow) -> list[str]:
    means = [mean(row.output_tokens), mean(row.words), mean(row.characters)]
    shares = [share(row.accuracy), "", share(row.instruction_followed)]
    return ["", *shares, "", "", "", "", *means, share(row.overthinking)]


def _reading(summary: RunSummary) -> list[str]:
    """Return which rule found how many answers, how many of them right, and why in others nothing was read."""
    rules = [f"{row.rule} {row.found} ({row.correct} right)" for row in summary.rules]
    reasons = [f"{reason} {count}" for reason, count in summary.unparsed.items()]
    by = "" if summary.scoring == Scoring.PAPER else f", scoring {summary.scoring}"
    lines = [f"answers found by rule{by}: {', '.join(rules) or 'none'}"]
    return [*lines, f"unparsed by reason: {', '.join(reasons)}"] if reasons else lines


def _repeats(summary: RunSummary) -> list[str]:
    """Return what several samples a problem say, with intervals that draw problems."""
    found = summary.repeats
    if found is None:
        return []
    least, most = found.n
    n = str(least) if least == most else f"{least}–{most}"
    figures = {f"avg@{n}": found.average, f"majority@{n}": found.majority}
    figures |= {f"pass@{k}": one for k, one in found.pass_at.items()}
    shown = (f"{name} {share(one.value)} ({span(one.interval)})" for name, one in figures.items())
    return [f"{n} samples a problem: {', '.join(shown)}"]


def _notes(summary: RunSummary) -> list[str]:
    bounds, overall = summary.bounds, summary.overall
    sources = ", ".join(summary.token_sources) or "nothing"
    notes = [
        f"all tasks: mean over the tasks; thinking, answer, output: mean tokens (counted by: {sources})",
        f"O: Overthinking Score of the means, bounds {bounds.name} ({bounds.low:.0f}, {bounds.high:.0f}) tokens; "
        f"mean of the tasks' scores {share(overall.overthinking_mean)}",
    ]
    if overall.accuracy is not None and overall.accuracy_interval is None:
        notes.append("–: no interval over all tasks, since a task has a single problem so far")
    if summary.partial and overall.accuracy_bounds is not None:
        low, high = overall.accuracy_bounds
        missing = overall.errors + overall.ungraded
        notes.append(
            f"PARTIAL: {missing} samples have no verdict ({overall.errors} failed); with them all wrong the accuracy "
            f"would be {low:.3f}, all right {high:.3f}."
            + (" The same command tries the failed ones again." if overall.errors else "")
        )
    return notes


def share(value: float | None) -> str:
    """Return a share with three decimals, a dash for none."""
    return "–" if value is None else f"{value:.3f}"


def span(interval: Interval | None) -> str:
    """Return an interval of shares, a dash for none."""
    return "–" if interval is None else f"{interval.low:.3f}–{interval.high:.3f}"


def mean(value: float | None) -> str:
    """Return a mean count with three digits at least, a dash for none."""
    return "–" if value is None else f"{value:.0f}" if value >= 100 else f"{value:.1f}"
