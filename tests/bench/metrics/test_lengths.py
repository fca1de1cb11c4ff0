"""Log-normal lengths behind a cap, and models that never stop."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import CensoredData, lognorm, norm

from bench.metrics.lengths import fit_lengths, pile_up


def drawn(n: int, mu: float = 6.0, sigma: float = 1.0, seed: int = 0) -> np.ndarray:
    return np.exp(np.random.default_rng(seed).normal(mu, sigma, n))


def test_without_caps_it_is_the_mean_and_spread_of_logarithms() -> None:
    tokens = drawn(500)
    found = fit_lengths(tokens, np.zeros(500, dtype=bool))
    assert found is not None
    assert (found.mu, found.sigma) == pytest.approx((np.log(tokens).mean(), np.log(tokens).std()))
    assert found.mean == pytest.approx(np.exp(found.mu + found.sigma**2 / 2))


def test_a_cut_length_is_censored_as_scipy_does() -> None:
    tokens = drawn(2_000)
    caps = np.where(np.arange(2_000) % 2, 500.0, 900.0)
    cut = tokens > caps
    shown = np.minimum(tokens, caps)
    found = fit_lengths(shown, cut)
    shape, _, scale = lognorm.fit(CensoredData.right_censored(shown, cut), floc=0)
    assert found is not None
    assert (found.sigma, found.median) == pytest.approx((shape, scale), rel=1e-3)
    assert (found.mu, found.sigma) == pytest.approx((6, 1), abs=0.06)  # the truth, though a third is hidden
    assert found.censored == cut.sum()


def test_empty_outputs_are_counted_apart() -> None:
    found = fit_lengths([0, 10, 20, 30, 0], [False] * 5)
    assert found is not None
    assert (found.n, found.empty) == (3, 2)


def test_too_little_for_a_fit() -> None:
    assert fit_lengths([], []) is None
    assert fit_lengths([5, 5, 5, 5], [False] * 4) is None
    assert fit_lengths([5, 6, 7], [True] * 3) is None
    assert pile_up([5, 6], [False, False], 10) is None


def test_one_mode_cut_by_a_cap_is_no_pile() -> None:
    tokens = drawn(4_000)
    found = pile_up(np.minimum(tokens, 900), tokens > 900, 900)
    assert found is not None
    assert found.p > 0.05
    assert found.p == pytest.approx(norm.sf(found.statistic**0.5) if found.statistic else 1)
    assert found.share < 0.03
    assert found.near == pytest.approx(found.expected, rel=0.1)


def test_a_broken_stop_piles_up_at_the_cap() -> None:
    tokens = drawn(2_000)
    tokens[:200] = np.inf
    found = pile_up(np.minimum(tokens, 4_000), tokens > 4_000, 4_000)
    assert found is not None
    assert found.share == pytest.approx(0.1, abs=0.02)
    assert found.p < 1e-6


def test_a_mode_that_stops_just_below_the_cap_counts_too() -> None:
    tokens = drawn(2_000, mu=5, sigma=0.7)
    tokens[:200] = np.random.default_rng(1).uniform(3_700, 3_990, 200)
    found = pile_up(tokens, np.zeros(2_000, dtype=bool), 4_000)
    assert found is not None
    assert (found.near, found.share) == (200, pytest.approx(0.1, abs=0.005))


def test_p_is_right_where_there_is_one_mode() -> None:
    small = 0
    for seed in range(40):
        tokens = drawn(300, seed=seed)
        found = pile_up(np.minimum(tokens, 900), tokens > 900, 900)
        small += found is not None and found.p < 0.1
    assert small <= 9  # 4 are expected; more than 9 in 1 of 200 such studies
