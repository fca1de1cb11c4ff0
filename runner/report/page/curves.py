"""Numbers behind the plots: budget curves with their fits, and distributions of token lengths."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from runner.report.choices import alike_but, level, rows, varying
from runner.report.numbers import missing

if TYPE_CHECKING:
    import pandas as pd

    from bench.metrics.budget_curve import BudgetFit

_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
_BINS_A_DOUBLING = 3


def budget_curves(points: pd.DataFrame, samples: Mapping[str, pd.DataFrame]) -> list[dict[str, Any]]:
    """Return a curve for each group of runs that differ in their budget alone, where three budgets or more allow it."""
    import pandas as pd

    from bench.metrics.budget_curve import fit_budget_curve

    every, names, found = rows(points), varying(points), []
    for group in alike_but(points, "budget"):
        capped = [samples[every[place]["run"]].assign(cap=every[place]["budget"]) for place in group]
        fit = fit_budget_curve(pd.concat([frame.astype({"cap": "float64"}) for frame in capped]))
        if fit is not None:
            found.append({"label": _without_budget(every[group[0]], names), **_curve(fit, every, group)})
    return found


def _curve(fit: BudgetFit, every: Sequence[Mapping[Hashable, Any]], group: list[int]) -> dict[str, Any]:
    budgets = {place: every[place]["budget"] for place in group}
    runs = {None if missing(budget) else float(budget): place for place, budget in budgets.items()}
    return {
        "a_max": fit.a_max,
        "a_max_interval": _ends(fit.a_max_interval),
        "tau": fit.tau,
        "tau_interval": _ends(fit.tau_interval),
        "rmse": fit.rmse,
        "problems": fit.problems,
        "points": [
            {
                "budget": point.budget,
                "capped": point.capped,
                "accuracy": point.accuracy,
                "residual": point.residual,
                "run": runs.get(point.budget if point.capped else None),
            }
            for point in fit.points
        ],
    }


def _ends(interval: Any) -> list[float] | None:
    return None if interval is None else [interval.low, interval.high]


def _without_budget(row: Mapping[Hashable, Any], names: Sequence[str]) -> str:
    return ", ".join(level(row, name) for name in names if name != "budget")


def lengths(points: pd.DataFrame, samples: Mapping[str, pd.DataFrame]) -> dict[str, Any]:
    """Return the distribution of output tokens of every run: quantiles, and counts in bins of equal ratio.

    A cut output is longer than it shows, so it is counted apart; a quantile that falls among cut outputs is a lower
    bound and is marked as open.
    """
    import numpy as np

    longest = max((float(frame["output_tokens"].max()) for frame in samples.values() if len(frame)), default=1.0)
    edges = 2 ** (np.arange(0, np.ceil(np.log2(max(longest, 2)) * _BINS_A_DOUBLING) + 2) / _BINS_A_DOUBLING)
    found = []
    for row in rows(points):
        frame = samples[row["run"]]
        answers = frame[frame["status"] != "error"]
        tokens = answers["output_tokens"].to_numpy(dtype="float64")
        cut = (answers["status"] == "truncated").to_numpy(dtype=bool)
        found.append(
            {
                "n": len(tokens),
                "quantiles": np.quantile(tokens, _QUANTILES) if len(tokens) else [None] * len(_QUANTILES),
                "open": [bool(cut.any() and np.quantile(tokens, q) >= tokens[cut].min()) for q in _QUANTILES],
                "cut": int(cut.sum()),
                "whole": np.histogram(tokens[~cut].clip(1), edges)[0],
                "hidden": np.histogram(tokens[cut].clip(1), edges)[0],
            }
        )
    return {"edges": edges, "runs": found}
