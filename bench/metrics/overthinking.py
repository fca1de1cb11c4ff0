"""The Overthinking Score of LLMThinkBench: one number for being right and being brief.

    E = clip(1 - (T - Tmin) / (Tmax - Tmin), 0, 1)        O = 2 A E / (A + E)

A is the accuracy in [0, 1], T the mean number of output tokens, thinking included. O is the harmonic mean of A and
E, so min(A, E) <= O <= (A + E) / 2. It depends on the bounds: scores under different bounds can't be compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, slots=True)
class Bounds:
    """The token counts that are worth efficiency 1 and 0.

    Attributes:
        name: Says where they come from; shown beside every score.
        low: Tmin in tokens.
        high: Tmax in tokens, at least ``low``.

    Raises:
        ValueError: ``high`` is below ``low``.
    """

    name: str
    low: float
    high: float

    def __post_init__(self) -> None:
        if not self.low <= self.high:
            raise ValueError(f"bounds {self.name!r}: {self.low} is above {self.high}")


# With these, 33 of the 39 rows of the published main table recompute from their own accuracy and tokens within 0.002.
REFERENCE = Bounds("reference", 0.0, 7_900.0)


def efficiency(tokens: ArrayLike, bounds: Bounds) -> NDArray[np.float64]:
    """Return E for each number of tokens; 1 everywhere if the bounds coincide."""
    counts = np.asarray(tokens, dtype=np.float64)
    if bounds.high == bounds.low:
        return np.ones_like(counts)
    return np.clip(1 - (counts - bounds.low) / (bounds.high - bounds.low), 0.0, 1.0)


def overthinking_score(accuracy: ArrayLike, tokens: ArrayLike, bounds: Bounds) -> NDArray[np.float64]:
    """Return O for each pair of an accuracy in [0, 1] and a mean number of output tokens; 0/0 is 0."""
    right = np.asarray(accuracy, dtype=np.float64)
    brief = efficiency(tokens, bounds)
    total = right + brief
    return np.divide(2 * right * brief, total, out=np.zeros_like(total), where=total > 0)


def score_of_means(accuracies: Sequence[float], tokens: Sequence[float], bounds: Bounds) -> float | None:
    """Return O of the mean accuracy and the mean tokens over tasks, the default form; None without tasks."""
    if not accuracies:
        return None
    return float(overthinking_score(np.mean(accuracies), np.mean(tokens), bounds))


def mean_of_scores(accuracies: Sequence[float], tokens: Sequence[float], bounds: Bounds) -> float | None:
    """Return the mean over tasks of each task's O, the other form; None without tasks."""
    if not accuracies:
        return None
    return float(np.mean(overthinking_score(accuracies, tokens, bounds)))
