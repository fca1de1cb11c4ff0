"""Intervals are the named ones, and draws depend on nothing but data and name."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from bench.metrics.intervals import cluster_bootstrap, percentile_interval, resampled_means, stream, wilson


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
    assert cluster_bootstrap([], [], stream("x")) is None
    assert cluster_bootstrap([1.0, 0.0], ["a", "a"], stream("x")) is None  # one problem says nothing of others


def test_the_bootstrap_agrees_with_the_normal_interval() -> None:
    values = stream("data").integers(0, 2, 2_000).astype(float)
    found = cluster_bootstrap(values, np.arange(2_000), stream("x"))
    assert found is not None
    assert found.high - found.low == pytest.approx(2 * 1.96 * values.std() / np.sqrt(2_000), rel=0.1)
    assert found.low < values.mean() < found.high


def test_repeats_that_agree_count_as_one_sample() -> None:
    values = stream("data").integers(0, 2, 300).astype(float)
    single = cluster_bootstrap(values, np.arange(300), stream("x"))
    repeated = cluster_bootstrap(np.repeat(values, 8), np.repeat(np.arange(300), 8), stream("x"))
    assert single == repeated


def test_clusters_of_different_size_give_the_mean_of_samples() -> None:
    draws = resampled_means([[1.0], [0.0], [0.0], [0.0]], ["a", "b", "b", "b"], stream("x"))
    assert draws is not None
    assert set(draws.ravel()) == {0.0, 0.25, 1.0}


def test_columns_share_their_draws() -> None:
    values = np.arange(50.0)
    draws = resampled_means(np.column_stack((values, 2 * values)), np.arange(50), stream("x"))
    assert draws is not None
    assert np.allclose(draws[:, 1], 2 * draws[:, 0])


def test_more_clusters_than_a_chunk_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    values, clusters = np.arange(40.0)[:, None], np.arange(40)
    whole = resampled_means(values, clusters, stream("x"), draws=101)
    monkeypatch.setattr("bench.metrics.intervals._CHUNK", 400)
    pieces = resampled_means(values, clusters, stream("x"), draws=101)
    assert whole is not None
    assert pieces is not None
    assert np.array_equal(whole, pieces)


def test_names_have_streams_of_their_own() -> None:
    assert stream("sum").integers(0, 100, 8).tolist() == stream("sum").integers(0, 100, 8).tolist()
    assert stream("sum").integers(0, 100, 8).tolist() != stream("mean").integers(0, 100, 8).tolist()


def test_a_percentile_interval_holds_the_middle() -> None:
    found = percentile_interval(np.arange(1_001), "problem bootstrap", 0.9)
    assert (found.low, found.high) == pytest.approx((50, 950))
