"""The stratified test: one stratum is Fisher's exact test; opposite strata cancel; chance is not exceeded."""

import numpy as np
import pytest
from scipy.stats import fisher_exact

from bench.metrics.stratified import leaning, stratified_p


@pytest.mark.parametrize("table", [[[8, 2], [1, 5]], [[3, 7], [6, 4]], [[0, 5], [5, 0]], [[10, 0], [10, 0]]])
def test_one_stratum_is_fishers_test(table):
    assert stratified_p([table]) == pytest.approx(fisher_exact(table).pvalue)


def test_opposite_strata_cancel_and_alike_ones_add_up():
    one, opposite = [[8, 2], [2, 8]], [[2, 8], [8, 2]]
    assert stratified_p([one, opposite]) == pytest.approx(1.0)
    assert leaning([one, opposite]) == pytest.approx(0.0)
    assert stratified_p([one, one]) < stratified_p([one]) < 0.05
    assert leaning([one]) == pytest.approx(3.0)


def test_it_is_the_share_of_shuffles_that_are_no_likelier():
    tables = [[[6, 4], [3, 9]], [[5, 1], [4, 6]]]
    random = np.random.default_rng(0)
    sums = sum(random.hypergeometric(a + c, b + d, a + b, 200_000) for (a, b), (c, d) in tables)
    values, counts = np.unique(sums, return_counts=True)
    seen = counts[values == sum(table[0][0] for table in tables)]
    assert stratified_p(tables) == pytest.approx(counts[counts <= seen * 1.05].sum() / 200_000, abs=0.004)


def test_nothing_can_not_be_tested():
    with pytest.raises(ValueError, match="no table"):
        stratified_p([])
