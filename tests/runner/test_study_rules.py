"""A sweep in which two points could not be told apart, or not compared, is refused."""

from __future__ import annotations

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
    ],
)
def test_two_efforts_that_send_the_same_are_refused(model: str, one: str, other: str) -> None:
    (line,) = same_effect(points(f"model={model} effort={one}", f"model={model} effort={other} prompt=concise"))
    assert line.startswith(f"effort={one},{other}: model={model} is sent ")
    assert line.endswith("leave one out")


def test_the_same_effort_of_two_models_is_not_one_thing() -> None:
    assert same_effect(points("model=qwen3_8b effort=medium", "model=gpt_oss_20b", "model=qwen3_8b effort=none")) == []


def test_an_effort_of_its_own_beside_the_default_is_allowed() -> None:
    assert same_effect(points("model=gemini25_flash", "model=gemini25_flash effort=medium")) == []


def test_two_names_for_one_prompt_are_refused() -> None:
    (line,) = same_effect(points("prompt=concise", "prompt=concise prompt.name=short"))
    assert line == "prompt=concise,short: both have the same texts; leave one out"


def test_two_ways_to_limit_tokens_are_refused() -> None:
    (line,) = same_effect(points("model=thinker budget.tokens=256", "model=thinker budget=thinking budget.tokens=64"))
    assert line.startswith("budget=total,thinking: one sweep limits tokens in one way")


@pytest.mark.parametrize("limited", ["budget.tokens=256", "model=thinker budget=thinking budget.tokens=0"])
def test_no_limit_goes_with_any_way(limited: str) -> None:
    assert same_effect(points("model=thinker", limited)) == []


def test_no_points_have_no_trouble() -> None:
    assert same_effect([]) == []
