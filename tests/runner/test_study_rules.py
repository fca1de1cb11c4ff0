"""A sweep in which two points could not be told apart, or not compared, is refused."""

from __future__ import annotations

from itertools import combinations

import pytest

from runner.config.compose import compose
from runner.config.settings import Settings
from runner.config.study import same_effect


def points(*lines: str) -> list[Settings]:
    return [compose(line.split()) for line in lines]


@pytest.mark.parametrize(
    ("model", "one", "other"),
    [
        ("qwen3_8b", "default", "medium"),
        ("gpt_oss_20b", "medium", "default"),
        ("thinker", "default", "medium"),
        ("claude_sonnet4", "none", "default"),
        ("gpt5", "medium", "default"),
    ],
)
def test_two_efforts_that_send_the_same_are_refused(model: str, one: str, other: str) -> None:
    (line,) = same_effect(points(f"model={model} effort={one}", f"model={model} effort={other} prompt=concise"))
    assert line.startswith(f"effort={one},{other}: model={model} is sent ")
    assert line.endswith("leave one out")


def test_a_word_in_the_question_is_not_a_variable_of_the_template() -> None:
    word = "model=qwen3_8b effort=none model.efforts.none=/no_think"
    assert same_effect(points(word, "model=qwen3_8b effort=medium")) == []
    (line,) = same_effect(points(word, "model=qwen3_8b effort=low +model.efforts.low=/no_think"))
    assert line == "effort=none,low: model=qwen3_8b is sent /no_think for both; leave one out"


def test_the_same_effort_of_two_models_is_not_one_thing() -> None:
    assert same_effect(points("model=qwen3_8b effort=medium", "model=gpt_oss_20b", "model=qwen3_8b effort=none")) == []


def test_an_effort_of_its_own_beside_the_default_is_allowed() -> None:
    assert same_effect(points("model=gemini25_flash", "model=gemini25_flash effort=medium")) == []


def test_two_names_for_one_prompt_are_refused() -> None:
    (line,) = same_effect(points("prompt=concise", "prompt=concise prompt.name=short"))
    assert line == "prompt=concise,short: both have the same texts; leave one out"


@pytest.mark.parametrize(("one", "other"), list(combinations(("total", "thinking", "hint", "native"), 2)))
def test_two_ways_to_limit_tokens_are_refused(one: str, other: str) -> None:
    (line,) = same_effect(points(*(f"model=thinker budget={kind} budget.tokens=64" for kind in (one, other))))
    assert line.startswith(f"budget={one},{other}: one sweep limits tokens in one way")


@pytest.mark.parametrize("limited", ["total", "thinking", "hint", "native"])
@pytest.mark.parametrize("free", ["total", "hint", "native"])
def test_no_limit_goes_with_any_way(limited: str, free: str) -> None:
    limits = f"model=thinker budget={limited} budget.tokens=64", f"model=thinker budget={free} budget.tokens=null"
    assert same_effect(points(*limits)) == []


def test_no_points_have_no_trouble() -> None:
    assert same_effect([]) == []
