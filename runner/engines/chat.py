"""Renders messages with a model's chat template, the same on every day, or says why that can't be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runner.config.settings import ModelSettings
from runner.errors import UserError
from runner.sampling.request import Message

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

    def render(self, messages: Sequence[Message], options: Mapping[str, Any]) -> ChatPrompt:
        """Return the prompt that asks for the assistant's next turn.

        Raises:
            CannotRender: the template raised, as some do for a system message, or left a message out.
        """
        text = self._apply(messages, options, ask=True)
        for message in messages:
            if message.role in ("system", "user") and message.content.strip() not in text:
                raise CannotRender(
                    "template_failed", f"the chat template left out or changed the {message.role} message"
                )
        told = self._apply(messages, options, ask=False)
        return ChatPrompt(text, turn_start=text[len(told) :] if text.startswith(told) else "")

    def _apply(self, messages: Sequence[Message], options: Mapping[str, Any], ask: bool) -> str:
        try:
            text: str = self.tokenizer.apply_chat_template(
                [{"role": message.role, "content": message.content} for message in messages],
                chat_template=_PINNED_CLOCK + self.source,
                tokenize=False,
                add_generation_prompt=ask,
                **{"date_string": _DATE_STRING, **options},
            )
        except Exception as error:  # a template is a program: it may raise anything
            raise CannotRender("template_failed", f"the chat template raised {first_line(error)}") from error
        return text


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
