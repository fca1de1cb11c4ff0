"""Each kind of error in the use of tools is found where it is, and nowhere else."""

from __future__ import annotations

import pytest

import bench
from bench.taxonomy.tool_errors import ToolError, ToolStep, tool_errors
from bench.verdict import Outcome

PROBLEM = bench.problem_from_data("sum", [3, 4, 10])


def call(given: str = "3 + 4 + 10", result: str = "17", *, ok: bool = True, name: str = "calculator") -> ToolStep:
    argument = "expression" if name == "calculator" else "code"
    return ToolStep(name, {argument: given}, result, ok)


def kinds(*steps: ToolStep, right: bool = False) -> set[tuple[str, str]]:
    outcome = Outcome.CORRECT if right else Outcome.INCORRECT
    return {(one.kind.value, one.rule) for one in tool_errors(PROBLEM, steps, outcome)}


def test_good_use_shows_none() -> None:
    assert kinds(call(), right=True) == set()
    assert kinds(call("3 + 4", "7"), call("7 + 10", "17"), call("3 + 4 + 10"), right=True) == set()
    assert tool_errors(PROBLEM, (), Outcome.INCORRECT) == ()


@pytest.mark.parametrize(
    ("step", "found"),
    [
        (ToolStep("calculator", {}, "Error", False, "syntax"), ("syntax_error", "unreadable_call")),
        (call("print('a)", "SyntaxError: unterminated", ok=False, name="python_repl"), ("syntax_error", "code")),
        (call("3 + + * 4", "the expression ends", ok=False), ("syntax_error", "expression")),
        (ToolStep("search", {}, "Error", False, "unknown_tool"), ("wrong_tool", "unknown_tool")),
        (call("x = 3\nprint(x)", "x is not known", ok=False), ("wrong_tool", "code_as_expression")),
        (call("1 / 0", "division by zero", ok=False), ("wrong_logic", "failed_call")),
        (call("print(1 / 0)", "ZeroDivisionError: x", ok=False, name="python_repl"), ("wrong_logic", "failed_call")),
    ],
)
def test_a_call_that_can_not_be_made_or_fails(step: ToolStep, found: tuple[str, str]) -> None:
    assert kinds(step, right=True) == {found}


def test_a_wrong_answer_beside_a_right_result_ignored_it() -> None:
    assert kinds(call()) == {("ignored_observation", "right_result")}
    printed = call("print(3 + 4 + 10)", "adding\n17", name="python_repl")
    assert kinds(printed) == {("ignored_observation", "right_result")}


def test_a_wrong_answer_without_a_right_result_asked_the_wrong_thing() -> None:
    assert kinds(call("3 + 4", "7")) == {("wrong_logic", "no_right_result")}


def test_the_same_call_three_times_is_a_loop_and_so_is_running_out_of_calls() -> None:
    assert kinds(call(), call(), right=True) == set()
    assert kinds(call(), call(" 3 + 4  + 10"), call(), right=True) == {("loop", "same_call")}
    unknown = ToolStep("search", {}, "Error", False, "unknown_tool")
    assert kinds(unknown, unknown, unknown) == {("wrong_tool", "unknown_tool"), ("loop", "same_call")}
    assert kinds(call(), ToolStep("calculator", {}, "none left", False, "limit"), right=True) == {("loop", "no_end")}


def test_findings_come_in_the_order_of_the_kinds_with_the_call_that_shows_them() -> None:
    steps = (call("1 / 0", "division by zero", ok=False), ToolStep("search", {}, "Error", False, "unknown_tool"))
    found = tool_errors(PROBLEM, steps, Outcome.INCORRECT)
    assert [(one.kind, one.step) for one in found] == [(ToolError.WRONG_TOOL, 1), (ToolError.WRONG_LOGIC, 0)]


def test_hostile_texts_are_read_in_linear_time() -> None:
    for text in ("(" * 200_000, "=" * 200_000, "\n" * 200_000, "\\boxed{" * 30_000, "9" * 200_000):
        steps = (call(text, text), call(text, text, ok=False), call(text, text, ok=False, name="python_repl"))
        tool_errors(PROBLEM, steps, Outcome.INCORRECT)
