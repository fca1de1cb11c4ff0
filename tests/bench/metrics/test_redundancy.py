"""Windows, likeness, scores against a baseline, and stopping early."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bench.metrics.redundancy.against import aes, against, equilibrium
from bench.metrics.redundancy.efficiency import by_level, efficiency
from bench.metrics.redundancy.internal import Windows, ird, ird_of, windows
from bench.metrics.redundancy.stopping import stopped_at_first
from bench.problem import AnswerKind, Problem
from bench.redundancy import look_at, sentences


@pytest.mark.parametrize(
    ("n", "expected"),
    [
        (1, (1, 1, 1)),
        (2, (1, 1, 2)),
        (19, (1, 1, 19)),
        (20, (2, 1, 19)),
        (30, (3, 1, 28)),
        (40, (4, 2, 19)),
        (59, (5, 2, 28)),
        (100, (10, 5, 19)),
        (280, (28, 14, 19)),
        (0, (1, 1, 0)),
    ],
)
def test_windows_are_tenths_that_overlap_by_half(n: int, expected: tuple[int, int, int]) -> None:
    assert windows(n) == Windows(*expected)


def test_shares_are_taken_as_decimals() -> None:
    assert [windows(10, 0.3, 0.1).size, windows(1000, 0.57).size] == [3, 570]  # 0.57 * 1000 is 569.999... as a float


def test_ird_is_the_mean_cosine_of_neighbouring_windows() -> None:
    a, b = [1.0, 0.0], [0.0, 1.0]
    assert ird(np.array([a, a, b])) == pytest.approx(0.5)
    assert ird(np.array([a, b, a])) == pytest.approx(0.0)
    two = np.array([a, b] * 20)  # windows of 4, stride 2, all alike
    assert ird(two) == pytest.approx(1.0)
    assert ird(np.array([a, [0.0, 0.0]])) is None


def test_one_sentence_has_no_ird_and_is_not_embedded() -> None:
    assert ird(np.array([[1.0, 0.0]])) is None
    assert ird_of(["only one"], lambda texts: 1 / 0) is None


def words(texts: list[str]) -> np.ndarray:
    known = sorted({word for text in texts for word in text.split()})
    return np.array([[text.split().count(word) for word in known] for text in texts], np.float32)


def degrees(trace: str) -> tuple[float | None, float | None]:
    seen = look_at(
        trace, Problem("id", "sum", None, "q", 42, AnswerKind.INTEGER), lambda place: len(trace[:place].split())
    )
    assert seen.first is not None
    return ird_of(sentences(trace[: seen.first.end]), words), seen.erd


def test_repeating_sentences_raises_ird_alone_and_checking_afterwards_erd_alone() -> None:
    begin = "Take twelve first. Add thirty to that."
    end = "So 12 + 30 = 42."
    ird_plain, erd_plain = degrees(f"{begin} {end}")
    ird_repeated, erd_repeated = degrees(f"{begin} {begin.split('. ')[1]} {end}")
    ird_checked, erd_checked = degrees(f"{begin} {end} Check it. Right.")
    assert ird_repeated > ird_plain
    assert erd_repeated == erd_plain == 0
    assert ird_checked == pytest.approx(ird_plain)
    assert erd_checked > erd_plain


def test_aes_rewards_brevity_and_punishes_lost_accuracy_more() -> None:
    assert aes(0.8, 500, 0.8, 1000) == pytest.approx(0.5)  # 1 * 0.5
    assert aes(0.88, 1000, 0.8, 1000) == pytest.approx(0.3)  # 3 * 0.1
    assert aes(0.72, 500, 0.8, 1000) == pytest.approx(0.0)  # 0.5 - 5 * 0.1
    assert aes(0.8, 500, 0.0, 1000) is aes(0.8, 500, 0.8, 0) is None


def test_the_smooth_score_is_one_for_the_baseline() -> None:
    assert equilibrium(0.8, 1000, 0.8, 1000) == pytest.approx(1.0)
    assert equilibrium(0.8, 500, 0.5, 1000) == pytest.approx(1 / (0.5 / 1.6 + 0.5 / 2))
    assert equilibrium(0.0, 500, 0.8, 1000) == 0
    assert equilibrium(0.8, 500, 0.0, 1000) is None


def samples(outcomes: str, tokens: list[int]) -> pd.DataFrame:
    names = {"+": "correct", "-": "incorrect"}
    frame = {"problem_id": [f"p{place}" for place in range(len(outcomes))], "status": "ok", "task": "sum"}
    frame |= {"outcome": [names[one] for one in outcomes], "output_tokens": tokens, "latency_s": 2.0}
    return pd.DataFrame(frame)


def test_scores_pair_by_problem_and_have_intervals() -> None:
    found = against(samples("++-+", [50, 50, 50, 50]), samples("++-+", [100, 100, 100, 100]))
    assert (found.problems, found.accuracy, found.baseline_tokens) == (4, 0.75, 100)
    assert found.aes.value == pytest.approx(0.5)
    # In some draw the baseline is never right, so the score is undefined there.
    assert found.aes.interval is None
    sure = against(samples("++++", [50, 60, 70, 80]), samples("++++", [100] * 4)).aes
    assert sure.interval is not None
    assert sure.interval.low < sure.value < sure.interval.high
    assert against(samples("+", [1]), samples("", [])).aes.value is None


def test_wrong_answers_are_paid_for_too() -> None:
    frame = samples("+-+-", [10, 20, 30, 40]).assign(level=[1, 1, 2, 2])
    found = efficiency(frame)
    assert (found.tokens_per_correct, found.accuracy_per_1000, found.seconds_per_correct) == (50, 20, 4)
    assert found.dollars_per_correct is None
    assert efficiency(frame.assign(dollars=0.5)).dollars_per_correct == 1.0
    assert efficiency(frame.assign(dollars=[None, 1, 1, 1])).dollars_per_correct is None
    assert efficiency(frame.iloc[1:2]).tokens_per_correct is None
    assert {name: one.tokens_per_correct for name, one in by_level(frame, "level").items()} == {"1": 30, "2": 70}


def test_stopping_at_the_first_correct_answer_is_a_curve_to_the_run_as_it_was() -> None:
    frame = samples("+--", [100, 100, 50]).assign(external=[60.0, 30.0, np.nan])
    points = stopped_at_first(frame, [0, 40, 60])
    assert [(p.extra, round(p.accuracy, 3), round(p.tokens, 1)) for p in points] == [
        (0, 0.667, 53.3),  # 40, 70, 50: the second is right where its trace first was
        (40, 0.333, 76.7),
        (60, 0.333, 83.3),
        (None, 0.333, 83.3),
    ]
    assert stopped_at_first(frame.iloc[:0], [0]) == []
