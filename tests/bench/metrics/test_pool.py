"""Scores under bounds that compared runs give, worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from bench.metrics.grid import Grid
from bench.metrics.overthinking import Bounds
from bench.metrics.pool import pool_bounds, pool_scores, scores_under, second_ranking

RUNS = tuple("abcde")


def table(tokens: np.ndarray, accuracy: float = 0.5) -> Grid:
    means = {"accuracy": np.full(tokens.shape, accuracy), "output_tokens": tokens}
    return Grid(RUNS[: len(tokens)], ("sum", "mean")[: tokens.shape[1]], np.where(np.isnan(tokens), 0, 1), means)


# Mean tokens 100, 200, 300, 400, 500; by task 100..500 and 500..100, but for the last run.
TOKENS = np.array([[0.0, 200], [100, 300], [200, 400], [300, 500], [400, 600]])


def test_the_pools_bounds_are_its_extremes() -> None:
    assert pool_bounds([300, 100, 200, 500, 400]) == Bounds("pool", 100, 500)
    assert pool_bounds([300, 100, 200, 500]) is None  # below five runs
    assert pool_bounds([]) is None


def test_all_bounds_in_both_forms() -> None:
    found = pool_scores(table(TOKENS), Bounds("reference", 0, 1_000))
    assert (found.tasks, found.left_out) == (("sum", "mean"), ())
    assert found.pool == Bounds("pool", 100, 500)
    assert found.task == {"sum": Bounds("task sum", 0, 400), "mean": Bounds("task mean", 200, 600)}
    b = found.scores["b"]
    assert b["reference"].of_means == pytest.approx(2 * 0.5 * 0.8 / 1.3)  # E of 200
    assert b["reference"].mean == pytest.approx((2 * 0.5 * 0.9 / 1.4 + 2 * 0.5 * 0.7 / 1.2) / 2)  # E of 100 and 300
    assert b["pool"].of_means == pytest.approx(2 * 0.5 * 0.75 / 1.25)
    assert b["pool"].mean == pytest.approx((2 * 0.5 * 1 / 1.5 + 2 * 0.5 * 0.5 / 1) / 2)  # E of 100 and 300
    assert b["task"].of_means == pytest.approx(2 * 0.5 * 0.75 / 1.25)
    assert b["task"].mean == pytest.approx(2 * 0.5 * 0.75 / 1.25)
    assert found.scores["e"]["pool"].of_means == 0


def test_few_runs_have_reference_scores_alone() -> None:
    found = pool_scores(table(TOKENS[:4]))
    assert (found.pool, found.task) == (None, None)
    assert {tuple(forms) for forms in found.scores.values()} == {("reference",)}
    assert scores_under(found, "pool") == dict.fromkeys("abcd")
    assert second_ranking(found) is None


def test_a_task_that_one_run_did_not_answer_is_left_out() -> None:
    tokens = TOKENS.copy()
    tokens[3, 1] = np.nan
    found = pool_scores(table(tokens))
    assert (found.tasks, found.left_out) == (("sum",), ("mean",))
    assert found.pool == Bounds("pool", 0, 400)
    nothing = pool_scores(table(np.full((5, 1), np.nan)))
    assert (nothing.tasks, nothing.scores["a"]) == ((), {})


def test_the_second_ranking_does_not_let_one_long_task_decide() -> None:
    tokens = np.array([[10.0, 5_000], [20, 4_000], [30, 3_000], [40, 2_000], [50, 1_000]])
    found = pool_scores(table(tokens))
    assert scores_under(found, "pool")["a"] == 0
    assert scores_under(found, "task")["a"] == pytest.approx(1 / 3)  # E is 1 and 0: O is 2/3 and 0
    second = second_ranking(found)
    assert second is not None
    assert second.n == 5


def test_all_runs_equally_long_are_all_efficient() -> None:
    found = pool_scores(table(np.full((5, 2), 70.0)))
    assert found.scores["a"]["pool"].of_means == found.scores["a"]["task"].mean == pytest.approx(2 * 0.5 / 1.5)
