"""Tool calls that a model writes as text."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

_OPEN, _CLOSE = "<tool_call>", "</tool_call>"
_FUNCTION = re.compile(r"<function=([^<>\s]{1,100})>")
_PARAMETER = re.compile(r"<parameter=([^<>\s]{1,100})>")
# More calls than this in one response are a loop; the rest is cut out unread, which keeps hostile text cheap.
_MAX_CALLS = 64


@dataclass(frozen=True, slots=True)
class TextToolCall:
    """One call as written.

    Attributes:
        name: The tool, ``""`` where the call could not be read.
        arguments: Its arguments; JSON values, or strings where the form has no types.
        text: The call as the model wrote it, without its markers.
    """

    name: str
    arguments: Mapping[str, object] = field(default_factory=dict)
    text: str = ""


def take_tool_calls(text: str) -> tuple[list[TextToolCall], str]:
    """Return the closed ``<tool_call>`` elements (at most 64) and the text without them; never raises.

    An element that never closes is no call, and neither is it an answer: it is dropped.
    """
    if text.rfind(_OPEN) < 0:  # several times as fast as `in` on a long text
        return [], text
    before, *parts = text.split(_OPEN)
    bodies: list[str] = []
    outside = [before]
    for part in parts:
        body, end, rest = part.partition(_CLOSE)
        if end:
            bodies.append(body)
            outside.append(rest)
    return [_read_call(body.strip()) for body in bodies[:_MAX_CALLS]], "".join(outside)


def read_json_call(name: str, body: str) -> TextToolCall:
    """Return a call whose body should be a JSON object of arguments."""
    arguments = _json_object(body)
    return TextToolCall(name, arguments or {}, body)


def _read_call(body: str) -> TextToolCall:
    function = _FUNCTION.search(body)
    if function:
        return TextToolCall(function.group(1), _parameters(body), body)
    call = _json_object(body) or {}
    name, arguments = call.get("name"), call.get("arguments", call.get("parameters"))
    if isinstance(arguments, str):  # some models write the arguments as a JSON text
        arguments = _json_object(arguments)
    readable = isinstance(name, str) and isinstance(arguments, dict)
    return TextToolCall(str(name), arguments, body) if readable else TextToolCall("", {}, body)  # type: ignore[arg-type]


def _parameters(body: str) -> dict[str, object]:
    """Return ``<parameter=name>value</parameter>`` elements; values stay text."""
    found: dict[str, object] = {}
    for match in _PARAMETER.finditer(body):
        end = body.find("</parameter>", match.end())
        if end < 0:
            break
        found[match.group(1)] = body[match.end() : end].strip()
    return found


def _json_object(text: str) -> dict[str, object] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):  # also an integer of more digits than Python converts
        return None
    return value if isinstance(value, dict) else None
