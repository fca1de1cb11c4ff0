"""The published code's decisions on OptimalThinkingBench's answers, where they differ from ours."""

from __future__ import annotations

import pytest

import bench
from bench.released_optimal import grade_as_released_optimal
from bench.verdict import Outcome

ASKED = bench.problem_from_data("puzzle24", [4, 6, 1, 1])


@pytest.mark.parametrize(
    ("text", "ours", "theirs"),
    [
        (r"<think>so</think>\boxed{4*6*1*1}, no: \boxed{4+6}", Outcome.INCORRECT, Outcome.CORRECT),
        (r"<think>so</think>The answer is 4*6*1*1", Outcome.CORRECT, Outcome.UNPARSED),
        (r"<think>maybe \boxed{4*6*1*1} but", Outcome.UNPARSED, Outcome.CORRECT),
        (r"<think>\boxed{4+6}</think>\boxed{4*6*1*1}", Outcome.CORRECT, Outcome.CORRECT),
    ],
    ids=["first box", "no box", "no closing tag", "a box in the thinking"],
)
def test_the_first_box_counts_and_an_open_text_is_searched_whole(text: str, ours: Outcome, theirs: Outcome) -> None:
    assert bench.grade(ASKED, text).outcome is ours
    assert grade_as_released_optimal(ASKED, text, bench.split_thinking(text)).outcome is theirs
