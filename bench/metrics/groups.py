"""Figures of a run by category, by list size, or by any other fact of the problems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from bench.metrics.figures import Figures, overall_figures, task_figures
from bench.metrics.overthinking import REFERENCE, Bounds


@dataclass(frozen=True, slots=True)
class Group:
    """The figures of the samples that share a value.

    Attributes:
        value: What they share, e.g. ``extremes`` or 32.
        tasks: The tasks that have such samples; groups of different tasks differ in more than the value.
        figures: Means over these tasks.
    """

    value: str | int | float
    tasks: tuple[str, ...]
    figures: Figures


def figures_by(samples: pd.DataFrame, column: str, bounds: Bounds = REFERENCE) -> tuple[Group, ...]:
    """Return a run's figures for each value of a column, sorted by it: means over the tasks that have the value.

    Source: LLMThinkBench, results by category and by list size. Samples without the fact are in no group.

    Args:
        samples: A row a sample with ``task``, :data:`bench.metrics.figures.COLUMNS` and the column.
        column: E.g. ``category``, ``size`` or ``relation``.
        bounds: Of the Overthinking Score.
    """
    found = samples.groupby(column, observed=True, sort=True)  # leaves out those without the fact
    return tuple(_group(_plain(value), group, bounds) for value, group in found)


def _group(value: str | int | float, samples: pd.DataFrame, bounds: Bounds) -> Group:
    tasks = {str(task): rows for task, rows in samples.groupby("task", observed=True)}
    # The name fixes the draws: a task's groups are resampled each on its own.
    figures = [task_figures(f"{task} {value}", rows, bounds) for task, rows in tasks.items()]
    return Group(value, tuple(tasks), overall_figures(figures, bounds))


def _plain(value: Any) -> str | int | float:
    """Return a column's value as Python's own; a size that pandas keeps as 8.0 beside missing ones is 8."""
    if isinstance(value, str):
        return value
    number = float(value)
    return int(number) if number.is_integer() else number
