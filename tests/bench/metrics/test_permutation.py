"""The sign-flip test is scipy's permutation test, exact where it can be."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest, norm, permutation_test

from bench.metrics.intervals import bootstrap_rng
from bench.metrics.permutation import sign_flip_p


def p_of(differences: list[float] | np.ndarray) -> float | None:
    return sign_flip_p(differences, bootstrap_rng("test"))


@pytest.mark.parametrize("n", [1, 2, 7, 8, 9, 13])
def test_few_differences_are_tested_exactly(n: int) -> None:
    values = np.random.default_rng(n).normal(0.4, 1, n)
    expected = 1.0
    if n > 1:
        found = permutation_test((values, np.zeros(n)), lambda a, b: np.sum(a - b), permutation_type="samples")
        expected = found.pvalue
    assert p_of(values) == pytest.approx(expected)


@pytest.mark.parametrize(("better", "worse"), [(9, 3), (0, 6), (5, 5)])
def test_right_against_wrong_is_mcnemars_test(better: int, worse: int) -> None:
    expected = binomtest(better, better + worse).pvalue
    assert p_of([1.0] * better + [-1.0] * worse + [0.0] * 40) == pytest.approx(expected)


def test_many_differences_agree_with_the_normal_limit() -> None:
    values = np.random.default_rng(3).normal(0.04, 1, 3_000)
    z = values.sum() / np.sqrt((values**2).sum())
    assert p_of(values) == pytest.approx(2 * norm.sf(abs(z)), abs=0.012)


def test_random_flips_never_give_zero_and_repeat_themselves() -> None:
    assert p_of(np.ones(60)) == 1 / 10_000
    values = np.random.default_rng(4).normal(0.1, 1, 100)
    assert p_of(values) == p_of(values)


def test_p_is_uniform_where_nothing_differs() -> None:
    random = np.random.default_rng(5)
    found = [sign_flip_p(random.normal(0, 1, 30), bootstrap_rng(str(i)), flips=199) for i in range(400)]
    assert np.mean(np.array(found, dtype=float) <= 0.1) == pytest.approx(0.1, abs=0.045)


def test_nothing_and_no_difference() -> None:
    assert p_of([]) is None
    assert p_of([0.0, 0.0]) == 1.0
