"""What several samples of each problem say, as a table of a study: avg@n, majority@n and pass@k."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from runner.config.settings import Scoring
from runner.report.numbers import NOTHING
from runner.report.tables import TextTable
from runner.report.terminal import share, span
from runner.results.layout import RunFolder
from runner.results.verdict_table import read_verdicts

if TYPE_CHECKING:
    from bench.metrics.repeats import Estimate, Repeats
    from runner.report.frames import StudyFrames

_NOTE = (
    "avg: mean accuracy of a problem's samples; majority: whether the answer that most of them give is right; pass@k: "
    "whether one of k is right. Means over the tasks, intervals by bootstrap over problems."
)


def repeat_tables(frames: StudyFrames) -> tuple[TextTable, ...]:
    """Return the table of the runs with several answers to a problem; none where no run has any.

    Raises:
        UserError: a run can't be read.
        StorageError: missing verdicts can't be written.
    """
    from bench.metrics.repeats import COLUMNS, repeats

    several = set(frames.samples.loc[frames.samples["repeat"] > 0, "run"])
    found = {}
    for row in frames.points.to_dict("records"):
        if row["run"] in several:
            verdicts = read_verdicts(RunFolder(Path(row["path"])), Scoring(row["scoring"]), columns=list(COLUMNS))
            found[row["label"]] = repeats(verdicts.to_pandas())
    known = {label: one for label, one in found.items() if one is not None}
    if not known:
        return ()
    ks = sorted({k for one in known.values() for k in one.pass_at})
    columns = ("run", "samples a problem", "avg", "majority", *(f"pass@{k}" for k in ks))
    rows = tuple((label, *_row(one, ks)) for label, one in known.items())
    return (TextTable("repeats", "Several samples a problem", columns, rows, _NOTE),)


def _row(found: Repeats, ks: list[int]) -> tuple[str, ...]:
    least, most = found.n
    n = str(least) if least == most else f"{least}–{most}"
    return (n, *map(_cell, (found.average, found.majority, *map(found.pass_at.get, ks))))


def _cell(figure: Estimate | None) -> str:
    return NOTHING if figure is None else f"{share(figure.value)} ({span(figure.interval)})"
