"""Routers are scored on what two runs answered: hand-worked values, and no gain out of chance."""

from __future__ import annotations

import math
import random

import pandas as pd
import pytest

from bench.metrics import routers

# (problem, right with thinking, tokens, right without)
EASY = [("a", 1, 400, 1), ("b", 1, 400, 1), ("c", 0, 400, 1)]
HARD = [("x", 1, 900, 0), ("y", 1, 900, 0), ("z", 0, 900, 1)]


def run(rows: list[tuple[str, int, int, int]], task: str, thinks: bool, repeats: int = 2) -> pd.DataFrame:
    frames = [
        {
            "problem_id": problem,
            "repeat": repeat,
            "task": task,
            "status": "ok",
            "outcome": "correct" if (right if thinks else direct) else "incorrect",
            "score": math.nan,
            "thinking_state": "closed" if thinks else "absent",
            "thinking_tokens": tokens if thinks else 0,
            "output_tokens": tokens + 10 if thinks else 10,
        }
        for problem, right, tokens, direct in rows
        for repeat in range(repeats)
    ]
    return pd.DataFrame(frames)


@pytest.fixture
def pairs() -> pd.DataFrame:
    easy, hard = "optimal_thinking_general", "maze"
    thinking, direct = (
        pd.concat([run(EASY, easy, thinks), run(HARD, hard, thinks)], ignore_index=True) for thinks in (True, False)
    )
    return routers.paired_modes(thinking, direct)


def test_values_are_areas_on_easy_tasks_and_accuracy_on_hard_ones(pairs: pd.DataFrame) -> None:
    thinks = routers.router_figures("t", routers.routed(pairs, routers.always(pairs, "thinking")))
    assert thinks.value == pytest.approx((2 / 3 * 0.6 + 2 / 3) / 2)
    assert (thinks.auc_oaa, thinks.acc_ut) == (pytest.approx(0.4), pytest.approx(2 / 3))
    assert thinks.f1 == pytest.approx(0.5)
    direct = routers.router_figures("d", routers.routed(pairs, routers.always(pairs, "direct")))
    assert (direct.auc_oaa, direct.acc_ut, direct.share_thinking) == (pytest.approx(1), pytest.approx(1 / 3), 0)


def test_oracles(pairs: pd.DataFrame) -> None:
    by_task = routers.router_figures("o", routers.routed(pairs, routers.oracle_by_task(pairs)))
    assert (by_task.auc_oaa, by_task.acc_ut) == (pytest.approx(1), pytest.approx(2 / 3))
    best = routers.oracle_by_problem(pairs)
    assert best is not None
    by_problem = routers.router_figures("o", best)
    assert (by_problem.auc_oaa, by_problem.acc_ut, by_problem.f1) == (
        pytest.approx(1),
        pytest.approx(1),
        pytest.approx(1),
    )
    assert by_problem.n == 12  # each repeat is scored once
    assert by_problem.share_thinking == pytest.approx(2 / 6)


def test_an_oracle_needs_repeats_and_gains_nothing_by_chance() -> None:
    once = routers.paired_modes(run(HARD, "maze", True, 1), run(HARD, "maze", False, 1))
    assert routers.oracle_by_problem(once) is None
    thinking_alone = routers.paired_modes(run(HARD, "maze", True, 4), run(HARD, "maze", False, 1))
    assert routers.oracle_by_problem(thinking_alone) is None
    draw = random.Random(0)
    frames = [run([(str(n), 1, 0, 1) for n in range(400)], "maze", thinks, 4) for thinks in (True, False)]
    for frame in frames:
        frame["outcome"] = [draw.choice(["correct", "incorrect"]) for _ in range(len(frame))]
    best = routers.oracle_by_problem(routers.paired_modes(*frames))
    assert best is not None
    assert best["value"].mean() == pytest.approx(0.5, abs=0.05)


def test_a_threshold_is_the_best_one_on_what_it_learnt_from(pairs: pd.DataFrame) -> None:
    scores = {"a": 1.0, "b": 2.0, "c": 3.0, "x": 8.0, "y": 9.0, "z": 4.0}
    assert routers.best_threshold(pairs, scores) == 8
    choice = routers.by_score(scores, 8)
    assert routers.router_figures("s", routers.routed(pairs, choice)).f1 == pytest.approx(1)
    assert routers.best_threshold(pairs[pairs["task"] != "maze"], scores) == math.inf  # thinking never pays


def test_only_problems_that_both_runs_answered_count_and_unclosed_thinking_is_no_answer() -> None:
    thinking, direct = run(HARD, "maze", True), run(HARD[:2], "maze", False)
    thinking.loc[thinking["problem_id"] == "x", "thinking_state"] = "unclosed"
    thinking.loc[thinking["problem_id"] == "y", "status"] = "error"
    found = routers.paired_modes(thinking, direct)
    assert set(found["problem_id"]) == {"x"}
    assert found[found["mode"] == "thinking"]["correct"].sum() == 0


def test_the_gain_of_a_question_is_a_difference_of_means(pairs: pd.DataFrame) -> None:
    gains = routers.problem_gains(pairs).set_index("problem_id")["gain"]
    assert gains.to_dict() == pytest.approx({"a": -0.4, "b": -0.4, "c": -1, "x": 1, "y": 1, "z": -1})
