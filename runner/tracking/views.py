"""What a tracker is shown of a run: its identity, its figures and its traces."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING

import bench
from bench.problem import write_gold
from runner.results.grading import grade_record
from runner.results.layout import RunFolder
from runner.results.record import RecordStatus
from runner.results.run import Run
from runner.results.store import read
from runner.results.summary import RunSummary
from runner.tracking.base import Metric, TraceRow, TrackedRun

if TYPE_CHECKING:
    from bench.metrics.figures import Figures


def tracked_run(name: str, study: str, run: Run, folder: RunFolder) -> TrackedRun:
    """Return a run's identity: one id for a point of a study, whoever goes on with it."""
    place = hashlib.sha256(study.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    model, suite = run.settings["model"]["name"], run.settings["suite"]["name"]
    return TrackedRun(
        id=f"{run.fingerprint}-{place}",
        name=name,
        group=study,
        tags=(model, suite, run.loaded.engine),
        config={**run.settings, "fingerprint": run.fingerprint, "loaded": asdict(run.loaded)},
        folder=folder.path,
    )


def summary_metrics(summary: RunSummary) -> dict[str, Metric]:
    """Return the figures over all tasks, and under ``tasks`` those of each."""
    tasks = {row.task: _metrics(row.figures) for row in summary.tasks}
    return {**_metrics(summary.overall), "bounds": summary.bounds.name, "tasks": tasks}


def trace_rows(folder: RunFolder, family: str) -> Iterator[TraceRow]:
    """Yield every answered sample as a person wants to read it."""
    for record in read(folder):
        if record.status is RecordStatus.ERROR:
            continue
        problem = bench.problem_from_data(record.task, record.data)
        end, tail = record.finish_reason.value, record.prompt_tail
        thinking = bench.split_thinking(record.text, finish_reason=end, prompt_tail=tail, family=family)
        verdict = grade_record(record, family)
        yield TraceRow(
            problem_id=record.problem_id,
            task=record.task,
            repeat=record.repeat,
            question=problem.question,
            thinking=thinking.thinking or "",
            answer=thinking.answer,
            extracted=verdict["answer"],
            gold=write_gold(problem.gold),
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
