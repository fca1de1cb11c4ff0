"""Means by run and task of any measures, in one pass over all samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bench.metrics.measure import Measure, measure_named
from bench.metrics.samples import answered


@dataclass(frozen=True, slots=True)
class Grid:
    """Means by row (a run, or a fold) and task.

    Attributes:
        rows: Names of the rows, sorted.
        tasks: Names of the tasks, sorted.
        n: Answered samples, shape (rows, tasks).
        means: A matrix a measure, shape (rows, tasks). A cell without a sample is NaN in here and None outside.
    """

    rows: tuple[str, ...]
    tasks: tuple[str, ...]
    n: NDArray[np.int64]
    means: Mapping[str, NDArray[np.float64]]

    def cell(self, row: str, task: str, measure: str) -> float | None:
        """Return the mean of a task's samples, in the measure's unit; None without a sample.

        Raises:
            ValueError: the grid has no such row or task.
        """
        return _finite(self.means[measure][self.rows.index(row), self.tasks.index(task)])

    def over_tasks(self, row: str, measure: str) -> float | None:
        """Return the mean over the tasks that have the figure; None if none has.

        Source: LLMThinkBench, overall values are means over the tasks.

        Raises:
            ValueError: the grid has no such row.
        """
        values = self.means[measure][self.rows.index(row)]
        known = values[~np.isnan(values)]
        return float(known.mean()) if len(known) else None

    def common(self) -> Grid:
        """Return the grid of those tasks that every row has answered: only over these are rows comparable."""
        kept = (self.n > 0).all(axis=0)
        means = {name: matrix[:, kept] for name, matrix in self.means.items()}
        return Grid(self.rows, tuple(np.array(self.tasks, dtype=object)[kept]), self.n[:, kept], means)


def grid(samples: pd.DataFrame, measures: Sequence[str], by: str = "run") -> Grid:
    """Return the means of ``measures`` by row and task.

    Args:
        samples: A row a sample with ``task``, ``status``, ``outcome``, the column ``by`` and what the measures read.
        measures: Names of measures.
        by: The column that names the rows.

    Raises:
        ValueError: there is no such measure.
    """
    answers = answered(samples)
    row_of, rows = pd.factorize(answers[by].astype(str), sort=True)
    task_of, tasks = pd.factorize(answers["task"].astype(str), sort=True)
    shape = len(rows), len(tasks)
    cell = row_of * max(1, shape[1]) + task_of
    size = shape[0] * shape[1]
    counts = np.bincount(cell, minlength=size).reshape(shape)
    means = {name: _means(measure_named(name), answers, cell, size).reshape(shape) for name in measures}
    return Grid(tuple(rows), tuple(tasks), counts, means)


def _means(measure: Measure, answers: pd.DataFrame, cell: NDArray[np.int64], size: int) -> NDArray[np.float64]:
    values = measure.of(answers)
    known = ~np.isnan(values)
    sums = np.bincount(cell[known], values[known], size)
    counts = np.bincount(cell[known], minlength=size)
    found: NDArray[np.float64] = np.divide(sums, counts, out=np.full(size, np.nan), where=counts > 0)
    return found


def _finite(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
