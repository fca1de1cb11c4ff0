"""What if a model had stopped at its first correct answer: accuracy and tokens as a curve, from stored samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd


@dataclass(frozen=True, slots=True)
class Stopped:
    """A run whose traces end some tokens after their first correct answer.

    Attributes:
        extra: Tokens of the trace that are kept after it; None for the run as it was.
        accuracy: Share of right samples.
        tokens: Mean output tokens.
        shortened: Share of samples whose trace ends earlier.
    """

    extra: int | None
    accuracy: float
    tokens: float
    shortened: float


def stopped_at_first(samples: pd.DataFrame, extras: Sequence[int]) -> list[Stopped]:
    """Return the curve: a sample that is cut counts as right, any other keeps its own verdict and tokens.

    It is an upper bound: it takes a reader who knows the right answer and a model that states what it has just found.
    The visible answer keeps its length. Tokens: output - max(0, external - extra).

    Args:
        samples: A row a sample with ``outcome``, ``output_tokens`` and ``external`` (NaN without first correct answer).
        extras: Tokens after the first correct answer, 0 or more each.

    Returns:
        A point for each of them, and the run as it was at the end; empty without samples.
    """
    if samples.empty:
        return []
    right = (samples["outcome"] == "correct").to_numpy(dtype=np.float64)
    output = samples["output_tokens"].to_numpy(dtype=np.float64)
    external = samples["external"].to_numpy(dtype=np.float64)
    points = []
    for extra in extras:
        saved = np.nan_to_num(np.maximum(external - extra, 0.0))
        cut = saved > 0
        points.append(
            Stopped(extra, float(np.where(cut, 1.0, right).mean()), float((output - saved).mean()), float(cut.mean()))
        )
    return [*points, Stopped(None, float(right.mean()), float(output.mean()), 0.0)]
