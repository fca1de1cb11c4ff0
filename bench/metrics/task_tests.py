"""All pairs of runs compared over tasks: the paired t-test, which speaks about tasks and not about problems."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bench.metrics.grid import Grid
from bench.metrics.intervals import LEVEL, Interval
from bench.metrics.multiple import bonferroni, holm

# What such a test can be read as; shown beside every p.
SPEAKS_ABOUT = "tasks"


@dataclass(frozen=True, slots=True)
class TaskTest:
    """A paired t-test of two runs, a pair of values a task.

    It asks whether B would beat A on further tasks like these, with each task's figure taken as it is; whether the
    difference on these very tasks is noise is what :func:`bench.metrics.pairs.compare` answers.

    Attributes:
        a: The one run.
        b: The other.
        tasks: Number of tasks.
        difference: Mean over tasks of B - A, in the measure's unit.
        interval: Of that mean, Student t with tasks - 1 degrees of freedom.
        t: The statistic.
        p: Two-sided, unadjusted.
        p_bonferroni: Adjusted for all pairs.
        p_holm: Adjusted for all pairs, never larger than Bonferroni's.
    """

    a: str
    b: str
    tasks: int
    difference: float
    interval: Interval | None
    t: float | None
    p: float | None
    p_bonferroni: float | None
    p_holm: float | None


def task_tests(table: Grid, measure: str = "accuracy") -> tuple[TaskTest, ...]:
    """Test every pair of a grid's rows over the tasks in which all of them have the measure.

    t = mean(d) / (std(d) / sqrt(k)) over the k differences d by task. Source: LLMThinkBench (paired t over tasks,
    Bonferroni over all pairs); Holm beside it from DESIGN. Where t does not exist (below two tasks, or all d equal) it
    is None with its p, and the pair does not count among the tests that are adjusted for.

    Args:
        table: Runs by task with ``measure``.
        measure: What is compared.
    """
    values = table.means[measure]
    values = values[:, ~np.isnan(values).any(axis=0)]
    first, second = np.triu_indices(len(table.rows), k=1)
    count = values.shape[1]
    if not len(first) or not count:
        return ()
    differences = values[second] - values[first]
    mean = differences.mean(axis=1)
    error = differences.std(axis=1, ddof=1) / np.sqrt(count) if count > 1 else np.zeros(len(mean))
    # All differences equal but for rounding: they have no spread to test against.
    exists = error > 1e-12 * np.abs(values).max(initial=1.0)
    columns = _tested(mean[exists], error[exists], count)
    filled = np.full((6, len(mean)), np.nan)
    filled[:, exists] = columns
    one, other = ([table.rows[row] for row in rows] for rows in (first, second))
    return tuple(
        _row(a, b, count, difference, tested)
        for a, b, difference, tested in zip(one, other, mean.tolist(), filled.T.tolist(), strict=True)
    )


def _tested(mean: NDArray[np.float64], error: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    """Return t, p, Bonferroni's p, Holm's p, and the interval's ends, a row each."""
    if not len(mean):
        return np.empty((6, 0))
    from scipy.stats import t as student

    statistic = mean / error
    p = 2 * student.sf(np.abs(statistic), count - 1)
    half = student.ppf((1 + LEVEL) / 2, count - 1) * error
    return np.stack([statistic, p, bonferroni(p), holm(p), mean - half, mean + half])


def _row(a: str, b: str, tasks: int, difference: float, tested: list[float]) -> TaskTest:
    if np.isnan(tested[0]):
        return TaskTest(a, b, tasks, difference, None, None, None, None, None)
    t, p, p_bonferroni, p_holm, low, high = tested
    return TaskTest(a, b, tasks, difference, Interval(low, high, LEVEL, "Student t"), t, p, p_bonferroni, p_holm)
