"""pass@k, avg@n and majority@n, against counting by hand."""

from __future__ import annotations

from itertools import combinations
from statistics import mean

import pandas as pd
import pytest

from bench.metrics.repeats import majority, pass_at_k, repeats


def frame(problems: dict[str, list[tuple[str, str | None]]], task: str = "t") -> pd.DataFrame:
    rows = [(task, problem, "ok", outcome, answer) for problem, found in problems.items() for outcome, answer in found]
    return pd.DataFrame(rows, columns=["task", "problem_id", "status", "outcome", "answer"])


@pytest.mark.parametrize(("n", "c"), [(4, 0), (4, 1), (5, 3), (6, 6)])
def test_pass_at_k_is_the_share_of_choices_with_a_right_one(n: int, c: int) -> None:
    samples = [True] * c + [False] * (n - c)
    for k in range(1, n + 1):
        assert pass_at_k(n, c, k) == pytest.approx(mean(any(chosen) for chosen in combinations(samples, k)))
    with pytest.raises(ValueError, match=r"pass@7 .* does not exist"):
        pass_at_k(n, c, 7)


@pytest.mark.parametrize(
    ("answers", "correct", "value"),
    [
        (["1", "1", "2"], [True, True, False], 1.0),
        (["1", "2", "2"], [True, False, False], 0.0),
        (["1", "2"], [True, False], 0.5),
        (["1/2", "0.5", "7", "7"], [True, True, False, False], 0.5),  # one right answer, two forms
        ([None, None, "1"], [False, False, True], 1.0),
        ([None, None], [False, False], 0.0),
    ],
)
def test_the_majority_of_votes_decides(answers: list[str | None], correct: list[bool], value: float) -> None:
    assert majority(answers, correct) == value


def test_figures_are_means_over_problems_with_intervals_that_draw_problems() -> None:
    right, wrong = ("correct", "1"), ("incorrect", "2")
    found = repeats(frame({"a": [right] * 4, "b": [right, wrong, wrong, wrong], "c": [wrong] * 4}))
    assert found is not None
    assert found.n == (4, 4)
    assert found.average.value == pytest.approx(5 / 12)
    assert found.majority.value == pytest.approx(1 / 3)
    assert {k: round(one.value, 4) for k, one in found.pass_at.items()} == {1: 0.4167, 2: 0.5, 4: 0.6667}
    assert found.average.interval is not None
    assert found.average.interval.method == "cluster bootstrap"
    assert found.average.interval.low <= found.average.value <= found.average.interval.high


def test_copies_of_samples_do_not_narrow_an_interval() -> None:
    def of(copies: int) -> tuple[float, float]:
        problems = {str(n): [("correct" if n % 2 else "incorrect", "1")] * copies for n in range(20)}
        found = repeats(frame(problems))
        assert found is not None
        assert found.average.interval is not None
        return found.average.interval.low, found.average.interval.high

    assert of(2) == of(8)


def test_tasks_weigh_the_same_and_errors_are_no_samples() -> None:
    many = frame({str(n): [("correct", "1")] * 2 for n in range(9)})
    few = frame({"x": [("incorrect", "2"), ("incorrect", "2"), ("correct", "1")]}, task="u")
    few.loc[2, "status"] = "error"
    found = repeats(pd.concat([many, few]))
    assert found is not None
    assert found.average.value == 0.5
    assert found.n == (2, 2)
    assert found.average.interval is None  # one problem says nothing about others


def test_without_repeats_there_is_nothing() -> None:
    assert repeats(frame({"a": [("correct", "1")], "b": [("incorrect", "2")]})) is None
    assert repeats(frame({})) is None
