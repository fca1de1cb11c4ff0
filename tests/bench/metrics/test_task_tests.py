"""All pairs over tasks: scipy's paired t, and adjusted for the number of pairs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ttest_rel

from bench.metrics.grid import Grid
from bench.metrics.task_tests import SPEAKS_ABOUT, task_tests

TASKS = tuple(f"t{number:02}" for number in range(14))


def table(accuracy: np.ndarray) -> Grid:
    rows, tasks = accuracy.shape
    counts = np.where(np.isnan(accuracy), 0, 10)
    return Grid(tuple("abcdefgh"[:rows]), TASKS[:tasks], counts, {"accuracy": accuracy})


def test_every_pair_is_scipys_paired_t() -> None:
    values = np.random.default_rng(0).random((4, 14))
    found = task_tests(table(values))
    assert [(test.a, test.b) for test in found] == [(a, b) for a in "abcd" for b in "abcd" if a < b]
    for test in found:
        expected = ttest_rel(values["abcd".index(test.b)], values["abcd".index(test.a)])
        ends = expected.confidence_interval()
        assert test.interval is not None
        assert (test.t, test.p) == pytest.approx((expected.statistic, expected.pvalue))
        assert (test.interval.low, test.interval.high) == pytest.approx((ends.low, ends.high))
        assert (test.interval.method, test.tasks, SPEAKS_ABOUT) == ("Student t", 14, "tasks")
        assert test.p is not None
        assert test.p_bonferroni == pytest.approx(min(1, 6 * test.p))
    assert all((test.p_holm or 0) <= (test.p_bonferroni or 0) for test in found)


def test_pairs_without_a_t_are_not_counted() -> None:
    values = np.array([[0.1, 0.2, 0.3], [0.2, 0.3, 0.4], [0.9, 0.1, 0.5]])  # b is a + 0.1 everywhere
    ab, ac, bc = task_tests(table(values))
    assert (ab.t, ab.p, ab.p_holm, ab.interval) == (None, None, None, None)
    assert ab.difference == pytest.approx(0.1)
    assert ac.p is not None
    assert ac.p_bonferroni == pytest.approx(min(1, 2 * ac.p))
    assert bc.t is not None


def test_only_tasks_that_all_have_answered() -> None:
    values = np.random.default_rng(1).random((3, 5))
    values[1, 2] = np.nan
    found = task_tests(table(values))
    assert {test.tasks for test in found} == {4}
    kept = [0, 1, 3, 4]
    assert found[1].t == pytest.approx(ttest_rel(values[2, kept], values[0, kept]).statistic)


def test_an_answered_task_without_the_measure_is_left_out() -> None:
    values = np.random.default_rng(2).random((3, 5))
    values[1, 2] = np.nan  # answered, and nothing was read
    answered = Grid(tuple("abc"), TASKS[:5], np.full((3, 5), 10), {"accuracy_parsed": values})
    found = task_tests(answered, "accuracy_parsed")
    assert [test.tasks for test in found] == [4, 4, 4]
    kept = [0, 1, 3, 4]
    assert found[0].difference == pytest.approx((values[1, kept] - values[0, kept]).mean())
    assert found[0].p == pytest.approx(ttest_rel(values[1, kept], values[0, kept]).pvalue)


def test_too_little_to_test() -> None:
    assert task_tests(table(np.empty((0, 0)))) == ()
    assert task_tests(table(np.array([[0.5, 0.1]]))) == ()
    (one,) = task_tests(table(np.array([[0.5], [0.7]])))
    assert (one.difference, one.p) == (pytest.approx(0.2), None)
