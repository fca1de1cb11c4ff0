"""Rankings of runs, and how far two of them agree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Place:
    """A run's place in a ranking.

    Attributes:
        name: The run.
        score: What it is ranked by.
        rank: 1 is best; equal scores share the mean of their ranks.
    """

    name: str
    score: float
    rank: float


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far two rankings of the same runs agree.

    Attributes:
        n: Runs in both.
        tau: Kendall's tau-b in [-1, 1]; None below two runs or where one ranking holds nothing but ties.
        rho: Spearman's rho, None where tau is.
        mean_rank_change: Mean of |rank after - rank before|.
        largest_rank_change: The largest of them.
        largest_drift: The run whose rank changed most; of several the first by name. None if no rank changed.
    """

    n: int
    tau: float | None
    rho: float | None
    mean_rank_change: float
    largest_rank_change: float
    largest_drift: str | None


def ranking(scores: Mapping[str, float | None]) -> tuple[Place, ...]:
    """Return the runs that have a score, highest first; equal ones by name."""
    known = {name: score for name, score in scores.items() if score is not None}
    ranks = dict(zip(known, _ranks(known), strict=True))
    places = (Place(name, score, float(ranks[name])) for name, score in known.items())
    return tuple(sorted(places, key=lambda place: (place.rank, place.name)))


def agreement(before: Mapping[str, float | None], after: Mapping[str, float | None]) -> Agreement | None:
    """Compare two rankings over the runs that have a score in both; None without such a run.

    Source: Kendall 1945 (tau-b, which allows for ties), Spearman 1904; rank changes as in LLMThinkBench's stability
    study. Ranks are taken anew among the shared runs.
    """
    shared = sorted(name for name in before if before[name] is not None and after.get(name) is not None)
    if not shared:
        return None
    first, second = (_ranks({name: scores[name] or 0.0 for name in shared}) for scores in (before, after))
    change = np.abs(second - first)
    tau, rho = _correlated(first, second)
    worst = int(change.argmax())
    return Agreement(
        n=len(shared),
        tau=tau,
        rho=rho,
        mean_rank_change=float(change.mean()),
        largest_rank_change=float(change[worst]),
        largest_drift=shared[worst] if change[worst] > 0 else None,
    )


def _ranks(scores: Mapping[str, float]) -> NDArray[np.float64]:
    from scipy.stats import rankdata

    return np.asarray(rankdata([-score for score in scores.values()]), dtype=np.float64)


def _correlated(first: NDArray[np.float64], second: NDArray[np.float64]) -> tuple[float | None, float | None]:
    if len(first) < 2 or np.ptp(first) == 0 or np.ptp(second) == 0:
        return None, None
    from scipy.stats import kendalltau, spearmanr

    return float(kendalltau(first, second).statistic), float(spearmanr(first, second).statistic)
