"""Accuracy against parameters, family by family."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log10

import numpy as np

from bench.metrics.intervals import LEVEL, Interval
from bench.metrics.models import ModelFigures


@dataclass(frozen=True, slots=True)
class FamilyTrend:
    """One family's models by size.

    Attributes:
        family: Its name.
        models: Name, parameters in billions and accuracy, smallest first; those of unknown size are left out.
        slope: Accuracy gained by ten times the parameters, least squares; None below two sizes.
        interval: Of the slope, Student t; None below three models.
        reversals: Neighbours in size (smaller, larger) of which the larger is less accurate.
    """

    family: str
    models: tuple[tuple[str, float, float], ...]
    slope: float | None
    interval: Interval | None
    reversals: tuple[tuple[str, str], ...]


def family_trends(models: Sequence[ModelFigures]) -> tuple[FamilyTrend, ...]:
    """Return accuracy = a + slope log10(parameters) of each family that has a model of known size, by name.

    Source: LLMThinkBench, accuracy against parameters by family. A reversal is a fact about two means; whether it is
    noise is what :func:`bench.metrics.pairs.compare` says.
    """
    families: dict[str, list[tuple[str, float, float]]] = {}
    for model in models:
        if model.params_b is not None:
            families.setdefault(model.family, []).append((model.name, model.params_b, model.accuracy))
    return tuple(_trend(name, families[name]) for name in sorted(families))


def _trend(family: str, models: list[tuple[str, float, float]]) -> FamilyTrend:
    ordered = sorted(models, key=lambda model: (model[1], model[0]))
    slope, interval = _slope([log10(size) for _, size, _ in ordered], [accuracy for *_, accuracy in ordered])
    reversals = tuple((one[0], other[0]) for one, other in pairwise(ordered) if one[1] < other[1] and one[2] > other[2])
    return FamilyTrend(family, tuple(ordered), slope, interval, reversals)


def _slope(sizes: list[float], accuracies: list[float]) -> tuple[float | None, Interval | None]:
    if np.ptp(sizes) == 0:
        return None, None
    from scipy.stats import linregress, t

    line = linregress(sizes, accuracies)
    slope, free = float(line.slope), len(sizes) - 2
    if free < 1:
        return slope, None
    half = float(t.ppf((1 + LEVEL) / 2, free) * line.stderr)
    return slope, Interval(slope - half, slope + half, LEVEL, "Student t")
