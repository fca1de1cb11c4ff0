"""Any measure of one run has a mean and a named interval."""

from __future__ import annotations

import pandas as pd
import pytest

from bench.metrics.intervals import wilson
from bench.metrics.measured import measured

ROWS = pd.DataFrame(
    [
        ("sum:1", "sum", "ok", "correct", 100),
        ("sum:2", "sum", "ok", "incorrect", 300),
        ("sum:3", "sum", "ok", "unparsed", 200),
        ("mean:1", "mean", "ok", "correct", 10),
        ("mean:2", "mean", "ok", "correct", 30),
        ("mode:1", "mode", "error", None, 0),
    ],
    columns=["problem_id", "task", "status", "outcome", "output_tokens"],
)


def test_a_share_without_repeats_has_wilsons_interval() -> None:
    found = measured(ROWS, "accuracy")
    mean, total = found.tasks
    assert (total.task, total.n, total.mean, total.interval) == ("sum", 3, pytest.approx(1 / 3), wilson(1, 3))
    assert (mean.mean, found.overall.mean, found.overall.n) == (1, pytest.approx(2 / 3), 5)
    assert found.overall.interval is not None
    assert found.overall.interval.method == "task-stratified bootstrap"


def test_tokens_and_repeats_are_resampled_by_problem() -> None:
    tokens = measured(ROWS, "output_tokens").tasks[1]
    assert tokens.interval is not None
    assert (tokens.mean, tokens.interval.method) == (200, "problem bootstrap")
    repeated = measured(pd.concat([ROWS, ROWS]), "accuracy").tasks[1]
    assert repeated.interval is not None
    assert repeated.interval.method == "cluster bootstrap"


def test_samples_without_the_measure_are_in_no_mean() -> None:
    parsed = measured(ROWS, "accuracy_parsed").tasks[1]
    assert (parsed.n, parsed.mean) == (2, 0.5)
    unread = measured(ROWS[2:3], "accuracy_parsed")
    assert (unread.tasks[0].n, unread.tasks[0].mean, unread.overall.mean) == (0, None, None)


def test_no_sample_is_none() -> None:
    found = measured(ROWS[5:], "accuracy")
    assert (found.tasks, found.overall.n, found.overall.mean, found.overall.interval) == ((), 0, None, None)


def test_the_order_of_samples_does_not_matter() -> None:
    assert measured(ROWS, "output_tokens") == measured(ROWS[::-1], "output_tokens")
