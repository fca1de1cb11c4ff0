"""ReAct text as models write it: what is understood as a call, what is none, and what can't be read."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runner.tools.protocol import SPECS
from runner.tools.react import read_react
from runner.tools.reading import visible_of

ALL = tuple(SPECS.values())
CODE = "x = 1\n\nprint(x)"


@pytest.mark.parametrize(
    ("text", "name", "given_"),
    [
        ("Thought: add\nAction: calculator\nAction Input: 1 + 1", "calculator", "1 + 1"),
        ("action: Calculator\naction input: `1 + 1`", "calculator", "1 + 1"),
        ('**Action:** calculator\n**Action Input:** {"expression": "1 + 1"}', "calculator", "1 + 1"),
        ("Action: calculator\nAction Input: {'value': '1 + 1'}", "calculator", "1 + 1"),
        ('Action: calculator\nAction Input: "1 + 1"', "calculator", "1 + 1"),
        ("Action: calculator\nAction Input: 1 + 1\nNow I wait for the result.", "calculator", "1 + 1"),
        ("Action: calculator(1 + 1)", "calculator", "1 + 1"),
        ("Action: Calculator[1 + 1]", "calculator", "1 + 1"),
        ("Action: python-repl\nAction Input:\n```python\n" + CODE + "\n```\nDone.", "python_repl", CODE),
        ("Action: python_repl\n```\n" + CODE + "\n```", "python_repl", CODE),
        ("Action: python_repl\nAction Input: " + CODE + "\nObservation: 1", "python_repl", CODE),
        ('Action: python_repl\nAction Input: {"code": "x = 1\n\nprint(x)"}', "python_repl", CODE),
        ('```json\n{"action": "calculator", "action_input": "1 + 1"}\n```', "calculator", "1 + 1"),
        ('<tool_call>{"name": "calculator", "arguments": {"expression": "1 + 1"}}</tool_call>', "calculator", "1 + 1"),
        ("Action: calculator\nAction Input: 1 + 1\nAction: calculator\nAction Input: 2", "calculator", "1 + 1"),
    ],
)
def test_what_models_write_for_a_call(text: str, name: str, given_: str) -> None:
    (call,) = read_react(text, ALL).calls
    assert (call.name, list(call.arguments.values()), call.fault) == (name, [given_], None)


@pytest.mark.parametrize(
    "text",
    [
        "The answer is \\boxed{7}.",
        "Thought: I know it.\nFinal Answer: 7",
        "Final Answer: 7\nAction: calculator\nAction Input: 1",
        "Action: none\nFinal Answer: 7",
        '{"action": "Final Answer", "action_input": "7"}',
        "In action: movies such as {1, 2}",
    ],
)
def test_an_answer_is_no_call(text: str) -> None:
    assert read_react(text, ALL).calls == ()


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("Action: calculator\n", "syntax"),
        ("Action: calculator\nAction Input:", "syntax"),
        ('Action: calculator\nAction Input: {"expression": "1 + ', "syntax"),
        ("Action: search\nAction Input: 7", "unknown_tool"),
    ],
)
def test_what_can_not_be_made_says_why(text: str, fault: str) -> None:
    (call,) = read_react(text, ALL).calls
    assert call.fault == fault
    assert call.message


def test_what_stands_behind_the_call_is_cut_off() -> None:
    text = "Action: calculator\nAction Input: 1 + 1\nObservation: 3\nFinal Answer: 3"
    reading = read_react(text, ALL)
    assert text[: reading.kept] == "Action: calculator\nAction Input: 1 + 1"
    assert reading.slips == ("made_up_observation",)


def test_thinking_is_blanked_where_it_is_closed_and_read_where_the_model_stopped_in_it() -> None:
    call = "Action: calculator\nAction Input: 1"
    closed = f"<think>{call}</think>7"
    assert visible_of(closed, opened=False, ended=True).strip() == "7"
    assert len(visible_of(closed, opened=False, ended=True)) == len(closed)
    assert read_react(visible_of(f"<think>{call}", opened=False, ended=True), ALL).calls
    assert not read_react(visible_of(f"<think>{call}", opened=False, ended=False), ALL).calls


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(["Action:", "Action Input:", "\n", "{", '"', "```", "(", "calculator", "\ud800", "1"])))
def test_no_text_raises(parts: list[str]) -> None:
    read_react("".join(parts), ALL)


def test_long_hostile_texts_are_read_quickly() -> None:
    for text in (
        "Action: calculator\n" * 20_000,
        "Action: " + "(" * 200_000,
        "{" * 200_000,
        "```" * 60_000,
        "*" * 200_000,
    ):
        read_react(text, ALL)
