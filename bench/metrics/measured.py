"""Any measure of one run, by task and over tasks, with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bench.metrics.intervals import (
    Interval,
    Method,
    bootstrap_rng,
    mean_of_draws,
    percentile_interval,
    resampled_means,
    wilson,
)
from bench.metrics.measure import Measure, measure_named
from bench.metrics.samples import answered


@dataclass(frozen=True, slots=True)
class Mean:
    """The mean of a measure.

    Attributes:
        task: Its name; None over all tasks, where the mean is one over tasks.
        n: Samples that have the measure.
        mean: In the measure's unit; None without a sample.
        interval: Wilson for a share without repeats, else bootstrap by problem, over tasks stratified; None below two
            problems of a task.
    """

    task: str | None
    n: int
    mean: float | None
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class Measured:
    """A measure of one run.

    Attributes:
        measure: Its name.
        tasks: A line a task with an answer, by name.
        overall: Mean over the tasks that have the measure.
    """

    measure: str
    tasks: tuple[Mean, ...]
    overall: Mean


def measured(samples: pd.DataFrame, measure: str) -> Measured:
    """Return a measure's mean by task and over tasks. Source: DESIGN, named intervals.

    Args:
        samples: Those of one run, a row a sample with ``task``, ``problem_id``, ``status``, ``outcome`` and what the
            measure reads.
        measure: Its name.

    Raises:
        ValueError: there is no such measure.
    """
    return measured_by(samples, measure_named(measure))


def measured_by(samples: pd.DataFrame, measure: Measure) -> Measured:
    """Return the same of a measure that is in no listing, as one that verdicts alone don't have."""
    tasks = [_of_task(str(task), rows, measure) for task, rows in answered(samples).groupby("task", observed=True)]
    return Measured(measure.name, tuple(mean for mean, _ in tasks), _over_tasks(tasks))


def _of_task(task: str, answers: pd.DataFrame, measure: Measure) -> tuple[Mean, NDArray[np.float64] | None]:
    values = measure.of(answers)
    known = ~np.isnan(values)
    values = values[known]
    if not len(values):
        return Mean(task, 0, None, None), None
    # Sorted, so that draws do not depend on the order in which samples ended.
    problems, _ = pd.factorize(answers["problem_id"].astype(str)[known], sort=True)
    draws = resampled_means(values[:, None], problems, bootstrap_rng(f"{measure.name} {task}"))
    single = len(np.unique(problems)) == len(problems)
    if measure.unit == "share" and single and np.isin(values, (0, 1)).all():
        interval = wilson(int(values.sum()), len(values))
    else:
        method: Method = "problem bootstrap" if single else "cluster bootstrap"
        interval = None if draws is None else percentile_interval(draws[:, 0], method)
    return Mean(task, len(values), float(values.mean()), interval), draws


def _over_tasks(tasks: Sequence[tuple[Mean, NDArray[np.float64] | None]]) -> Mean:
    means = [mean.mean for mean, _ in tasks if mean.mean is not None]
    draws = mean_of_draws([drawn for mean, drawn in tasks if mean.mean is not None])
    interval = None if draws is None else percentile_interval(draws[:, 0], "task-stratified bootstrap")
    return Mean(None, sum(mean.n for mean, _ in tasks), float(np.mean(means)) if means else None, interval)
