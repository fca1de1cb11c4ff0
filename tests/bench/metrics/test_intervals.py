"""Intervals are the named ones, and draws depend on nothing but data and name."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import norm

from bench.metrics.intervals import (
    Interval,
    bootstrap_rng,
    mean_of_draws,
    percentile_interval,
    resampled_means,
    wilson,
)


@pytest.mark.parametrize(("right", "n"), [(0, 10), (10, 10), (3, 7), (500, 1000), (1, 1)])
def test_wilson_is_the_textbook_formula(right: int, n: int) -> None:
    z, share = norm.ppf(0.975), right / n
    middle = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    found = wilson(right, n)
    assert found is not None
    assert (found.low, found.high) == pytest.approx((middle - half, middle + half), abs=1e-9)
    assert (found.level, found.method) == (0.95, "wilson")


def test_zero_samples_have_no_interval() -> None:
    assert wilson(0, 0) is None
    assert resampled_means(np.empty((0, 1)), [], bootstrap_rng("x")) is None
    assert resampled_means([[1.0], [0.0]], ["a", "a"], bootstrap_rng("x")) is None  # one problem says nothing of others


def coins(n: int) -> NDArray[np.float64]:
    return (bootstrap_rng("data").random_raw(n) >> np.uint64(63)).astype(np.float64)


def interval_of_mean(values: NDArray[np.float64], clusters: NDArray[np.int64]) -> Interval:
    draws = resampled_means(values[:, None], clusters, bootstrap_rng("x"))
    assert draws is not None
    return percentile_interval(draws[:, 0], "cluster bootstrap")


def test_the_bootstrap_agrees_with_the_normal_interval() -> None:
    values = coins(2_000)
    found = interval_of_mean(values, np.arange(2_000))
    assert found.high - found.low == pytest.approx(2 * 1.96 * values.std() / np.sqrt(2_000), rel=0.1)
    assert found.low < values.mean() < found.high


def test_repeats_that_agree_count_as_one_sample() -> None:
    values = coins(300)
    repeated = interval_of_mean(np.repeat(values, 8), np.repeat(np.arange(300), 8))
    assert repeated == interval_of_mean(values, np.arange(300))


def test_clusters_of_different_size_give_the_mean_of_samples() -> None:
    draws = resampled_means([[1.0], [0.0], [0.0], [0.0]], ["a", "b", "b", "b"], bootstrap_rng("x"))
    assert draws is not None
    assert set(draws.ravel()) == {0.0, 0.25, 1.0}


def test_columns_share_their_draws() -> None:
    values = np.arange(50.0)
    draws = resampled_means(np.column_stack((values, 2 * values)), np.arange(50), bootstrap_rng("x"))
    assert draws is not None
    assert np.allclose(draws[:, 1], 2 * draws[:, 0])


def test_more_clusters_than_a_chunk_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    values, clusters = np.arange(40.0)[:, None], np.arange(40)
    whole = resampled_means(values, clusters, bootstrap_rng("x"), draws=101)
    monkeypatch.setattr("bench.metrics.intervals._CHUNK", 400)
    pieces = resampled_means(values, clusters, bootstrap_rng("x"), draws=101)
    assert whole is not None
    assert pieces is not None
    assert np.array_equal(whole, pieces)


def test_draws_are_the_same_on_every_machine_and_others_for_every_name() -> None:
    assert bootstrap_rng("sum").random_raw(2).tolist() == [9_819_831_612_225_221_975, 9_702_255_527_253_309_858]
    draws = resampled_means(np.arange(7.0)[:, None], np.arange(7), bootstrap_rng("sum"), draws=4)
    assert draws is not None
    assert (draws[:, 0] * 7).round(9).tolist() == [24, 21, 23, 26]
    assert bootstrap_rng("mean").random_raw(2).tolist() != bootstrap_rng("sum").random_raw(2).tolist()


def test_draws_over_tasks_are_means_of_draws_and_none_where_one_task_has_none() -> None:
    one, other = np.array([[0.0], [1.0]]), np.array([[1.0], [0.0]])
    over = mean_of_draws([one, other, other])
    assert over is not None
    assert over.tolist() == [[pytest.approx(2 / 3)], [pytest.approx(1 / 3)]]
    assert mean_of_draws([one, None]) is mean_of_draws([]) is None


def test_a_percentile_interval_holds_the_middle() -> None:
    found = percentile_interval(np.arange(1_001), "problem bootstrap", 0.9)
    assert (found.low, found.high) == pytest.approx((50, 950))
