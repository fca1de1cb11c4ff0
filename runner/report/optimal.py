"""OptimalThinkingBench in a report: tables, the curve, and what they say in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from runner.config.settings import Scoring
from runner.report.findings import Finding, Topic
from runner.report.numbers import NOTHING, signed
from runner.report.optimal_lines import said, share, span, tokens
from runner.report.tables import TextTable
from runner.results.optimal import is_optimal_suite

if TYPE_CHECKING:
    import pandas as pd

    from bench.metrics.optimal_figures import GroupFigures, OptimalThinking
    from runner.report.frames import StudyFrames

_GROUP_COLUMNS = (
    "run", "problems", "samples", "accuracy", "95 % interval", "AUC_OAA", "AUC on output", "thinking tokens",
    "output tokens",
)  # fmt: skip
_SHOWN_EVERY = 100  # tokens between the thresholds of the table
_TITLES = {"part": "parts", "task": "tasks", "answer_type": "answer types", "field": "fields"}


@dataclass(frozen=True, slots=True)
class OptimalRun:
    """A run of the benchmark.

    Attributes:
        run: Its name in the frames.
        label: What sets it apart.
        samples: Its samples.
        found: Its figures.
    """

    run: str
    label: str
    samples: pd.DataFrame
    found: OptimalThinking


def optimal_runs(frames: StudyFrames) -> list[OptimalRun]:
    """Return the runs of a study that are of the benchmark and have an answer."""
    from bench.metrics.optimal_figures import optimal_thinking

    points = [row for row in frames.points.to_dict("records") if is_optimal_suite(row["suite"])]
    samples = {str(run): rows for run, rows in frames.samples.groupby("run", observed=True)} if points else {}
    found = []
    for row in points:
        figures = optimal_thinking(samples[row["run"]], Scoring(row["scoring"]).value)
        if figures is not None:
            found.append(OptimalRun(row["run"], row["label"], samples[row["run"]], figures))
    return found


def optimal_tables(runs: Sequence[OptimalRun]) -> list[TextTable]:
    """Return the main table, the curve, and the figures by part, task, answer type and field; none without a run."""
    if not runs:
        return []
    by_part = [(run.label, [part.figures for part in run.found.parts]) for run in runs]
    groups = [_grouped("part", by_part), *(_by(column, runs) for column in ("task", "answer_type", "field"))]
    return [_main(runs), *(table for table in (_curve(runs), *groups) if table.rows)]


def optimal_curves(runs: Sequence[OptimalRun]) -> list[dict[str, Any]]:
    """Return OAA_t of every run, as the page draws it."""
    return [
        {"label": run.label, "t": [t for t, _ in run.found.curve], "oaa": [right for _, right in run.found.curve]}
        for run in runs
        if run.found.curve
    ]


def optimal_findings(runs: Sequence[OptimalRun]) -> list[Finding]:
    """Return the order of the runs, what is missing, and whether longer thinking goes with accuracy over fields."""
    return [*_ranking(runs), *_cautions(runs), *_lengths(runs)]


def _main(runs: Sequence[OptimalRun]) -> TextTable:
    columns = (
        "run", "F1", "95 % interval", "AUC_OAA", "95 % interval", "thinking tokens", "accuracy (hard)",
        "95 % interval", "F1 on output", "AUC on output", "without",
    )  # fmt: skip
    ordered = sorted(runs, key=lambda run: -1.0 if run.found.f1.value is None else run.found.f1.value, reverse=True)
    note = (
        "F1: harmonic mean of AUC_OAA (easy side) and the accuracy of the hard side; on each side general and math "
        f"weigh the same. AUC_OAA per response: correct · max(0, {runs[0].found.t_max} - thinking tokens) / "
        f"{runs[0].found.t_max}; on output: the same with all output tokens. Intervals: problem bootstrap, stratified "
        f"over tasks. Scoring: {runs[0].found.scoring}."
    )
    return TextTable("optimal_thinking", "OptimalThinkingBench", columns, tuple(map(_main_row, ordered)), note)


def _main_row(run: OptimalRun) -> tuple[str, ...]:
    found = run.found
    estimates = (found.f1, found.auc_oaa)
    first = [cell for estimate in estimates for cell in (share(estimate), span(estimate))]
    hard = (share(found.acc_ut), span(found.acc_ut), share(found.f1_output), share(found.auc_oaa_output))
    return (run.label, *first, tokens(found.overthinking_tokens), *hard, ", ".join(found.missing) or NOTHING)


def _curve(runs: Sequence[OptimalRun]) -> TextTable:
    every = [run for run in runs if run.found.curve]
    thresholds = [t for t, _ in every[0].found.curve if t % _SHOWN_EVERY == 0] if every else []
    rows = tuple(
        (run.label, *(f"{right:.3f}" for t, right in run.found.curve if t % _SHOWN_EVERY == 0)) for run in every
    )
    note = "Share of the easy side's answers that are right with fewer than t thinking tokens; its area is AUC_OAA."
    return TextTable("optimal_thinking_curve", "OAA_t", ("run", *(f"t = {t}" for t in thresholds)), rows, note)


def _by(column: str, runs: Sequence[OptimalRun]) -> TextTable:
    from bench.metrics.optimal_figures import optimal_by

    asked = [run for run in runs if column in run.samples]
    return _grouped(column, [(run.label, optimal_by(run.samples, column, run.found.scoring)) for run in asked])


def _grouped(name: str, groups: Sequence[tuple[str, Sequence[GroupFigures]]]) -> TextTable:
    columns = (_GROUP_COLUMNS[0], name.replace("_", " "), *_GROUP_COLUMNS[1:])
    rows = tuple((label, *_group_row(group)) for label, found in groups for group in found)
    title = f"OptimalThinkingBench by {_TITLES[name]}"
    note = "Means over the tasks of a group; accuracy counts full credit alone."
    return TextTable(f"optimal_thinking_{name}", title, columns, rows, note)


def _group_row(group: GroupFigures) -> tuple[str, ...]:
    shares = (share(group.accuracy), span(group.accuracy), share(group.auc_oaa), share(group.auc_oaa_output))
    counts = (tokens(group.thinking_tokens), tokens(group.output_tokens))
    return (group.name, str(group.problems), str(group.n), *shares, *counts)


def _ranking(runs: Sequence[OptimalRun]) -> Iterator[Finding]:
    known = [run for run in runs if run.found.f1.value is not None]
    if len(known) < 2:
        return
    best = max(known, key=lambda run: run.found.f1.value or 0.0)
    figures = f"F1 {said(best.found.f1)}, AUC_OAA {share(best.found.auc_oaa)}, hard side {share(best.found.acc_ut)}"
    yield Finding(Topic.OVERALL, f"OptimalThinkingBench: {best.label} has the highest F1: {figures}.", (best.run,))


def _cautions(runs: Sequence[OptimalRun]) -> Iterator[Finding]:
    missing: dict[tuple[str, ...], list[str]] = {}
    for run in runs:
        missing.setdefault(run.found.missing, []).append(run.run)
    for parts, names in missing.items():
        if parts:
            yield Finding(
                Topic.CAUTION,
                f"Without {', '.join(parts)} these are not OptimalThinkingBench's own figures: a side is the mean of "
                "the parts that were answered.",
                tuple(names),
            )


def _lengths(runs: Sequence[OptimalRun]) -> Iterator[Finding]:
    from bench.metrics.optimal_figures import length_and_accuracy

    for run in runs:
        if "field" not in run.samples:
            continue
        found = length_and_accuracy(run.samples)
        if found.correlation is not None:
            one = found.correlation
            ends = "" if one.interval is None else f" [{signed(one.interval.low, 2)}, {signed(one.interval.high, 2)}]"
            yield Finding(
                Topic.OVERALL,
                f"{run.label}: over {one.n} fields mean thinking length and accuracy correlate with r = "
                f"{signed(one.r, 2)}{ends}.",
                (run.run,),
            )
