"""Rewards: the published checks, and the signatures of the trainers that call them."""

from __future__ import annotations

import numpy as np
import pytest

import bench
from bench.rewards import Reward, external_penalty, internal_penalty, length_penalty


@pytest.mark.parametrize(("ird", "expected"), [(0.3, 0.9997), (0.5, 0.982), (0.7, 0.499), (0.9, 0.016)])
def test_the_internal_penalty_is_the_published_one(ird: float, expected: float) -> None:
    assert internal_penalty(ird) == pytest.approx(expected, abs=5e-4)


def test_the_ends_of_the_penalties() -> None:
    assert [internal_penalty(0.0), internal_penalty(1.0), internal_penalty(None)] == pytest.approx([1, 0, 1])
    assert [external_penalty(0.25), external_penalty(None)] == [0.75, 1.0]
    assert [length_penalty(0, 10), length_penalty(5, 10), length_penalty(20, 10)] == [1, 0.5, 0]


def alike(texts: list[str]) -> np.ndarray:
    return np.ones((len(texts), 2), np.float32)


RIGHT = "<think>Twelve and thirty. 12 + 30 = 42. Let me check it once more.</think>\\boxed{42}"
WRONG = "<think>12 + 30 = 43.</think>\\boxed{43}"


def test_a_trainer_of_trl_gets_a_reward_a_completion() -> None:
    columns = {
        "task": ["sum"] * 2,
        "data": [[12, 30]] * 2,
        "completion_ids": [[1] * 10, [1] * 10],
        "trainer_state": None,
    }
    rewards = {
        name: Reward(name, alike, most_tokens=40)(prompts=["", ""], completions=[RIGHT, WRONG], **columns)
        for name in ("none", "internal", "external", "both", "length")
    }
    assert all(wrong == 0 for _, wrong in rewards.values())
    assert rewards["none"][0] == 1
    assert rewards["length"][0] == 0.75
    assert rewards["internal"][0] == pytest.approx(0, abs=1e-6)  # all sentences alike
    assert rewards["external"][0] == pytest.approx(1 - len(" Let me check it once more.") / 59, abs=0.02)
    assert rewards["both"][0] == pytest.approx(rewards["internal"][0] * rewards["external"][0], abs=1e-9)
    assert Reward("external").__name__ == "reward_external"


def test_messages_are_read_as_texts() -> None:
    said = [[{"role": "assistant", "content": RIGHT}]]
    assert Reward("none")(["?"], said, task=["sum"], data=[[12, 30]]) == [1.0]


def test_verl_calls_it_with_its_own_names() -> None:
    reward = Reward("length", most_tokens=40)
    score = reward.compute_score(
        data_source="sum", solution_str=RIGHT, ground_truth=[12, 30], extra_info={"tokens": 10, "index": 3}
    )
    assert score == 0.75


def test_a_cut_thinking_that_the_prompt_opened_is_no_answer() -> None:
    problem, cut = bench.problem_from_data("sum", [12, 30]), "12 + 30 = 42. The answer is 42. But"
    assert Reward("none", prompt_tail="<think>\n").of(problem, cut) == 0.0
    assert Reward("none", prompt_tail="<think>\n").of(problem, cut + "</think>\\boxed{42}") == 1.0


def test_a_penalty_on_likeness_needs_vectors() -> None:
    with pytest.raises(ValueError, match="embed"):
        Reward("both")


def test_an_unknown_penalty_is_refused() -> None:
    with pytest.raises(ValueError, match="penalty=externl: give one of none, internal, external, both, length"):
        Reward("externl")
