"""How a figure goes with size, instruction tuning and reasoning tuning over models."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import log10
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from bench.metrics.intervals import LEVEL, Interval
from bench.metrics.models import ModelFigures

MIN_MODELS = 3

Figure = Literal["score", "accuracy", "tokens"]
Property = Literal["size", "instruction_tuning", "reasoning_tuning"]

_PROPERTIES: Mapping[Property, Callable[[ModelFigures], float | None]] = {
    "size": lambda model: None if model.params_b is None else log10(model.params_b),
    "instruction_tuning": lambda model: float(model.kind != "base"),
    "reasoning_tuning": lambda model: float(model.kind == "reasoning"),
}


@dataclass(frozen=True, slots=True)
class Correlation:
    """How two numbers of the same models go together.

    Attributes:
        n: Models that have both.
        r: Pearson's; with a yes-or-no property it is the point-biserial correlation.
        interval: Of ``r``, Fisher z; None below four models.
        r_p: Two-sided p of ``r`` = 0.
        rho: Spearman's.
        rho_p: Two-sided p of ``rho`` = 0.
    """

    n: int
    r: float
    interval: Interval | None
    r_p: float
    rho: float
    rho_p: float


def correlation(first: ArrayLike, second: ArrayLike) -> Correlation | None:
    """Return Pearson's and Spearman's correlation; pairs with NaN are left out.

    Source: Pearson 1895, Fisher 1921 (interval: tanh(atanh r ± z / sqrt(n - 3))), Spearman 1904. The p-values take the
    models as independent; models of one family are not, so they are too small.

    Returns:
        None below :data:`MIN_MODELS` pairs or if one side does not vary.
    """
    x, y = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    both = ~(np.isnan(x) | np.isnan(y))
    x, y = x[both], y[both]
    if len(x) < MIN_MODELS or np.ptp(x) == 0 or np.ptp(y) == 0:
        return None
    from scipy.stats import pearsonr, spearmanr

    pearson, spearman = pearsonr(x, y), spearmanr(x, y)
    ends = pearson.confidence_interval(LEVEL) if len(x) > 3 else None
    return Correlation(
        n=len(x),
        r=float(pearson.statistic),
        interval=None if ends is None else Interval(float(ends.low), float(ends.high), LEVEL, "Fisher z"),
        r_p=float(pearson.pvalue),
        rho=float(spearman.statistic),
        rho_p=float(spearman.pvalue),
    )


def correlations(models: Sequence[ModelFigures], figure: Figure = "score") -> dict[Property, Correlation | None]:
    """Return how a figure goes with log10 of the parameters, with any tuning (0/1), with reasoning tuning (0/1).

    Source: LLMThinkBench. Reasoning models are no sample of all models, so none of these is an effect: for that there
    is :mod:`bench.metrics.matched`.
    """
    values = [_number(getattr(model, figure)) for model in models]
    return {name: correlation([_number(read(model)) for model in models], values) for name, read in _PROPERTIES.items()}


def _number(value: float | None) -> float:
    return float("nan") if value is None else value
