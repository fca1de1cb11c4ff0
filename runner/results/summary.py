"""The table that a run ends with: a row a task, a row over all, and what was published for the model."""

from __future__ import annotations

import dataclasses
import json
import logging
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import bench
from bench.verdict import Outcome
from runner.config.settings import Scoring
from runner.errors import UserError
from runner.results.grading import grader_version, grading_fingerprint
from runner.results.judgements import judged_in
from runner.results.layout import RunFolder, write_atomic
from runner.results.optimal import optimal_of
from runner.results.published import PublishedRow, published
from runner.results.run import Run, load_run
from runner.results.verdict_table import read_verdicts

if TYPE_CHECKING:
    import pandas as pd

    from bench.metrics.figures import Figures
    from bench.metrics.optimal_figures import OptimalThinking
    from bench.metrics.overthinking import Bounds
    from bench.metrics.repeats import Repeats
    from bench.metrics.tool_use import ToolUse

SUMMARY_VERSION = 3

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
class RuleCount:
    """How many answers one extraction rule found.

    Attributes:
        rule: Its name.
        found: Answers that it found.
        correct: Of these, right ones.
    """

    rule: str
    found: int
    correct: int


@dataclass(frozen=True, slots=True)
class RunSummary:
    """What a run found.

    Attributes:
        run: Name of the run's folder.
        grading: Fingerprint of the grading.
        grader_version: Version of the grader.
        scoring: See :class:`runner.config.settings.Scoring`.
        bounds: Of the Overthinking Scores.
        token_sources: How tokens were counted; figures of more than one source are mixed.
        tasks: A row a task, in listing order.
        overall: Means over the tasks.
        rules: Which rule found how many answers, most first; with ``unparsed`` they add up to all that was graded.
        unparsed: Reason to number of answers in which nothing was read, most first.
        published: The model's row of the published main table, if it has one.
        repeats: pass@k and the like; None where no problem has several answers.
        optimal: Of OptimalThinkingBench; None for another suite.
        tools: How tools were used; None for a run without tools.
        version: Version of this layout.
    """

    run: str
    grading: str
    grader_version: str
    scoring: str
    bounds: Bounds
    token_sources: tuple[str, ...]
    tasks: tuple[SummaryRow, ...]
    overall: Figures
    rules: tuple[RuleCount, ...]
    unparsed: dict[str, int]
    published: PublishedRow | None
    repeats: Repeats | None = None
    optimal: OptimalThinking | None = None
    tools: ToolUse | None = None
    version: int = SUMMARY_VERSION

    @property
    def partial(self) -> bool:
        """Whether some samples have no verdict: the accuracy then lies within ``accuracy_bounds``."""
        return self.overall.errors + self.overall.ungraded > 0

    def as_json(self) -> dict[str, Any]:
        """Return plain values that strict JSON can hold: NaN and infinity become None."""
        plain: dict[str, Any] = _finite({**dataclasses.asdict(self), "partial": self.partial})
        return plain


def summarise(folder: RunFolder, scoring: Scoring = Scoring.PAPER) -> RunSummary:
    """Compute a run's summary and write ``summary.json``; missing verdicts are made.

    Raises:
        UserError: see :func:`runner.results.verdict_table.read_verdicts`.
        StorageError: the file can't be written; the old one stays.
    """
    summary = compute_summary(folder, scoring)
    text = json.dumps(summary.as_json(), indent=1, allow_nan=False)
    write_atomic(folder.summary, text.encode("ascii"))
    return summary


def compute_summary(folder: RunFolder, scoring: Scoring = Scoring.PAPER) -> RunSummary:
    """Compute a run's summary as :func:`summarise` does; writes no more than missing verdicts."""
    from bench.metrics.overthinking import REFERENCE
    from bench.metrics.repeats import repeats
    from bench.metrics.tool_use import tool_use

    samples = _samples(folder, scoring)
    rows, overall = figures_of(samples)
    answered = samples[samples["status"] != "error"]
    judged, run = judged_in(folder), load_run(folder)
    return RunSummary(
        run=folder.path.name,
        grading=grading_fingerprint(scoring, judged),
        grader_version=grader_version(scoring, judged),
        scoring=scoring.value,
        bounds=REFERENCE,
        token_sources=tuple(sorted(answered["usage_source"].unique())),
        tasks=rows,
        overall=overall,
        rules=_rules(samples),
        unparsed=_unparsed(samples),
        published=published_for(run),
        repeats=repeats(samples),
        optimal=None if run is None else optimal_of(samples, run.settings, scoring),
        tools=tool_use(samples) if run is not None and run.settings.get("tools", {}).get("names") else None,
    )


def figures_of(samples: pd.DataFrame) -> tuple[tuple[SummaryRow, ...], Figures]:
    """Return a run's row for each task, in listing order, and its figures over the tasks, under ``reference`` bounds.

    Args:
        samples: A row a sample with ``task``, ``category`` and :data:`bench.metrics.figures.COLUMNS`.
    """
    from bench.metrics.figures import overall_figures, task_figures
    from bench.metrics.overthinking import REFERENCE

    found = {str(task): frame for task, frame in samples.groupby("task", observed=True)}
    figures = {task: task_figures(task, found[task], REFERENCE) for task in in_listing_order(found)}
    rows = (SummaryRow(task, str(found[task]["category"].iloc[0]), figures[task].figures) for task in figures)
    return tuple(rows), overall_figures(list(figures.values()), REFERENCE)


def _rules(samples: pd.DataFrame) -> tuple[RuleCount, ...]:
    found = samples[samples["rule"].notna()]
    right = found[found["outcome"] == Outcome.CORRECT]["rule"].value_counts()
    counts = found["rule"].value_counts()
    rows = (RuleCount(str(rule), int(count), int(right.get(rule, 0))) for rule, count in counts.items() if count)
    return tuple(sorted(rows, key=lambda row: (-row.found, row.rule)))


def _unparsed(samples: pd.DataFrame) -> dict[str, int]:
    counts = samples[samples["outcome"] == Outcome.UNPARSED]["reason"].value_counts()
    rows = ((str(reason), int(count)) for reason, count in counts.items() if count)
    return dict(sorted(rows, key=lambda row: (-row[1], row[0])))


def _samples(folder: RunFolder, scoring: Scoring) -> pd.DataFrame:
    """Return the columns that the figures need; words that repeat are kept once."""
    from bench.metrics.figures import COLUMNS

    columns = ["task", "category", "usage_source", "rule", "reason", "answer", "score", "thinking_state", *COLUMNS]
    columns += ["tool_calls", "tool_tokens", "tool_errors"]
    repeating = ["task", "category", "usage_source", "rule", "reason", "status", "outcome", "problem_id"]
    frame: pd.DataFrame = read_verdicts(folder, scoring, columns=columns, read_dictionary=repeating).to_pandas()
    return frame


def in_listing_order(tasks: Iterable[str]) -> list[str]:
    """Return the tasks in listing order, unknown ones last."""
    listed = bench.task_names()
    return sorted(tasks, key=lambda task: (listed.index(task) if task in listed else len(listed), task))


def counted_alike(sources: Iterable[str]) -> bool:
    """Tell whether tokens of these sources are of one kind; ids of a text cut from a longer one are ids."""
    return len({"ids" if source == "derived" else source for source in sources}) < 2


def published_for(run: Run | None) -> PublishedRow | None:
    """Return what was published for a run's model; a name that is in no table must not cost the summary."""
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
