"""Renders messages with a model's chat template, the same on every day, or says why that can't be."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from runner.config.settings import ModelSettings
from runner.errors import UserError
from runner.sampling.request import Message, ModelCall
from runner.tools.protocol import ToolSpec

# Every prompt is rendered on this day: the one that templates which ask for a day fall back on.
_DATE_STRING = "26 Jul 2024"
_STRFTIME = {
    "%-d": "26", "%-m": "7", "%-H": "12", "%-I": "12", "%-M": "0", "%-S": "0", "%F": "2024-07-26",
    "%Y": "2024", "%y": "24", "%m": "07", "%d": "26", "%e": "26", "%j": "208", "%B": "July", "%b": "Jul",
    "%h": "Jul", "%A": "Friday", "%a": "Fri", "%H": "12", "%I": "12", "%M": "00", "%S": "00", "%p": "PM",
    "%f": "000000", "%Z": "UTC", "%z": "+0000",
}  # fmt: skip
# A macro, because transformers passes no function on to a template. The line feed at its end is eaten by the tag
# before it (trim_blocks), so that the model's template still begins at the beginning of a line.
_PINNED_CLOCK = (
    "{%- macro strftime_now(format='') -%}{{- format"
    + "".join(f"|replace('{directive}', '{value}')" for directive, value in _STRFTIME.items())
    + " -}}{%- endmacro %}\n"
)


# The variable that templates which know tools are given; a word around it, such as tools_in_user_message, is none.
_TOOLS = re.compile(r"(?<![\w.])tools(?!\w)")
_ONE_CALL = "single tool-calls"  # what Llama's templates say when they refuse several in one message


class CannotRender(Exception):
    """A request can't become a prompt; ``kind`` is the short name for :class:`Failure`."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


@dataclass(frozen=True, slots=True)
class ChatPrompt:
    """A rendered conversation.

    Attributes:
        text: All of it, up to where the assistant's text begins.
        turn_start: What the template wrote to begin the assistant's turn; empty if that can't be told apart.
    """

    text: str
    turn_start: str


@dataclass(frozen=True, slots=True)
class ChatTemplate:
    """A chat template together with the tokenizer that knows its special tokens."""

    tokenizer: Any
    source: str

    @property
    def takes_tools(self) -> bool:
        """Whether it tells the model of tools."""
        return _TOOLS.search(self.source) is not None

    def render(
        self, messages: Sequence[Message], options: Mapping[str, Any], tools: Sequence[ToolSpec] = ()
    ) -> ChatPrompt:
        """Return the prompt that asks for the assistant's next turn.

        Raises:
            CannotRender: the template raised, as some do for a system message, or left a message or a tool out.
        """
        if any(len(message.calls) > 1 for message in messages) and _ONE_CALL in self.source:
            messages = one_call_a_message(messages)
        asked = {**options, "tools": [function(tool) for tool in tools]} if tools else options
        text = self._apply(messages, asked, ask=True)
        for message in messages:
            if message.role != "assistant" and not _holds(text, message):
                raise CannotRender(
                    "template_failed", f"the chat template left out or changed the {message.role} message"
                )
        if missing := [tool.name for tool in tools if tool.name not in text]:
            raise CannotRender("template_failed", f"the chat template does not tell the model of {missing[0]}")
        told = self._apply(messages, asked, ask=False)
        return ChatPrompt(text, turn_start=text[len(told) :] if text.startswith(told) else "")

    def _apply(self, messages: Sequence[Message], options: Mapping[str, Any], ask: bool) -> str:
        try:
            text: str = self.tokenizer.apply_chat_template(
                [plain_message(message) for message in messages],
                chat_template=_PINNED_CLOCK + self.source,
                tokenize=False,
                add_generation_prompt=ask,
                **{"date_string": _DATE_STRING, **options},
            )
        except Exception as error:  # a template is a program: it may raise anything
            raise CannotRender("template_failed", f"the chat template raised {first_line(error)}") from error
        return text


def function(tool: ToolSpec) -> dict[str, Any]:
    """Return a tool as templates and OpenAI's interface take it."""
    told = {"name": tool.name, "description": tool.description, "parameters": dict(tool.schema)}
    return {"type": "function", "function": told}


def plain_message(message: Message) -> dict[str, Any]:
    """Return a message as templates take it; each takes of the fields those that its family has.

    Whether thinking of an earlier turn (``reasoning_content``; ``thinking`` in gpt-oss's) is shown again is the
    template's to say; one that knows neither field shows none.
    """
    plain: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.role == "tool":
        return {**plain, "name": message.name, "tool_call_id": message.call_id}
    if message.reasoning:
        plain |= {"reasoning_content": message.reasoning, "thinking": message.reasoning}
    if message.calls:
        plain["tool_calls"] = [_plain_call(call) for call in message.calls]
    return plain


def one_call_a_message(messages: Sequence[Message]) -> list[Message]:
    """Return the conversation with a turn's calls in a message each, every one followed by what it gave back."""
    results = {message.call_id: message for message in messages if message.role == "tool"}
    found: list[Message] = []
    for message in messages:
        if message.role == "assistant" and message.calls:
            for number, call in enumerate(message.calls):
                said = replace(message, calls=(call,)) if number == 0 else Message("assistant", "", (call,))
                found += [said, results[call.id]] if call.id in results else [said]
        elif message.role != "tool":
            found.append(message)
    return found


def _plain_call(call: ModelCall) -> dict[str, Any]:
    try:
        arguments = json.loads(call.arguments)
    except (ValueError, RecursionError):
        arguments = {}
    named = {"name": call.name, "arguments": arguments if isinstance(arguments, dict) else {}}
    return {"type": "function", "id": call.id, "function": named}


def _holds(text: str, message: Message) -> bool:
    """Whether a prompt shows a message; what a tool gave back may stand there as a JSON text."""
    said = message.content.strip()
    if said in text:
        return True
    escaped = (json.dumps(said, ensure_ascii=ascii_only)[1:-1] for ascii_only in (False, True))
    return message.role == "tool" and any(one in text for one in escaped)


def load_template(tokenizer: Any, model: ModelSettings) -> ChatTemplate | None:
    """Return the template file of the settings, else the tokenizer's template, else None.

    Raises:
        UserError: the file can't be read.
    """
    if model.chat_template is None:
        try:
            return ChatTemplate(tokenizer, tokenizer.get_chat_template())
        except ValueError:  # there is none, or several without a default
            return None
    try:
        return ChatTemplate(tokenizer, Path(model.chat_template).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UserError(f"model.chat_template={model.chat_template!r} can't be read: {first_line(error)}") from error


def first_line(error: BaseException) -> str:
    """Return the error's class and the first line of its message."""
    return f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0]}"
