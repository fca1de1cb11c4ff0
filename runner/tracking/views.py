"""What a tracker is shown of a run: its identity, its figures and its traces."""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

import bench
from runner.config.settings import Scoring
from runner.results.executions import Executed, executed_in
from runner.results.grading import grade_record, problem_of
from runner.results.judgements import Judged, judged_in
from runner.results.layout import RunFolder
from runner.results.record import Record
from runner.results.run import Run
from runner.results.store import read, scan
from runner.results.summary import RunSummary
from runner.tracking.base import Metric, TraceRow, TrackedRun

if TYPE_CHECKING:
    from bench.metrics.figures import Figures


def tracked_run(name: str, study: str, run: Run, folder: RunFolder) -> TrackedRun:
    """Return a run's identity: one id for a folder, whoever goes on with it, and no other folder's."""
    model, suite = run.settings["model"]["name"], run.settings["suite"]["name"]
    return TrackedRun(
        id=f"{run.fingerprint}-{run.nonce}",
        name=name,
        group=study,
        tags=(model, suite, run.loaded.engine),
        config={**run.settings, "fingerprint": run.fingerprint, "loaded": asdict(run.loaded)},
        folder=folder.path,
    )


def summary_metrics(summary: RunSummary) -> dict[str, Metric]:
    """Return the figures over all tasks, under ``tasks`` those of each, and of OptimalThinkingBench the headlines."""
    tasks = {row.task: _metrics(row.figures) for row in summary.tasks}
    found = {**_metrics(summary.overall), "bounds": summary.bounds.name, "tasks": tasks}
    if summary.optimal is not None:
        from bench.metrics.optimal_means import HEADLINES

        found.update((name, getattr(summary.optimal, name).value) for name in HEADLINES)
    return found


def trace_rows(folder: RunFolder, family: str, scoring: Scoring, count: int) -> list[TraceRow]:
    """Return at most ``count`` answered samples, by task; one whose problem can't be made again is left out.

    Only the chosen ones are graded; see :func:`choose_keys`.
    """
    if not count:
        return []
    found = scan(folder)
    chosen = {key: found.done[key] for key in choose_keys(found.done, count)}
    records = read(folder, scanned=replace(found, done=chosen, failed={}))
    said = judged_in(folder), executed_in(folder)
    rows = (_trace_row(record, family, scoring, *said) for record in records)
    return sorted((row for row in rows if row is not None), key=lambda row: (row.task, row.problem_id, row.repeat))


def choose_keys(keys: Iterable[str], count: int) -> list[str]:
    """Return at most ``count`` keys of samples, of all tasks alike.

    A key is better or worse than another whatever the others are, so runs of the same problems show the same samples.
    """
    return heapq.nsmallest(count, keys, key=lambda key: hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest())


def _trace_row(
    record: Record, family: str, scoring: Scoring, judged: Judged | None, executed: Executed | None
) -> TraceRow | None:
    problem = problem_of(record)
    if problem is None:
        return None
    end, tail = record.finish_reason.value, record.prompt_tail
    thinking = bench.split_thinking(record.text, finish_reason=end, prompt_tail=tail, family=family)
    verdict = grade_record(record, family, scoring, judged, executed)
    return TraceRow(
        problem_id=record.problem_id,
        task=record.task,
        repeat=record.repeat,
        question=problem.question,
        thinking=thinking.thinking or "",
        answer=thinking.answer,
        extracted=verdict["answer"],
        gold=verdict["gold"] or "",
        outcome=verdict["outcome"] or "",
        rule=verdict["rule"],
        thinking_tokens=record.usage.thinking,
        answer_tokens=record.usage.answer,
        output_tokens=record.usage.output,
    )


def _metrics(figures: Figures) -> dict[str, Metric]:
    """Return a row's numbers; an interval becomes its two ends."""
    found: dict[str, Metric] = {}
    for name, value in asdict(figures).items():
        if name.endswith("_interval"):
            found[f"{name}_low"] = None if value is None else value["low"]
            found[f"{name}_high"] = None if value is None else value["high"]
        elif not isinstance(value, Mapping | tuple):
            found[name] = value
    return found
