"""Whether two groups differ in the share of right answers, task by task and all tasks together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

# Right and wrong answers of the first group, then of the second.
Table = Sequence[Sequence[int]]


def stratified_p(tables: Sequence[Table]) -> float:
    """Return the two-sided exact p-value that in no stratum a group is right more often than the other.

    Given the margins of each 2x2 table the right answers of the first group are hypergeometric; their sum over the
    strata has the convolution of these distributions, and p adds all sums that are no likelier than the one seen.
    Tables that lean in opposite directions cancel out, unlike p-values of single tables.

    Source: the exact form of the Cochran-Mantel-Haenszel test (Cochran 1954; Mantel and Haenszel 1959; Mehta, Patel
    and Gray 1985).

    Args:
        tables: A 2x2 table a stratum, of counts.

    Raises:
        ValueError: there is no table.
    """
    if not tables:
        raise ValueError("there is no table to test")
    chances = np.ones(1)
    lowest = seen = 0
    for (right, wrong), (right_other, wrong_other) in tables:
        first, chance = _hypergeometric(right + wrong, right + right_other, right + wrong + right_other + wrong_other)
        chances = np.convolve(chances, chance)
        lowest += first
        seen += right
    likely = chances[seen - lowest]
    # A sum as likely as the one seen may differ from it in its last digits.
    return float(min(1.0, chances[chances <= likely * (1 + 1e-7)].sum()))


def leaning(tables: Sequence[Table]) -> float:
    """Return how many right answers the first group has above what its size lets expect, summed over the strata."""
    excess = 0.0
    for (right, wrong), (right_other, wrong_other) in tables:
        size = right + wrong
        excess += right - size * (right + right_other) / (size + right_other + wrong_other)
    return excess


def _hypergeometric(group: int, right: int, total: int) -> tuple[int, NDArray[np.float64]]:
    """Return the smallest count of right answers in a group, and the chance of each count from there on."""
    from scipy.stats import hypergeom

    counts = np.arange(max(0, group + right - total), min(group, right) + 1)
    return int(counts[0]), np.asarray(hypergeom.pmf(counts, total, right, group), dtype=np.float64)
