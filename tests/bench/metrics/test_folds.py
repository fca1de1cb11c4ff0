"""Mean and spread over folds, worked out by hand."""

from __future__ import annotations

import pandas as pd
import pytest

from bench.metrics.folds import over_folds, score_over_folds
from bench.metrics.overthinking import Bounds


def rows(*folds: tuple[int, str, str, int]) -> pd.DataFrame:
    frame = pd.DataFrame(folds, columns=["fold", "task", "outcome", "output_tokens"])
    return frame.assign(status="ok")


SAMPLES = rows(
    (0, "sum", "correct", 100),
    (0, "sum", "correct", 300),
    (0, "mean", "incorrect", 200),
    (1, "sum", "incorrect", 400),
    (1, "mean", "incorrect", 0),
)


def test_each_fold_is_a_mean_over_tasks() -> None:
    found = over_folds(SAMPLES, "accuracy")
    assert found.values == (("0", 0.5), ("1", 0.0))
    assert (found.mean, found.std) == pytest.approx((0.25, 0.5 / 2**0.5))


def test_the_score_over_folds() -> None:
    found = score_over_folds(SAMPLES, Bounds("hand", 0, 400))
    assert found.values == (("0", 0.5), ("1", 0.0))  # A 0.5, E 0.5; A 0


def test_one_fold_has_no_spread_and_none_has_no_mean() -> None:
    one = over_folds(SAMPLES[:3], "accuracy")
    assert (one.mean, one.std) == (0.5, None)
    none = over_folds(SAMPLES[:0], "accuracy")
    assert (none.values, none.mean, none.std) == ((), None, None)
