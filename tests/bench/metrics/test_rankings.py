"""Rankings and how far they agree."""

from __future__ import annotations

import pytest

from bench.metrics.rankings import Place, agreement, ranking


def test_places() -> None:
    assert ranking({"a": 0.5, "b": 0.9, "c": 0.5, "d": None}) == (
        Place("b", 0.9, 1.0),
        Place("a", 0.5, 2.5),
        Place("c", 0.5, 2.5),
    )
    assert ranking({}) == ()


def test_an_exchange_worked_out_by_hand() -> None:
    found = agreement({"a": 4, "b": 3, "c": 2, "d": 1}, {"a": 4, "c": 3, "b": 2, "d": 1})
    assert found is not None
    assert found.tau == pytest.approx(4 / 6)  # 5 pairs agree, 1 does not
    assert found.rho == pytest.approx(1 - 6 * 2 / (4 * 15))
    assert (found.n, found.mean_rank_change, found.largest_rank_change, found.largest_drift) == (4, 0.5, 1, "b")


def test_ranks_are_taken_among_the_shared_runs() -> None:
    found = agreement({"a": 4, "x": 3, "b": 2, "y": None}, {"a": 4, "b": 2, "y": 9})
    assert found is not None
    assert (found.n, found.tau, found.largest_drift) == (2, 1, None)


def test_without_an_order_there_is_no_tau() -> None:
    tied = agreement({"a": 1, "b": 1}, {"a": 1, "b": 2})
    assert tied is not None
    assert (tied.tau, tied.rho) == (None, None)
    assert agreement({"a": 1}, {"b": 1}) is None
