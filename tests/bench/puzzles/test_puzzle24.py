"""Make 24: sets of numbers, and a scorer that executes nothing."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bench
from bench.puzzles.formulas import truth_table
from bench.puzzles.puzzle24 import Puzzle24, evaluate, solvable
from bench.verdict import Outcome, Unreadable

ASKED = bench.problem_from_data("puzzle24", [4, 6, 1, 1])


def outcome(said: str) -> Outcome:
    return bench.grade(ASKED, f"\\boxed{{{said}}}").outcome


def test_the_published_range_has_one_set_and_the_default_1362() -> None:
    assert solvable(8, 10) == ((8, 8, 8, 10),)
    assert len(solvable(1, 13)) == 1362


def test_no_set_comes_again_before_all_have_come() -> None:
    task = Puzzle24()
    drawn = [tuple(sorted(task.draw(0, position))) for position in range(1_362)]
    assert len(set(drawn)) == len(drawn) == 1362


def test_every_gold_grades_correct() -> None:
    for index in range(20):
        asked = Puzzle24().problem(seed=3, fold=1, index=index)
        assert bench.grade(asked, f"\\boxed{{{asked.gold}}}").score == 1


@pytest.mark.parametrize(
    "said",
    ["4*6*1*1", r"4 \times 6 \cdot 1 \div 1", "(4 * 6) + 1 - 1", r"\left(6 \times 4\right) + (1-1)", "4*6*1/1 = 24",
     r"\frac{4 \times 6}{1 \times 1}", "24 = 4*6*1*1", "4 × 6 × 1 ÷ 1", "$6*4-1+1$"],
)  # fmt: skip
def test_right_answers(said: str) -> None:
    assert outcome(said) is Outcome.CORRECT


@pytest.mark.parametrize(
    "said",
    ["24", "4*6", "4*6+10-10", "4*6*1*1*1", "6*4/(1-1)", "-(4*6)", "4**6", "46 - 11 - 11", "__import__('os').abort()",
     "exec('1')", "(" * 5_000, "9" * 100_000, "4*6*1*1" + "+0" * 400_000, "1/0", "2*(3*4)", "4*6*1*1+", "((2 + 2) +"],
)  # fmt: skip
def test_everything_else_is_not_right_and_nothing_runs(said: str) -> None:
    assert outcome(said) in (Outcome.INCORRECT, Outcome.UNPARSED)


def test_parameters_are_checked() -> None:
    for params in ({"min_value": 0}, {"max_value": 100}, {"min_value": 9, "max_value": 8}, {"min_value": "1"}):
        with pytest.raises(ValueError, match="puzzle24"):
            Puzzle24(**params)
    with pytest.raises(ValueError, match="make 24"):
        Puzzle24(max_value=1).draw(0, 0)


@given(st.text(alphabet="12+-*/() ", max_size=20))
def test_an_expression_is_worth_what_python_says_or_is_none(text: str) -> None:
    with suppress(Unreadable):
        value, _ = evaluate(text)
        if value is not None:
            assert float(value) == pytest.approx(eval(text))  # the alphabet has no names to call


@given(st.text(alphabet="PQ∧∨→↔¬() ", max_size=20))
def test_a_formula_is_read_or_refused(text: str) -> None:
    with suppress(Unreadable):
        assert 0 <= truth_table(text, "PQ") < 16
