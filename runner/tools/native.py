"""Native tool calls: how a model's family, or its provider, writes them, and how they stand in a conversation."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence

from bench.harmony import is_harmony, split_channels
from bench.text_calls import TextToolCall, as_json, take_tool_calls
from bench.thinking import Thinking, ThinkingState, split_thinking
from runner.sampling.generation import FinishReason, Generation
from runner.sampling.request import Message, ModelCall
from runner.tools.protocol import ToolSpec
from runner.tools.reading import ReadCall, Reading, read_call, visible_of

# Calls of one text beyond these are a loop. Of a provider's calls each wants a result.
MOST_CALLS = 16
# How a call that can't be read stands in the conversation: the model sees what it wrote, and why that is none.
UNREADABLE = "unreadable_call"
# Letters and digits of an id; Mistral's template takes nine.
_ID_LENGTH = 9
# Marks whose closing one a model left out, or stopped before.
_UNCLOSED = (("<tool_call>", "</tool_call>"), ("<function_call>", "</function_call>"))
# Phi's marks, and the fences around a call that is bare JSON.
_AROUND_JSON = re.compile(r"<\|/?tool_call\|>|\A\s*```(?:json)?\s*|\s*```\s*\Z")
_CODE_TOOLS = ("python_repl", "code_executor")


def read_native(generation: Generation, specs: Sequence[ToolSpec], family: str, opened: bool) -> Reading:
    """Return the calls of a turn, none for an answer. Never raises; linear in the length.

    A provider's structured calls count as they are. In a text count those outside the thinking, by the marks of
    whichever family: Hermes and Qwen (``<tool_call>``), Llama (``<|python_tag|>``, bare JSON), Mistral
    (``[TOOL_CALLS]``), DeepSeek, Kimi, GLM, Phi, and Harmony, whose calls stand between its thoughts. Where the
    thinking was not closed, see :func:`runner.tools.reading.visible_of`.

    Args:
        generation: What the model wrote.
        specs: The tools.
        family: The model's.
        opened: Whether its text begins inside thinking.
    """
    if generation.tool_calls:
        return Reading(tuple(_structured(call, specs) for call in generation.tool_calls))
    found, _, slips = _written(generation, family, opened)
    ids = [call_id(f"{generation.key}/{number}") for number in range(len(found))]
    return Reading(tuple(_as_read(call, specs, one) for call, one in zip(found, ids, strict=True)), slips=slips)


def assistant_turn(generation: Generation, reading: Reading, family: str, opened: bool) -> Message:
    """Return a turn that calls tools as the conversation goes on with it.

    Args:
        generation: What the model wrote.
        reading: Of :func:`read_native`.
        family: The model's.
        opened: Whether its text begins inside thinking.
    """
    found, visible, _ = _written(generation, family, opened)
    calls = generation.tool_calls
    if not calls:
        calls = tuple(_as_made(call, read.id) for call, read in zip(found, reading.calls, strict=True))
    split = _split(generation, family, opened)
    if split.state is ThinkingState.UNCLOSED:  # what is left to be read of it is thinking, see visible_of
        return Message("assistant", "", calls, reasoning=visible.strip(), raw=generation.raw_turn)
    return Message("assistant", visible.strip(), calls, reasoning=split.thinking or "", raw=generation.raw_turn)


def tool_message(call: ReadCall, text: str) -> Message:
    """Return what a call gave back as a message."""
    return Message("tool", text, call_id=call.id, name=call.name or UNREADABLE)


def call_id(key: str) -> str:
    """Return nine letters and digits that name a call, the same in every run."""
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:_ID_LENGTH]


def _structured(call: ModelCall, specs: Sequence[ToolSpec]) -> ReadCall:
    try:
        arguments = json.loads(call.arguments, strict=False)
    except (ValueError, RecursionError):
        arguments = None
    return read_call(specs, call.name, arguments if isinstance(arguments, Mapping) else None, call.id)


def _written(generation: Generation, family: str, opened: bool) -> tuple[list[TextToolCall], str, tuple[str, ...]]:
    """Return the calls that stand in a text, the visible text without them, and the slips."""
    text, ended = generation.text, generation.finish_reason is not FinishReason.LENGTH
    if is_harmony(text, generation.prompt_tail, family):
        channels = split_channels(text, generation.prompt_tail, complete=ended)
        return channels.tool_calls[:MOST_CALLS], "\n".join(channels.answer), ()
    visible = visible_of(text, opened, ended)
    if generation.tool_calls:
        return [], visible, ()
    calls, rest = take_tool_calls(visible)
    if not calls and ended:
        for begin, end in _UNCLOSED:
            if visible.rfind(begin) > visible.rfind(end):
                calls, rest = take_tool_calls(visible + end)
                if calls:
                    return calls[:MOST_CALLS], rest, ("unclosed_call",)
        if bare := _bare(visible):
            return bare, "", ("bare_json",)
    return calls[:MOST_CALLS], rest, ()


def _bare(visible: str) -> list[TextToolCall]:
    """Return the calls of a text that is nothing but JSON: Llama's own form, and others' slip."""
    body = _AROUND_JSON.sub("", visible).strip()
    if not body.startswith(("{", "[")):
        return []
    try:
        value = json.loads(body, strict=False)
    except (ValueError, RecursionError):
        return []
    listed = value if isinstance(value, list) else [value]
    calls = [call for one in listed[:MOST_CALLS] if (call := _from_object(one)) is not None]
    return calls if len(calls) == len(listed[:MOST_CALLS]) else []


def _from_object(value: object) -> TextToolCall | None:
    if not isinstance(value, Mapping):
        return None
    inner = value.get("function")
    value = inner if isinstance(inner, Mapping) else value
    name, arguments = value.get("name"), value.get("arguments", value.get("parameters"))
    if isinstance(name, str) and isinstance(arguments, Mapping):
        return TextToolCall(name, dict(arguments), as_json(value))
    return None


def _as_read(call: TextToolCall, specs: Sequence[ToolSpec], identity: str) -> ReadCall:
    if call.name:
        return read_call(specs, call.name, dict(call.arguments) or None, identity)
    code = next((spec for spec in specs if spec.name in _CODE_TOOLS), None)
    if code is not None and call.text.strip() and not call.text.lstrip().startswith(("{", "[")):
        return read_call(specs, code.name, call.text, identity)  # Llama's <|python_tag|> is followed by code
    message = "this call can't be read: it is no JSON object with a name and arguments"
    return ReadCall("", {}, "syntax", message, identity)


def _as_made(call: TextToolCall, identity: str) -> ModelCall:
    if call.name:
        return ModelCall(identity, call.name, as_json(dict(call.arguments)) or "{}")
    return ModelCall(identity, UNREADABLE, as_json({"text": call.text}))


def _split(generation: Generation, family: str, opened: bool) -> Thinking:
    tail = "<think>" if opened else generation.prompt_tail if is_harmony(generation.text, "", family) else ""
    return split_thinking(
        generation.text, finish_reason=generation.finish_reason.value, prompt_tail=tail, family=family
    )
