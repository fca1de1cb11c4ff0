"""What the model is taught is right: every line of arithmetic, every answer, and that nothing held out is shown."""

from __future__ import annotations

import re
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bench
from bench.problem import part_of
from bench.verdict import Outcome
from runner.config.compose import compose
from runner.config.suite import Suite
from thinker.columns import added, divided, multiplied, subtracted
from thinker.conversation import Effort, conversation, styles
from thinker.lessons import HARDER_TASKS, Lessons, vocabulary_texts
from thinker.problems import drawn, tasks
from thinker.trace import Detail
from thinker.vocabulary import tokenizer
from thinker.working import work_out

TASKS = {task.name: task for task in tasks()}
TOKENIZER = tokenizer(vocabulary_texts())
_EQUATION = re.compile(r"(?<![-+*/.\d])(?=(\d+(?:[-+*]\d+)+)=(-?\d+)(?![\d.]))")  # also one that starts in another
_DIVISION = re.compile(r"(\d+)/(\d+)=(\d+) (\d+)r(\d+)")


@pytest.mark.parametrize("name", TASKS)
def test_every_answer_is_right_and_every_slip_is_wrong(name: str) -> None:
    for problem in islice(drawn(TASKS[name], 5, held_out=False), 300):
        trace = work_out(name, problem.data)
        assert bench.grade(problem, f"\\boxed{{{trace.answer}}}").outcome is Outcome.CORRECT, (problem, trace)
        if trace.slip is not None:
            assert bench.grade(problem, f"\\boxed{{{trace.slip}}}").outcome is Outcome.INCORRECT, (problem, trace)


@pytest.mark.parametrize("name", TASKS)
def test_every_equation_in_a_trace_holds(name: str) -> None:
    found = 0
    for problem in islice(drawn(TASKS[name], 6, held_out=False), 200):
        text = "\n".join(work_out(name, problem.data).lines(Detail.FULL))
        for left, right in _EQUATION.findall(text):
            assert eval(left) == int(right), text  # digits and operators alone, by the pattern
            found += 1
        for part, divisor, digit, product, left in _DIVISION.findall(text):
            assert divmod(int(part), int(divisor)) == (int(digit), int(left)), text
            assert int(digit) * int(divisor) == int(product), text
            found += 1
    assert found or name not in ("sum", "mean", "multiplication", "division", "subtraction", "absolute_difference")


@given(st.integers(0, 9999), st.integers(0, 9999))
def test_columns_add_up(first: int, second: int) -> None:
    assert added(first, second).endswith(f": {first + second}")
    assert all(eval(left) == int(right) for left, right in _EQUATION.findall(added(first, second)))


@given(st.integers(0, 99), st.integers(0, 99))
def test_columns_are_taken_away(first: int, second: int) -> None:
    larger, smaller = max(first, second), min(first, second)
    assert subtracted(larger, smaller).endswith(f": {larger - smaller}")


@given(st.integers(0, 999), st.integers(0, 9))
def test_a_number_is_multiplied_by_a_digit(number: int, digit: int) -> None:
    assert multiplied(number, digit).endswith(f": {number * digit}")
    assert all(eval(left) == int(right) for left, right in _EQUATION.findall(multiplied(number, digit)))


@given(st.integers(0, 999), st.integers(1, 99), st.integers(1, 5))
def test_a_long_division_gives_the_quotients_digits(dividend: int, divisor: int, decimals: int) -> None:
    steps, count = divided(dividend, divisor, decimals)
    written = int("".join(str(digit) for _, digit, _ in steps))
    assert written == dividend * 10**count // divisor
    assert steps[-1][2] == 0 or count == decimals


def test_no_lesson_and_no_suite_share_operands() -> None:
    suite = Suite(compose(["suite=basic_math_small", "suite.samples=50", "suite.folds=2"]).suite)
    asked = {problem.data for problem, _ in suite.places()}
    assert {part_of(data, 10) for data in asked} == {0}
    for task in tasks():
        shown = {problem.data for problem in islice(drawn(task, 7, held_out=False), 2000)}
        assert not shown & asked
        assert all(part_of(data, 10) for data in shown)


def test_lessons_are_the_same_for_the_same_seed() -> None:
    first, second, other = (Lessons(TOKENIZER, seed) for seed in (1, 1, 2))
    one, two, three = (
        [batch.ids.tolist() for batch in lessons.batches(4096, HARDER_TASKS)] for lessons in (first, second, other)
    )
    assert one == two != three


def test_more_effort_and_longer_styles_think_longer() -> None:
    problem = next(drawn(TASKS["sum"], 8, held_out=True))
    known = {style.name: style for style in styles()}
    length = {effort: len(conversation(problem, effort, known["standard"]).thinking) for effort in Effort}
    assert length[Effort.NONE] < length[Effort.LOW] < length[Effort.MEDIUM] < length[Effort.HIGH]
    styled = {name: len(conversation(problem, Effort.MEDIUM, style).thinking) for name, style in known.items()}
    assert styled["ultra_concise"] < styled["concise"] == styled["dont_overthink"] < styled["standard"]


@given(st.text())
def test_any_text_comes_back_from_its_tokens(text: str) -> None:
    ids = TOKENIZER.encode(text, add_special_tokens=False).ids
    assert TOKENIZER.decode(ids, skip_special_tokens=False) == text


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("47-12", ["47", "-", "12"]), ("a-12 b3", ["a", "-12", " b", "3"]), ("-7.25", ["-", "7", ".", "2", "5"]),
     ("123", ["1", "23"]), ("2305+7", ["23", "05", "+", "7"]), ("12345", ["1", "23", "45"]),
     ("123.45", list("123.45")), ("[-4, 5]", ["[", "-4", ", ", "5", "]"])],
)  # fmt: skip
def test_numbers_of_two_digits_are_one_token_each(text: str, tokens: list[str]) -> None:
    assert TOKENIZER.encode(text, add_special_tokens=False).tokens == tokens
