"""Intervals that say which method they come from."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Method = Literal[
    "wilson", "cluster bootstrap", "problem bootstrap", "task-stratified bootstrap", "Student t", "Fisher z", "MOVER"
]

LEVEL = 0.95
DRAWS = 1_000
_CHUNK = 1 << 20  # indices held at once, 8 MiB


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval.

    Attributes:
        low: Lower end, in the figure's own unit.
        high: Upper end.
        level: Confidence, e.g. 0.95.
        method: How it was made.
    """

    low: float
    high: float
    level: float
    method: Method


@lru_cache(maxsize=4_096)  # of few different arguments in a study, and scipy takes milliseconds each
def wilson(successes: int, n: int, level: float = LEVEL) -> Interval | None:
    """Return Wilson's score interval of a share of ``n`` independent trials; None for no trials.

    Source: Wilson 1927, without continuity correction. Repeats of one problem are not independent: for them there
    is :func:`resampled_means`.
    """
    if n == 0:
        return None
    from scipy.stats import binomtest

    found = binomtest(successes, n).proportion_ci(confidence_level=level, method="wilson")
    return Interval(float(found.low), float(found.high), level, "wilson")


def bootstrap_rng(name: str) -> np.random.PCG64:
    """Return a source of bits that depends on ``name`` alone, so that a task's interval does not depend on the others.

    Its raw words are read, never a ``Generator``, whose stream may change with numpy's version.
    """
    digest = hashlib.sha256(name.encode("utf-8")).digest()
    return np.random.PCG64(int.from_bytes(digest[:16], "little"))


def _indices(random: np.random.PCG64, n: int, shape: tuple[int, int]) -> NDArray[np.int64]:
    """Return draws from ``range(n)``, row after row; their bias is below n / 2**32 of a share."""
    words = random.random_raw(shape[0] * shape[1]) >> np.uint64(32)
    return (words * np.uint64(n) >> np.uint64(32)).astype(np.int64).reshape(shape)


def resampled_means(
    values: ArrayLike, clusters: ArrayLike, random: np.random.PCG64, draws: int = DRAWS
) -> NDArray[np.float64] | None:
    """Return the means of ``draws`` samples in which whole clusters are drawn with replacement.

    Args:
        values: A row a sample, a column a figure, shape (samples, figures).
        clusters: The cluster of each sample, e.g. its problem.
        random: Where the draws come from; all columns share them.
        draws: Number of bootstrap samples.

    Returns:
        Shape (draws, figures), or None below two clusters: one problem says nothing about others.
    """
    table = np.asarray(values, dtype=np.float64)
    names, cluster_of = np.unique(np.asarray(clusters), return_inverse=True)
    n = len(names)
    if n < 2:
        return None
    sums = np.stack([np.bincount(cluster_of, column, n) for column in table.T], axis=1)
    sizes = np.bincount(cluster_of, minlength=n).astype(np.float64)
    means = np.empty((draws, table.shape[1]))
    chunk = max(1, _CHUNK // n)
    for start in range(0, draws, chunk):
        drawn = _indices(random, n, (min(chunk, draws - start), n))
        total = sizes[drawn].sum(axis=1)
        for figure in range(table.shape[1]):
            means[start : start + chunk, figure] = sums[:, figure][drawn].sum(axis=1) / total
    return means


def mean_of_draws(draws: Sequence[NDArray[np.float64] | None]) -> NDArray[np.float64] | None:
    """Return the draws of the mean over tasks, each resampled on its own.

    Args:
        draws: Those of each task, all of one shape; None of a task with below two problems.

    Returns:
        The same shape, or None if there is no task or one has no draws.
    """
    known = [task for task in draws if task is not None]
    return np.mean(known, axis=0) if known and len(known) == len(draws) else None


def mean_interval(parts: Sequence[tuple[float, Interval]]) -> Interval:
    """Return the interval of the mean of independent figures from theirs.

    low = mean - sqrt(sum (x_i - low_i)^2) / k, high alike. Source: Zou and Donner 2008 (MOVER).

    Args:
        parts: Each figure with its interval; at least one, all of one level.
    """
    figures, intervals = zip(*parts, strict=True)
    mean = float(np.mean(figures))
    below = math.hypot(*(figure - found.low for figure, found in parts)) / len(parts)
    above = math.hypot(*(found.high - figure for figure, found in parts)) / len(parts)
    return Interval(mean - below, mean + above, intervals[0].level, "MOVER")


def percentile_interval(draws: ArrayLike, method: Method, level: float = LEVEL) -> Interval:
    """Return the middle ``level`` of bootstrap draws of one figure.

    The percentile method is a little narrow for few problems and has no width where all of them agree.
    """
    low, high = np.quantile(np.asarray(draws), [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high), level, method)
