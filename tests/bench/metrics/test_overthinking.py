"""The Overthinking Score against values worked out by hand and against its own bounds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.metrics.overthinking import (
    REFERENCE,
    Bounds,
    efficiency,
    mean_of_scores,
    overthinking_score,
    score_of_means,
)


@pytest.mark.parametrize(
    ("accuracy", "tokens", "bounds", "score"),
    [
        (1.0, 0, REFERENCE, 1.0),
        (0.5, 3_950, REFERENCE, 0.5),  # E = 0.5
        (0.8, 1_975, REFERENCE, 2 * 0.8 * 0.75 / 1.55),
        (0.9, 7_900, REFERENCE, 0.0),
        (0.9, 20_000, REFERENCE, 0.0),  # E is clipped
        (0.0, 7_900, REFERENCE, 0.0),  # 0/0
        (0.6, 150, Bounds("task", 200, 400), 2 * 0.6 / 1.6),  # E is clipped at 1
        (0.6, 999, Bounds("pool", 300, 300), 2 * 0.6 / 1.6),  # bounds coincide: E = 1
    ],
)
def test_scores_worked_out_by_hand(accuracy: float, tokens: float, bounds: Bounds, score: float) -> None:
    assert overthinking_score(accuracy, tokens, bounds) == pytest.approx(score, abs=1e-12)


@settings(deadline=None)
@given(st.floats(0, 1), st.floats(0, 1e5))
def test_the_score_lies_between_the_smaller_part_and_the_mean(accuracy: float, tokens: float) -> None:
    brief = float(efficiency(tokens, REFERENCE))
    score = float(overthinking_score(accuracy, tokens, REFERENCE))
    assert min(accuracy, brief) - 1e-12 <= score <= (accuracy + brief) / 2 + 1e-12


def test_the_two_forms_over_tasks() -> None:
    accuracies, tokens = [1.0, 0.0], [0.0, 7_900.0]
    assert score_of_means(accuracies, tokens, REFERENCE) == pytest.approx(0.5)
    assert mean_of_scores(accuracies, tokens, REFERENCE) == pytest.approx(0.5)
    assert score_of_means([1.0, 0.5], [0.0, 0.0], REFERENCE) == pytest.approx(1.5 / 1.75)
    assert mean_of_scores([1.0, 0.5], [0.0, 0.0], REFERENCE) == pytest.approx((1 + 1 / 1.5) / 2)


def test_no_task_has_no_score() -> None:
    assert score_of_means([], [], REFERENCE) is None
    assert mean_of_scores([], [], REFERENCE) is None


def test_arrays_are_scored_at_once() -> None:
    scores = overthinking_score(np.array([0.0, 1.0]), np.array([7_900.0, 0.0]), REFERENCE)
    assert scores.tolist() == [0.0, 1.0]


def test_bounds_the_wrong_way_round_are_refused() -> None:
    with pytest.raises(ValueError, match="above"):
        Bounds("task", 2, 1)
