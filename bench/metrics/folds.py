"""How much a figure varies from fold to fold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from bench.metrics.grid import Grid, grid
from bench.metrics.overthinking import Bounds, score_of_means


@dataclass(frozen=True, slots=True)
class FoldSpread:
    """A figure over folds.

    Attributes:
        values: The figure of each fold that has one, by the fold's name.
        mean: Their mean; None without folds.
        std: Their standard deviation with divisor n - 1; None below two folds.
    """

    values: tuple[tuple[str, float], ...]
    mean: float | None
    std: float | None


def over_folds(samples: pd.DataFrame, measure: str) -> FoldSpread:
    """Return a measure's mean ± std over folds; in each fold it is the mean over tasks.

    Source: LLMThinkBench, three folds. The std tells how folds scatter; it is no interval of the mean (that is
    :mod:`bench.metrics.intervals`), and each fold holds other problems.

    Args:
        samples: Those of one run, a row a sample with ``fold``, ``task``, ``status``, ``outcome`` and what the
            measure reads.
        measure: Its name.

    Raises:
        ValueError: there is no such measure.
    """
    table = grid(samples, [measure], by="fold")
    return _spread(table, [table.over_tasks(fold, measure) for fold in table.rows])


def score_over_folds(samples: pd.DataFrame, bounds: Bounds) -> FoldSpread:
    """Return the Overthinking Score of the means, mean ± std over folds; see :func:`over_folds`.

    Args:
        samples: As :func:`over_folds`, with ``output_tokens``.
        bounds: Of the score, the same for all folds.
    """
    table = grid(samples, ["accuracy", "output_tokens"], by="fold")
    return _spread(table, [_score(table, fold, bounds) for fold in table.rows])


def _score(table: Grid, fold: str, bounds: Bounds) -> float | None:
    accuracy, tokens = (table.over_tasks(fold, name) for name in ("accuracy", "output_tokens"))
    return None if accuracy is None or tokens is None else score_of_means([accuracy], [tokens], bounds)


def _spread(table: Grid, values: Sequence[float | None]) -> FoldSpread:
    named = tuple((fold, value) for fold, value in zip(table.rows, values, strict=True) if value is not None)
    known = [value for _, value in named]
    mean = float(np.mean(known)) if known else None
    return FoldSpread(named, mean, float(np.std(known, ddof=1)) if len(known) > 1 else None)
