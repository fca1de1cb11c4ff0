"""A grid's means are those of pandas, and an empty cell is None."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bench.metrics.grid import grid

ROWS = pd.DataFrame(
    [
        ("a", "sum", "ok", "correct", 10),
        ("a", "sum", "ok", "incorrect", 20),
        ("a", "sum", "truncated", "unparsed", 60),
        ("a", "sum", "error", None, 0),
        ("a", "mean", "ok", "correct", 50),
        ("b", "sum", "ok", "unparsed", 7),
        ("b", "mean", "error", None, 0),
        ("b", "mean", "ok", "ungraded", 9),
    ],
    columns=["run", "task", "status", "outcome", "output_tokens"],
)


def test_cells_and_means_over_tasks() -> None:
    table = grid(ROWS, ["accuracy", "accuracy_parsed", "output_tokens"])
    assert (table.rows, table.tasks, table.n.tolist()) == (("a", "b"), ("mean", "sum"), [[1, 3], [0, 1]])
    assert table.cell("a", "sum", "accuracy") == pytest.approx(1 / 3)
    assert table.cell("a", "sum", "accuracy_parsed") == pytest.approx(1 / 2)
    assert table.cell("a", "sum", "output_tokens") == 30
    assert table.over_tasks("a", "output_tokens") == 40
    assert table.over_tasks("b", "output_tokens") == 7


def test_no_sample_is_none() -> None:
    table = grid(ROWS, ["accuracy", "accuracy_parsed"])
    assert table.cell("b", "mean", "accuracy") is None
    assert table.cell("b", "sum", "accuracy_parsed") is None  # answered, and nothing was read
    assert table.over_tasks("b", "accuracy_parsed") is None
    assert grid(ROWS[:0], ["accuracy"]).rows == ()


def test_rows_are_compared_over_the_tasks_that_all_answered() -> None:
    kept = grid(ROWS, ["output_tokens"]).common()
    assert (kept.tasks, kept.n.tolist()) == (("sum",), [[3], [1]])
    assert kept.over_tasks("a", "output_tokens") == 30


def test_many_samples_give_what_pandas_gives() -> None:
    random = np.random.default_rng(0)
    n = 20_000
    rows = pd.DataFrame(
        {
            "run": random.choice(["a", "b", "c"], n),
            "task": random.choice(["sum", "mean"], n),
            "status": "ok",
            "outcome": random.choice(["correct", "incorrect"], n),
            "output_tokens": random.integers(1, 9_000, n),
        }
    ).astype({"run": "category", "task": "category"})
    table = grid(rows, ["output_tokens"])
    expected = rows.groupby(["run", "task"], observed=True)["output_tokens"].mean().unstack()
    assert np.allclose(table.means["output_tokens"], expected.to_numpy())
