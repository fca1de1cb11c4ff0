"""The table that a run ends with: a row a task, a row over all, and what was published for the model."""

from __future__ import annotations

import dataclasses
import json
import logging
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import bench
from runner.errors import UserError
from runner.results.grading import grading_fingerprint
from runner.results.layout import RunFolder, write_atomic
from runner.results.published import PublishedRow, published
from runner.results.run import load_run
from runner.results.verdict_table import read_verdicts

if TYPE_CHECKING:
    import pandas as pd

    from bench.metrics.figures import Figures
    from bench.metrics.overthinking import Bounds

SUMMARY_VERSION = 1

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SummaryRow:
    """One task of a run.

    Attributes:
        task: Its name.
        category: What reports group by.
        figures: See :class:`bench.metrics.figures.Figures`.
    """

    task: str
    category: str
    figures: Figures


@dataclass(frozen=True, slots=True)
class RunSummary:
    """What a run found.

    Attributes:
        run: Name of the run's folder.
        grading: Fingerprint of the grading.
        bounds: Of the Overthinking Scores.
        token_sources: How tokens were counted; figures of more than one source are mixed.
        tasks: A row a task, in listing order.
        overall: Means over the tasks.
        published: The model's row of the published main table, if it has one.
        version: Version of this layout.
    """

    run: str
    grading: str
    bounds: Bounds
    token_sources: tuple[str, ...]
    tasks: tuple[SummaryRow, ...]
    overall: Figures
    published: PublishedRow | None
    version: int = SUMMARY_VERSION

    @property
    def partial(self) -> bool:
        """Whether some samples have no verdict: the accuracy then lies within ``accuracy_bounds``."""
        return self.overall.errors + self.overall.ungraded > 0

    def as_json(self) -> dict[str, Any]:
        """Return plain values that strict JSON can hold: NaN and infinity become None."""
        plain: dict[str, Any] = _finite({**dataclasses.asdict(self), "partial": self.partial})
        return plain


def summarise(folder: RunFolder) -> RunSummary:
    """Compute a run's summary and write ``summary.json``; missing verdicts are made.

    Raises:
        UserError: see :func:`runner.results.verdict_table.read_verdicts`.
        StorageError: the file can't be written; the old one stays.
    """
    summary = compute_summary(folder)
    text = json.dumps(summary.as_json(), indent=1, allow_nan=False)
    write_atomic(folder.summary, text.encode("ascii"))
    return summary


def compute_summary(folder: RunFolder) -> RunSummary:
    """Compute a run's summary as :func:`summarise` does; writes no more than missing verdicts."""
    from bench.metrics.figures import overall_figures, task_figures
    from bench.metrics.overthinking import REFERENCE

    samples = _samples(folder)
    found = {str(task): frame for task, frame in samples.groupby("task", observed=True)}
    figures = {task: task_figures(task, found[task], REFERENCE) for task in _in_order(found)}
    rows = (SummaryRow(task, str(found[task]["category"].iloc[0]), figures[task].figures) for task in figures)
    answered = samples[samples["status"] != "error"]
    return RunSummary(
        run=folder.path.name,
        grading=grading_fingerprint(),
        bounds=REFERENCE,
        token_sources=tuple(sorted(answered["usage_source"].unique())),
        tasks=tuple(rows),
        overall=overall_figures(list(figures.values()), REFERENCE),
        published=_published(folder),
    )


def _samples(folder: RunFolder) -> pd.DataFrame:
    """Return the columns that the figures need; words that repeat are kept once."""
    from bench.metrics.figures import COLUMNS

    columns = ["task", "category", "usage_source", *COLUMNS]
    repeating = ["task", "category", "usage_source", "status", "outcome", "problem_id"]
    frame: pd.DataFrame = read_verdicts(folder, columns=columns, read_dictionary=repeating).to_pandas()
    return frame


def _in_order(tasks: dict[str, Any]) -> list[str]:
    """Return the tasks in listing order, unknown ones last."""
    listed = bench.task_names()
    return sorted(tasks, key=lambda task: (listed.index(task) if task in listed else len(listed), task))


def _published(folder: RunFolder) -> PublishedRow | None:
    """Return what was published for the run's model; a name that is in no table must not cost the summary."""
    run = load_run(folder)
    name = None if run is None else run.settings["model"]["published_as"]
    try:
        return None if name is None else published(name)
    except UserError as error:
        _log.warning("%s", error)
        return None


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
