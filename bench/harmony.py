"""Splits a response in OpenAI's Harmony format into its channels."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from bench.text_calls import TextToolCall, read_json_call

_FAMILIES = ("gpt-oss", "harmony")
_CHANNEL = "<|channel|>"
_TOKEN = re.compile(r"<\|(channel|message|end|start|return|call|constrain)\|>")
# A message's beginning; a channel token without one is quoted.
_MESSAGE = re.compile(r"<\|channel\|>[^<]{0,200}(?:<\|constrain\|>[^<]{0,100})?<\|message\|>")
_RECIPIENT = re.compile(r"\bto=(?:functions\.)?([\w.-]+)")
# What decoding without special tokens leaves of the seams between two messages, and of the beginning.
_STRIPPED_SEAM = re.compile(r"assistant(?:(final|analysis)|commentary( to=[\w.-]+)?(?: ?json| ?code)?)")
_STRIPPED_START = re.compile(
    r"(?:assistant)?(analysis(?!\s?[:.,;]|\s+(?:of|is|shows?)\b)|final(?![\s:.,;]|ly|i[sz]|[es]\b)|commentary(?= to=)"
    r"|(?:analysis|final)(?=.*assistant(?:final|analysis|commentary)))",
    re.DOTALL,
)
_MAX_TOKENS = 20_000  # what follows so many is a loop and stays in the last message's text
_ENDS = frozenset({"end", "start", "return", "call", "channel"})


@dataclass(slots=True)
class Channels:
    """The messages of one response by what they are for."""

    thinking: list[str] = field(default_factory=list)
    answer: list[str] = field(default_factory=list)
    tool_calls: list[TextToolCall] = field(default_factory=list)
    unclosed: bool = False  # the response ended inside the analysis channel


def is_harmony(text: str, prompt_tail: str, family: str | None) -> bool:
    """Return whether this response is to be read as Harmony."""
    if text.rfind(_CHANNEL) >= 0 and (_MESSAGE.search(text) or text.lstrip().startswith((_CHANNEL, "<|start|>"))):
        return True
    if not family or not any(name in family.lower().replace("_", "-") for name in _FAMILIES):
        return False
    return _CHANNEL in prompt_tail or _STRIPPED_START.match(text) is not None


def split_channels(text: str, prompt_tail: str, *, complete: bool) -> Channels:
    """Split a response into channels; linear, never raises.

    ``analysis`` is thinking, ``final`` the answer, a message with a recipient is a tool call and other
    ``commentary`` is meant for the user's eyes, so it belongs to the answer.

    Args:
        text: The response, with or without its special tokens.
        prompt_tail: The end of the prompt; a message it began goes on in the text.
        complete: Whether the response was not cut, so that a call without its end token still counts.
    """
    if _CHANNEL not in text and (start := _STRIPPED_START.match(text)):
        text = _with_tokens(f"assistant{text[start.start(1) :]}")
    begun = prompt_tail.rfind(_CHANNEL)
    if begun >= 0 and "<|end|>" not in prompt_tail[begun:]:
        text = prompt_tail[begun:] + text
    return _collect(_TOKEN.split(text, maxsplit=_MAX_TOKENS), complete)


def _with_tokens(text: str) -> str:
    """Return a stripped response with the tokens that its seams stand for."""

    def seam(match: re.Match[str]) -> str:
        header = match.group(1) or f"commentary{match.group(2) or ''}"
        return f"<|end|><|start|>assistant{_CHANNEL}{header}<|message|>"

    return _STRIPPED_SEAM.sub(seam, text)


def _collect(parts: list[str], complete: bool) -> Channels:
    """Sort messages, given as text and token names in turn, into channels."""
    found = Channels()
    header: str | None = None
    body: str | None = None
    role = ""  # of the message; may name the recipient of a call
    for name, text in zip(parts[1::2], parts[2::2], strict=True):
        if name in _ENDS and body is not None:
            _file(found, header or "", body, closed=True)
            header = body = None
        if name == "start":
            role = text
        elif name == "channel":
            header, role = f"{text} {role}", ""
        elif name == "constrain":
            header = f"{header or ''} {text}"
        elif name == "message" and header is not None:
            body = text
    if body is not None:
        _file(found, header or "", body, closed=complete and not (header or "").startswith("analysis"))
    return found


def _file(found: Channels, header: str, body: str, *, closed: bool) -> None:
    """Put one message where its header says."""
    recipient = _RECIPIENT.search(header)
    if recipient:
        if closed:
            found.tool_calls.append(read_json_call(recipient.group(1), body.strip()))
    elif header.startswith("analysis"):
        found.thinking.append(body)
        found.unclosed = not closed
    else:
        found.answer.append(body)
