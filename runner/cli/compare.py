"""``python -m runner compare``: two runs on the same problems, side by side."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from runner.cli.one_run import run_at
from runner.config.settings import Scoring
from runner.errors import UserError
from runner.report.console import print_line, visible_line
from runner.report.numbers import p_value
from runner.report.optimal_lines import comparison_lines
from runner.report.study import computed_in, set_apart
from runner.results.layout import RunFolder
from runner.results.optimal import compare_benchmark
from runner.results.output import STANDARD_OUTPUT, writing
from runner.results.paired import ComparedRuns, compare_runs
from runner.results.run import Run
from runner.results.summary import counted_alike, in_listing_order

if TYPE_CHECKING:
    import pandas as pd

    from bench.metrics.pairs import PairedDifference, PairedRuns

_SHOWN = ("problem_id", "repeat", "task", "right", "gold", "answer_a", "answer_b", "output_tokens_a", "output_tokens_b")


def compare(words: Sequence[str], scoring: Scoring, limit: int, csv: str | None, console: Console) -> None:
    """Print the paired differences of two runs, and the samples that one alone got right.

    Args:
        words: Two runs' folders, or a study's and a part of each run's name.
        scoring: Whose verdicts.
        limit: Most flipped samples that are listed.
        csv: File for all of them, ``-`` for standard output.
        console: Where to print.

    Raises:
        UserError: no such runs, or they share no problem.
        StorageError: the file can't be written.
    """
    a, b = _runs(words)
    found = compare_runs(a, b, scoring)
    if csv is not None:
        with writing(csv, "--csv", newline="") as file:
            found.flips[list(_SHOWN)].to_csv(file, index=False, lineterminator="\n")
    if csv == STANDARD_OUTPUT:
        return
    apart = set_apart([(run.settings, run.loaded.engine) for _, run in (a, b)])
    for name, (folder, _), chosen in zip("AB", (a, b), apart, strict=True):
        said = ", ".join(f"{key} {value}" for key, value in chosen.items())
        print_line(console, f"{name}: {visible_line(folder.path)} ({said})")
    console.print(_table("accuracy", found.by["accuracy"], 3), highlight=False)
    console.print(_table("output tokens", found.by["output_tokens"], 1), highlight=False)
    for line in (*_notes(found), computed_in([a[1], b[1]]), *comparison_lines(compare_benchmark(a, b, scoring))):
        if line:
            print_line(console, line)
    _list(found.flips, limit, [folder.path for folder, _ in (a, b)], console)


def _runs(words: Sequence[str]) -> list[tuple[RunFolder, Run]]:
    if len(words) == 2:
        return [run_at(Path(words[0]), None, "compare", words[1:]), run_at(Path(words[1]), None, "compare")]
    if len(words) == 3:
        return [run_at(Path(words[0]), part, "compare") for part in words[1:]]
    raise UserError(
        f"compare {shlex.join(words)}: give two runs' folders, or a study's folder and a part of each run's name"
    )


def _table(title: str, found: PairedRuns, decimals: int) -> Table:
    from bench.metrics.multiple import holm

    table = Table(title=Text(f"{title}: B - A on the same problems"), title_justify="left")
    for name in ("task", "problems", "A", "B", "difference", "95 % interval", "p", "p (Holm)"):
        table.add_column(name, justify="left" if name == "task" else "right", no_wrap=True)
    by_name = {str(task.task): task for task in found.tasks}
    adjusted = dict(zip(by_name, holm([task.p for task in by_name.values()]).tolist(), strict=True))
    for name in in_listing_order(by_name):
        table.add_row(name, *_cells(by_name[name], decimals), p_value(adjusted[name]))
    if found.overall is not None:
        table.add_section()
        table.add_row("all tasks", *_cells(found.overall, decimals), "", style="bold")
    return table


def _cells(one: PairedDifference, decimals: int) -> list[str]:
    ends = one.interval
    span = "–" if ends is None else f"{ends.low:+.{decimals}f} to {ends.high:+.{decimals}f}"
    means = (f"{one.a:.{decimals}f}", f"{one.b:.{decimals}f}", f"{one.difference:+.{decimals}f}")
    return [str(one.problems), *means, span, p_value(one.p)]


def _notes(found: ComparedRuns) -> list[str]:
    lines = [
        "all tasks: mean over the tasks; intervals: paired bootstrap by problem; p: sign flips by problem; "
        "Holm: over the tasks"
    ]
    if found.only_a or found.only_b:
        lines.append(
            f"aligned: left out are {found.only_a} problems that only A answered and {found.only_b} that only B did"
        )
    one, other = found.token_sources
    if not counted_alike([*one.split(", "), *other.split(", ")]):
        lines.append(f"tokens were counted in different ways (A: {one}, B: {other}), so their difference is no measure")
    return lines


def _list(flips: pd.DataFrame, limit: int, folders: Sequence[Path], console: Console) -> None:
    counts = flips["right"].value_counts()
    print_line(console, f"samples that only A got right: {counts.get('a', 0)}, only B: {counts.get('b', 0)}")
    for row in flips.head(limit).astype(object).where(flips.notna(), None).to_dict("records"):
        answers = (f"{name} {row[f'answer_{name.lower()}'] or 'nothing read'}" for name in "AB")
        said = f"gold {row['gold']}, {', '.join(answers)}"
        print_line(console, visible_line(f"{row['problem_id']}/{row['repeat']}: {row['right'].upper()} right; {said}"))
    if len(flips) > limit:
        print_line(console, f"… and {len(flips) - limit} more; --limit N shows N, --csv FILE writes all")
    if len(flips):
        print_line(console, f"look at one: {shlex.join(['python', '-m', 'runner', 'show', str(folders[0]), 'SAMPLE'])}")
