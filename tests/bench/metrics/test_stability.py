"""Only a run that sets a bound can move others."""

from __future__ import annotations

import pytest

from bench.metrics.stability import leave_one_out

# `wordy` is far out: without it, the differences in length of the others count for much more.
RUNS = {
    "wordy": (0.9, 10_000.0),
    "long": (0.9, 1_000.0),
    "a": (0.7, 600.0),
    "b": (0.6, 500.0),
    "c": (0.5, 400.0),
    "d": (0.4, 300.0),
    "brief": (0.3, 100.0),
}


def test_the_outlier_moves_the_others_and_the_inner_ones_do_not() -> None:
    found = leave_one_out(RUNS, dropped=2)
    assert found is not None
    assert [(drop.run, drop.among) for drop in found.drops] == [
        ("wordy", "most"),
        ("long", "most"),
        ("brief", "least"),
        ("d", "least"),
    ]
    wordy, long, _, d = found.drops
    # Before, `long` has E 10/11 and is best of the six; after, it is the longest and has O 0.
    assert (wordy.agreement.largest_drift, wordy.agreement.largest_rank_change) == ("long", 5)
    assert wordy.largest_score_change == pytest.approx(2 * 0.9 * (1 - 900 / 9_900) / (0.9 + 1 - 900 / 9_900))
    for inner in (long, d):
        assert (inner.agreement.tau, inner.largest_score_change) == (pytest.approx(1), 0)
    assert (found.largest_rank_change, found.largest_drift) == (5, "long")
    assert found.lowest_tau == wordy.agreement.tau
    assert found.lowest_tau is not None
    assert found.lowest_tau < 1


def test_a_small_pool_drops_each_run_once() -> None:
    found = leave_one_out(RUNS)
    assert found is not None
    assert sorted(drop.run for drop in found.drops) == sorted(RUNS)


def test_five_runs_can_not_spare_one() -> None:
    assert leave_one_out(dict(list(RUNS.items())[:5])) is None
    assert leave_one_out({}) is None
