"""Does the ranking hang on one run? Drop a run, take the bounds anew, and look how the others move."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from bench.metrics.overthinking import overthinking_score
from bench.metrics.pool import MIN_RUNS, pool_bounds
from bench.metrics.rankings import Agreement, agreement

DROPPED = 5


@dataclass(frozen=True, slots=True)
class Drop:
    """What dropping one run does to the others.

    Attributes:
        run: The dropped one.
        among: Whether it is among the runs with most or with fewest tokens.
        agreement: Of the others' ranking before and after; before, they are ranked by their old scores.
        largest_score_change: Largest |O after - O before| among the others.
    """

    run: str
    among: Literal["most", "least"]
    agreement: Agreement
    largest_score_change: float


@dataclass(frozen=True, slots=True)
class Stability:
    """Leave-one-out stability of a ranking.

    Attributes:
        drops: A line a dropped run: the most verbose first, then the least verbose.
        lowest_tau: The lowest Kendall tau; None where none exists.
        lowest_rho: The lowest Spearman rho; None where none exists.
        mean_rank_change: Mean over the drops.
        largest_rank_change: Over all drops.
        largest_drift: The run that moved so far; None if no rank changed.
    """

    drops: tuple[Drop, ...]
    lowest_tau: float | None
    lowest_rho: float | None
    mean_rank_change: float
    largest_rank_change: float
    largest_drift: str | None


def leave_one_out(runs: Mapping[str, tuple[float, float]], dropped: int = DROPPED) -> Stability | None:
    """Drop each of the most and least verbose runs, take ``pool`` bounds of the rest, and compare the rankings.

    Source: LLMThinkBench, leave-one-out study. Only a run that sets a bound, or ties with it, can change scores: all
    other drops agree fully.

    Args:
        runs: Mean accuracy in [0, 1] and mean output tokens by run.
        dropped: How many of the most and of the least verbose are dropped, one at a time.

    Returns:
        None if the rest would be below :data:`bench.metrics.pool.MIN_RUNS` runs.
    """
    if len(runs) <= MIN_RUNS:
        return None
    verbose = sorted(runs, key=lambda run: (-runs[run][1], run))
    most = verbose[:dropped]
    least = [run for run in reversed(verbose[-dropped:]) if run not in most]
    before = _scores(runs)
    drops = (*(_drop(runs, before, run, "most") for run in most), *(_drop(runs, before, run, "least") for run in least))
    return _worst(drops)


def _worst(drops: tuple[Drop, ...]) -> Stability:
    agreements = [drop.agreement for drop in drops]
    taus = [found.tau for found in agreements if found.tau is not None]
    rhos = [found.rho for found in agreements if found.rho is not None]
    furthest = max(agreements, key=lambda found: found.largest_rank_change)
    return Stability(
        drops=drops,
        lowest_tau=min(taus, default=None),
        lowest_rho=min(rhos, default=None),
        mean_rank_change=float(np.mean([found.mean_rank_change for found in agreements])),
        largest_rank_change=furthest.largest_rank_change,
        largest_drift=furthest.largest_drift,
    )


def _drop(
    runs: Mapping[str, tuple[float, float]], before: Mapping[str, float], run: str, among: Literal["most", "least"]
) -> Drop:
    after = _scores({name: figures for name, figures in runs.items() if name != run})
    found = agreement(before, after)
    assert found is not None  # at least MIN_RUNS runs are left
    return Drop(run, among, found, max(abs(after[name] - before[name]) for name in after))


def _scores(runs: Mapping[str, tuple[float, float]]) -> dict[str, float]:
    accuracy, tokens = (np.array(column) for column in zip(*runs.values(), strict=True))
    bounds = pool_bounds(tokens)
    assert bounds is not None
    return dict(zip(runs, overthinking_score(accuracy, tokens, bounds).tolist(), strict=True))
