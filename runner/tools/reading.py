"""What a model's text asks of the tools, whatever protocol it was written in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from bench.thinking import Span, split_spans
from runner.tools.protocol import ToolSpec

# Why a call was not made. syntax: it can't be read, or its arguments are not the tool's; unknown_tool: no such tool is
# offered; limit: no calls are left.
Fault = Literal["syntax", "unknown_tool", "limit"]

# A longer name is a text that stands where a name should.
_LONGEST_NAME = 64


@dataclass(frozen=True, slots=True)
class ReadCall:
    """A call as it was read, or why it can't be made.

    Attributes:
        name: The tool's name, as it is offered where it is; as the model wrote it where it is not.
        arguments: Texts by the tool's parameters; empty for a call with a fault.
        fault: Why it can't be made, None for a call that can.
        message: The fault in words, for the model.
        id: Names the call in a conversation of messages; empty where the protocol has no ids.
    """

    name: str
    arguments: Mapping[str, str]
    fault: Fault | None = None
    message: str = ""
    id: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """What one text of a model asks for.

    Attributes:
        calls: In order; none for a final answer.
        kept: Characters of the text that the conversation goes on with, None for all: what a model writes behind its
            call it writes without the result.
        slips: How the text departs from the protocol and was understood all the same, short stable names.
    """

    calls: tuple[ReadCall, ...] = ()
    kept: int | None = None
    slips: tuple[str, ...] = ()


def read_call(specs: Sequence[ToolSpec], name: str, arguments: object, call_id: str = "") -> ReadCall:
    """Return the call of a tool by its name, or the fault that the model is told.

    Args:
        specs: The tools that are offered.
        name: As written; case, quotes, brackets and dashes don't matter.
        arguments: A mapping, or the one argument of a tool that takes one; None where they can't be read.
        call_id: See :class:`ReadCall`.
    """
    spec = _named(specs, name)
    if spec is None:
        shown, known = name.strip()[:_LONGEST_NAME], ", ".join(spec.name for spec in specs)
        return ReadCall(shown, {}, "unknown_tool", f"there is no tool {shown!r}; there are: {known}", call_id)
    fitted = _fitted(spec, arguments)
    if fitted is None:
        wanted = (
            f"{spec.name} takes {spec.argument!r}, a text, which this call does not have in a form that can be read"
        )
        return ReadCall(spec.name, {}, "syntax", wanted, call_id)
    return ReadCall(spec.name, fitted, id=call_id)


def _named(specs: Sequence[ToolSpec], name: str) -> ToolSpec | None:
    written = _plain(name)
    return next((spec for spec in specs if _plain(spec.name) == written), None)


def _plain(name: str) -> str:
    """Return a name without what models put around it."""
    bare = name[: 2 * _LONGEST_NAME].strip().strip("`'\"*_[](){}<>.:,").lower().removeprefix("functions.")
    return bare.replace("-", "_").replace(" ", "_")


def _fitted(spec: ToolSpec, value: object) -> dict[str, str] | None:
    """Return a value as the tool's arguments, None where it is not one."""
    if isinstance(value, Mapping):
        if spec.argument not in value and len(value) != 1:
            return None
        value = value.get(spec.argument, next(iter(value.values())))  # its one argument may have another name
    text = _text(value)
    return {spec.argument: text} if text is not None and text.strip() else None


def _text(value: object) -> str | None:
    if isinstance(value, list) and value and all(isinstance(line, str) for line in value):
        return "\n".join(value)  # code, line by line
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def visible_of(text: str, opened: bool, ended: bool) -> str:
    """Return a text with blanks in the place of its thinking, so that places stay what they are.

    A call that a model thinks about is none. But who stops by itself inside thinking that is still open, having called
    there, waits for the result: such a last stretch of thinking is left to be read.

    Args:
        text: A model's.
        opened: Whether it begins inside thinking.
        ended: Whether the model ended it.
    """
    segments, visible = split_spans(text, opened=opened)
    if ended and segments and segments[-1][1] == len(text):
        visible = (*visible, segments[-1])
    kept = "".join(f"{' ' * (start - before)}{text[start:end]}" for before, (start, end) in _with_ends(visible))
    return kept + " " * (len(text) - len(kept))


def _with_ends(spans: Sequence[Span]) -> Iterator[tuple[int, Span]]:
    """Yield each span with the end of the one before it."""
    return zip((0, *(end for _, end in spans)), spans, strict=False)
