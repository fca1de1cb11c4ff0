"""Figures by category and by list size."""

from __future__ import annotations

import pandas as pd
import pytest

from bench.metrics.figures import COLUMNS
from bench.metrics.groups import figures_by


def rows(*given: tuple[str, str, float | None, str]) -> pd.DataFrame:
    usual = dict.fromkeys(COLUMNS, 100) | {"status": "ok", "instruction_followed": True}
    return pd.DataFrame(
        [
            {**usual, "problem_id": f"p{n}", "task": task, "category": category, "size": size, "outcome": outcome}
            for n, (task, category, size, outcome) in enumerate(given)
        ]
    )


SAMPLES = rows(
    ("sum", "arithmetic", 8, "correct"),
    ("sum", "arithmetic", 8, "correct"),
    ("sum", "arithmetic", 64, "incorrect"),
    ("comparison", "arithmetic", None, "incorrect"),
    ("mean", "statistics", 8, "incorrect"),
)


def test_a_category_is_a_mean_over_its_tasks() -> None:
    arithmetic, statistics = figures_by(SAMPLES, "category")
    assert (arithmetic.value, arithmetic.tasks) == ("arithmetic", ("comparison", "sum"))
    assert arithmetic.figures.accuracy == pytest.approx((2 / 3 + 0) / 2)
    assert (statistics.value, statistics.figures.accuracy, statistics.figures.n) == ("statistics", 0, 1)


def test_samples_without_a_size_are_in_no_group() -> None:
    small, large = figures_by(SAMPLES, "size")
    assert (small.value, small.tasks, small.figures.accuracy) == (8, ("mean", "sum"), 0.5)
    assert (large.value, large.tasks, large.figures.n) == (64, ("sum",), 1)
    assert isinstance(small.value, int)


def test_no_sample_has_no_group() -> None:
    assert figures_by(SAMPLES[:0], "size") == ()
