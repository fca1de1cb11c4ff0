"""Native calls: what a turn that calls tools asks for, and how the conversation goes on with it."""

from __future__ import annotations

import pytest

from runner.sampling.generation import FinishReason, Generation
from runner.sampling.request import ModelCall
from runner.tools.native import assistant_turn, read_native, tool_message
from runner.tools.protocol import SPECS

ALL = tuple(SPECS.values())
CALL = '<tool_call>\n{"name": "calculator", "arguments": {"expression": "1 + 1"}}\n</tool_call>'
HARMONY = (
    "<|channel|>analysis<|message|>I add.<|end|><|start|>assistant<|channel|>commentary to=functions.calculator "
    '<|constrain|>json<|message|>{"expression": "1 + 1"}'
)


def turn(text: str, *calls: ModelCall) -> Generation:
    return Generation("k#0", text, FinishReason.STOP, tool_calls=calls)


@pytest.mark.parametrize(
    ("text", "family"),
    [
        (CALL, "qwen3"),
        (CALL.removesuffix("\n</tool_call>"), "qwen3"),
        ('<|python_tag|>{"name": "calculator", "parameters": {"expression": "1 + 1"}}', "llama3"),
        ('{"name": "calculator", "parameters": {"expression": "1 + 1"}}', "llama3"),
        ('[TOOL_CALLS][{"name": "calculator", "arguments": {"expression": "1 + 1"}}]', "mistral"),
        ('[TOOL_CALLS]calculator[ARGS]{"expression": "1 + 1"}', "mistral"),
        ('<|tool_call|>[{"name": "calculator", "arguments": {"expression": "1 + 1"}}]<|/tool_call|>', "phi4"),
        (HARMONY, "gpt-oss"),
    ],
)
def test_each_family_s_own_form_is_a_call(text: str, family: str) -> None:
    (call,) = read_native(turn(text), ALL, family, opened=False).calls
    assert (call.name, call.arguments, call.fault) == ("calculator", {"expression": "1 + 1"}, None)
    assert len(call.id) == 9


def test_llama_s_mark_before_code_is_a_call_of_what_runs_code() -> None:
    (call,) = read_native(turn("<|python_tag|>print(1 + 1)"), ALL, "llama3", opened=False).calls
    assert (call.name, call.arguments["code"]) == ("python_repl", "print(1 + 1)")


def test_thinking_and_calls_stand_apart_in_the_conversation() -> None:
    asked = turn(f"<think>I add.</think>\n\nLet me see.\n{CALL}")
    reading = read_native(asked, ALL, "qwen3", opened=False)
    said = assistant_turn(asked, reading, "qwen3", opened=False)
    assert (said.content, said.reasoning) == ("Let me see.", "I add.")
    assert [(call.name, call.arguments) for call in said.calls] == [("calculator", '{"expression": "1 + 1"}')]
    assert tool_message(reading.calls[0], "2").call_id == said.calls[0].id


def test_a_call_in_thinking_that_stops_there_leaves_no_call_in_the_thinking() -> None:
    asked = turn(f"<think>I add.\n{CALL}")
    reading = read_native(asked, ALL, "qwen3", opened=False)
    said = assistant_turn(asked, reading, "qwen3", opened=False)
    assert (said.content, said.reasoning, len(said.calls)) == ("", "I add.", 1)


def test_what_can_not_be_read_is_shown_to_the_model_as_it_wrote_it() -> None:
    asked = turn("<tool_call>{broken</tool_call>")
    reading = read_native(asked, ALL, "qwen3", opened=False)
    assert reading.calls[0].fault == "syntax"
    said = assistant_turn(asked, reading, "qwen3", opened=False)
    assert "{broken" in said.calls[0].arguments


def test_a_provider_s_calls_keep_their_ids_and_broken_arguments_are_a_fault() -> None:
    calls = (ModelCall("call_1", "calculator", '{"expression": "1"}'), ModelCall("call_2", "calculator", '{"expr'))
    reading = read_native(turn("", *calls), ALL, "gpt-5", opened=False)
    assert [(call.id, call.fault) for call in reading.calls] == [("call_1", None), ("call_2", "syntax")]
    assert assistant_turn(turn("", *calls), reading, "gpt-5", opened=False).calls == calls
