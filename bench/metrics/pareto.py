"""The runs that no other run beats in accuracy and efficiency at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def pareto_front(accuracy: ArrayLike, efficiency: ArrayLike) -> NDArray[np.bool_]:
    """Tell for each run whether it is on the front: no other is at least as good in both and better in one.

    Source: LLMThinkBench, Pareto front of accuracy against efficiency. Equal runs are on it together. Efficiency is
    clipped, so runs beyond Tmax look equally inefficient; with minus the tokens in its place they don't.

    Args:
        accuracy: One a run, in any unit, more is better.
        efficiency: One a run, in any unit, more is better.

    Raises:
        ValueError: the two differ in length.
    """
    right, brief = np.asarray(accuracy, dtype=np.float64), np.asarray(efficiency, dtype=np.float64)
    if right.shape != brief.shape:
        raise ValueError(f"accuracy of {right.size} runs, efficiency of {brief.size}")
    order = np.lexsort((-brief, -right))
    kept = np.zeros(len(right), dtype=bool)
    best, level = -np.inf, -np.inf  # efficiency that more accurate runs reach; that of this accuracy's best run
    last = np.nan
    for run in order:
        if right[run] != last:
            best, level, last = max(best, level), brief[run], right[run]
        kept[run] = brief[run] == level > best
    return kept
