"""Accuracy against parameters, family by family."""

from __future__ import annotations

import pytest
from scipy.stats import linregress, t

from bench.metrics.families import family_trends
from bench.metrics.models import ModelFigures


def model(name: str, family: str, params_b: float | None, accuracy: float) -> ModelFigures:
    return ModelFigures(name, family, "instruct", params_b, accuracy, 100.0)


def test_a_tenfold_size_by_hand() -> None:
    found = family_trends([model("large", "q", 10, 0.7), model("small", "q", 1, 0.4), model("?", "closed", None, 0.9)])
    assert [(trend.family, [name for name, *_ in trend.models]) for trend in found] == [("q", ["small", "large"])]
    assert (found[0].slope, found[0].interval, found[0].reversals) == (pytest.approx(0.3), None, ())


def test_the_interval_and_a_larger_model_that_is_worse() -> None:
    sizes, accuracies = [1, 10, 100, 1_000], [0.2, 0.6, 0.5, 0.8]
    (trend,) = family_trends(
        [model(f"m{n}", "q", s, a) for n, (s, a) in enumerate(zip(sizes, accuracies, strict=True))]
    )
    line = linregress([0, 1, 2, 3], accuracies)
    assert trend.interval is not None
    assert trend.interval.high - trend.interval.low == pytest.approx(2 * t.ppf(0.975, 2) * line.stderr)
    assert trend.reversals == (("m1", "m2"),)


def test_one_size_has_no_slope() -> None:
    (trend,) = family_trends([model("a", "q", 7, 0.4), model("b", "q", 7, 0.3)])
    assert (trend.slope, trend.interval, trend.reversals) == (None, None, ())
    assert family_trends([]) == ()
