"""A run against a baseline run: accuracy and length in one number, with intervals."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from bench.metrics.intervals import Interval, bootstrap_rng, percentile_interval, resampled_means
from bench.metrics.samples import answered

ALPHA, BETA, GAMMA = 1.0, 3.0, 5.0


@dataclass(frozen=True, slots=True)
class Scored:
    """A score of a run against a baseline.

    Attributes:
        value: None where it is undefined.
        interval: Paired bootstrap by problem; None below two problems, or where it is undefined in some draw.
    """

    value: float | None
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class Against:
    """A run against a baseline run over the problems that both answered, repeats averaged first.

    Attributes:
        problems: How many.
        accuracy: The run's.
        baseline_accuracy: The baseline's.
        tokens: The run's mean output tokens.
        baseline_tokens: The baseline's.
        aes: Accuracy-efficiency score.
        equilibrium: The smooth score, see :func:`equilibrium`.
    """

    problems: int
    accuracy: float | None
    baseline_accuracy: float | None
    tokens: float | None
    baseline_tokens: float | None
    aes: Scored
    equilibrium: Scored


def aes(accuracy: float, tokens: float, baseline_accuracy: float, baseline_tokens: float) -> float | None:
    """Return the accuracy-efficiency score of Luo et al. 2025 (O1-Pruner), with (α, β, γ) = (1, 3, 5).

    α·ΔLen + β·ΔAcc where ΔAcc >= 0, else α·ΔLen - γ·|ΔAcc|, with ΔLen = (L_b - L)/L_b and ΔAcc = (A - A_b)/A_b.

    Args:
        accuracy: The run's, in [0, 1].
        tokens: Its mean length.
        baseline_accuracy: The baseline's.
        baseline_tokens: Its mean length.

    Returns:
        None where the baseline is never right or writes nothing.
    """
    if not baseline_accuracy > 0 or not baseline_tokens > 0:
        return None
    shorter = (baseline_tokens - tokens) / baseline_tokens
    better = (accuracy - baseline_accuracy) / baseline_accuracy
    return ALPHA * shorter + (BETA if better >= 0 else GAMMA) * better


def equilibrium(accuracy: float, tokens: float, baseline_accuracy: float, baseline_tokens: float) -> float | None:
    """Return a score without the kink of :func:`aes`, in the style of the E3-Score of Huang et al. 2025.

    A weighted harmonic mean (a CES function with ρ = -1) of the relative accuracy a = A/A_b, weight w = A_b, and the
    relative brevity s = L_b/L, weight 1 - w: 1/(w/a + (1 - w)/s). 1 is the baseline; the better the baseline, the
    more accuracy counts.

    Limit: the published score may measure relative accuracy otherwise; compare this one only with itself.

    Returns:
        None where the baseline is never right, or one of both writes nothing.
    """
    if not baseline_accuracy > 0 or not baseline_tokens > 0 or not tokens > 0:
        return None
    if not accuracy > 0:
        return 0.0
    weight = baseline_accuracy
    return 1 / (weight * baseline_accuracy / accuracy + (1 - weight) * tokens / baseline_tokens)


def against(run: pd.DataFrame, baseline: pd.DataFrame) -> Against:
    """Return a run's scores against a baseline run, over the problems that both answered.

    Args:
        run: A row a sample with ``problem_id``, ``status``, ``outcome`` and ``output_tokens``.
        baseline: The same of the baseline.
    """
    both = _by_problem(run).join(_by_problem(baseline).add_suffix("_b"), how="inner").sort_index()
    if both.empty:
        none = Scored(None, None)
        return Against(0, None, None, None, None, none, none)
    accuracy, tokens, baseline_accuracy, baseline_tokens = (float(mean) for mean in both.to_numpy().mean(axis=0))
    digest = hashlib.sha256("\n".join(both.index).encode("utf-8")).hexdigest()
    draws = resampled_means(both.to_numpy(), np.arange(len(both)), bootstrap_rng(f"against {digest}"))
    first, smooth = (
        Scored(score(accuracy, tokens, baseline_accuracy, baseline_tokens), _interval(score, draws))
        for score in (aes, equilibrium)
    )
    return Against(len(both), accuracy, baseline_accuracy, tokens, baseline_tokens, first, smooth)


def _by_problem(samples: pd.DataFrame) -> pd.DataFrame:
    answers = answered(samples)
    frame = pd.DataFrame(
        {
            "problem_id": answers["problem_id"].astype(str).to_numpy(),
            "accuracy": (answers["outcome"] == "correct").to_numpy(dtype=np.float64),
            "tokens": answers["output_tokens"].to_numpy(dtype=np.float64),
        }
    )
    means: pd.DataFrame = frame.groupby("problem_id").mean()
    return means


def _interval(score: Callable[[float, float, float, float], float | None], draws: np.ndarray | None) -> Interval | None:
    if draws is None:
        return None
    values = [score(*(float(value) for value in row)) for row in draws]
    return None if None in values else percentile_interval([v for v in values if v is not None], "problem bootstrap")
