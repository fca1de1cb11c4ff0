"""Correlations are scipy's, and there is none without variation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm, pointbiserialr

from bench.metrics.correlation import correlation, correlations
from bench.metrics.models import Kind, ModelFigures


def model(name: str, kind: Kind, params_b: float | None, accuracy: float) -> ModelFigures:
    return ModelFigures(name, "f", kind, params_b, accuracy, 100.0)


def test_the_interval_is_fishers() -> None:
    random = np.random.default_rng(0)
    x = random.normal(size=30)
    y = x + random.normal(size=30)
    found = correlation(x, y)
    assert found is not None
    assert found.interval is not None
    half = norm.ppf(0.975) / np.sqrt(27)
    expected = np.tanh(np.arctanh(np.corrcoef(x, y)[0, 1]) + np.array([-half, half]))
    assert (found.interval.low, found.interval.high) == pytest.approx(tuple(expected))
    assert found.r == pytest.approx(np.corrcoef(x, y)[0, 1])


def test_properties_of_models() -> None:
    models = [
        model("a", "base", 1, 0.2),
        model("b", "instruct", 10, 0.3),
        model("c", "instruct", 100, 0.4),
        model("d", "reasoning", None, 0.9),
    ]
    found = correlations(models, "accuracy")
    assert found["size"] is not None
    assert (found["size"].n, found["size"].r, found["size"].rho) == (3, pytest.approx(1), pytest.approx(1))
    assert found["size"].interval is None  # three models
    assert found["reasoning_tuning"] is not None
    expected = pointbiserialr([0, 0, 0, 1], [0.2, 0.3, 0.4, 0.9]).statistic
    assert found["reasoning_tuning"].r == pytest.approx(expected)
    assert found["instruction_tuning"] is not None


def test_without_variation_there_is_none() -> None:
    same = [model(name, "instruct", 7, 0.1 * n) for n, name in enumerate("abcd")]
    assert set(correlations(same, "accuracy").values()) == {None}
    assert set(correlations(same, "score").values()) == {None}  # nobody has a score
    assert correlations([], "score")["size"] is None
    assert correlation([1, 2, np.nan], [1, 2, 3]) is None
