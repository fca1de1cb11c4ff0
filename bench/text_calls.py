"""Tool calls that a model writes as text."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

# How families mark a call: Qwen, Hermes and GLM; others; Kimi; DeepSeek; MiniMax and Claude; Llama.
_MARKS = (
    ("<tool_call>", "</tool_call>"),
    ("<function_call>", "</function_call>"),
    ("<|tool_call_begin|>", "<|tool_call_end|>"),
    ("<｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>"),
    ("<invoke ", "</invoke>"),  # inside <function_calls> or <minimax:tool_call>
    ("<function=", "</function>"),  # as Qwen's, without a mark around it
)
_SIGNS = ("_call", "[TOOL_CALLS]", "<function", "<tool_", "python_tag|>")
_PLAIN_SIGNS = tuple(sign for sign in _SIGNS if "_" not in sign)
# What a tool gave back, where a response holds several turns: neither a call nor an answer.
_RESULTS = (
    ("<tool_response>", "</tool_response>"),
    ("<tool_result>", "</tool_result>"),
    ("<tool_output>", "</tool_output>"),
    ("<function_results>", "</function_results>"),
    ("<｜tool▁output▁begin｜>", "<｜tool▁output▁end｜>"),
)
_AROUND = re.compile(
    r"<(?:[|｜]tool[_▁](?:call|output)s[_▁](?:section[_▁])?(?:begin|end)[|｜]|/?(?:minimax:tool_call|function_calls))>"
)
# What follows the mark of a call that never closes; any other text quotes the mark.
_BEGUN = re.compile(
    r"\s*(?:\Z|[{\[\"]|<function=|functions?[.<:]|name=|[\w.-]{1,100}(?:>\s*(?:\Z|[{<])|\[ARGS\]|:\d|\s*<arg_key>|\s*[<][|｜]))"
)
_MISTRAL = "[TOOL_CALLS]"  # what follows, to the end of the text, is calls
_LLAMA = "<|python_tag|>"  # what follows, to the end of the turn, is a call
_TURN_END = re.compile(r"<\|eo[mt](?:_id)?\|>")
_MISTRAL_CALL = re.compile(r"([\w.-]{1,100})\[ARGS\](.*)", re.DOTALL)
_FUNCTION = re.compile(r"<function=([^<>\s]{1,100})>|\A([^<>\s\"={]{1,100})>|name=\"([^\"<>]{1,100})\">")
_PARAMETER = re.compile(r"<parameter(?:=([^<>\s]{1,100})| name=\"([^\"<>]{1,100})\"[^<>]{0,100})>")
_GLM_ARGUMENT = re.compile(r"<arg_key>([^<>]{1,100})</arg_key>\s*<arg_value>([^<]*)</arg_value>")
# `functions.add:0<|tool_call_argument_begin|>{...}`, `function<｜tool▁sep｜>add` with its JSON in a fence.
_NAMED = re.compile(
    r"(?:functions?\.|function<｜tool▁sep｜>)?([\w.-]{1,100})(?::\d{1,4})?\s*"
    r"(?:<\|tool_call_argument_begin\|>|<｜tool▁sep｜>|\s```json|\n(?=<arg_key>))(.*?)\s*(?:```)?\Z",
    re.DOTALL,
)
# More calls than this in one response are a loop; the rest is cut out unread, which keeps hostile text cheap.
_MAX_CALLS = 64


@dataclass(frozen=True, slots=True)
class TextToolCall:
    """One call as written.

    Attributes:
        name: The tool, ``""`` where the call could not be read.
        arguments: Its arguments; JSON values, or strings where the form has no types.
        text: The call as the model wrote it, without its markers; ``""`` where a native call can't be written.
    """

    name: str
    arguments: Mapping[str, object] = field(default_factory=dict)
    text: str = ""


def take_tool_calls(text: str) -> tuple[list[TextToolCall], str]:
    """Return the closed calls (at most 64), by the marks of whichever family, and the text without them.

    A call that never closes is none, and neither is it an answer: it is dropped. A mark that nothing like a call
    follows is quoted and stays. What a tool gave back is dropped too. Never raises.
    """
    if not _is_marked(text):
        return [], text
    bodies, text = _to_the_end(text)
    marked = False
    for begin, end in _RESULTS:
        if begin in text:
            _, text = _cut_out(text, begin, end)
    for begin, end in _MARKS:
        if begin in text:
            found, text = _cut_out(text, begin, end)
            bodies += found
            marked = True
    if marked:
        text = _AROUND.sub("", text)
    calls = [call for body in bodies[:_MAX_CALLS] for call in _read_calls(body.strip())]
    return calls[:_MAX_CALLS], text


def _is_marked(text: str) -> bool:
    """Return whether a text holds what every mark holds one of."""
    signs = _SIGNS if "_" in text else _PLAIN_SIGNS  # one character is found at once
    for sign in signs:  # a loop, since a generator takes twice as long
        if text.rfind(sign) >= 0:  # several times as fast as `in` on a long text
            return True
    return not text.isascii() and "▁call▁" in text


def _to_the_end(text: str) -> tuple[list[str], str]:
    """Return the calls whose mark has no end, so that they reach to the next one or to the end of the turn."""
    text, marked, code = text.partition(_LLAMA)
    bodies = [_TURN_END.split(code, maxsplit=1)[0]] if marked else []
    text, *parts = text.split(_MISTRAL)
    quoted = True
    for part in parts:
        quoted = quoted and not _BEGUN.match(part)
        if quoted:
            text += _MISTRAL + part
        else:
            bodies.append(part)
    return bodies, text


def _cut_out(text: str, begin: str, end: str) -> tuple[list[str], str]:
    """Return what stands between the marks and the text without it."""
    before, *parts = text.split(begin)
    bodies: list[str] = []
    outside = [before]
    for part in parts:
        body, closed, rest = part.partition(end)
        if closed:
            bodies.append(body)
            outside.append(rest)
        elif not _BEGUN.match(part):
            outside.append(begin + part)
    return bodies, "".join(outside)


def read_json_call(name: str, body: str) -> TextToolCall:
    """Return a call whose body should be a JSON object of arguments."""
    arguments = _json(body)
    return TextToolCall(name, arguments if isinstance(arguments, dict) else {}, body)


def _read_calls(body: str) -> list[TextToolCall]:
    """Return the call of one body, or those of a JSON list."""
    listed = _json(body) if body.startswith("[") else None
    if isinstance(listed, list) and listed:
        return [_read_object(call, as_json(call)) for call in listed]
    return [_read_call(body)]


def _read_call(body: str) -> TextToolCall:
    function = _FUNCTION.search(body)
    if function:
        rest = body[function.end() :].strip()
        arguments = _json(rest) if rest.startswith("{") else None  # Llama's; Qwen's are elements
        return TextToolCall(
            next(filter(None, function.groups())),
            arguments if isinstance(arguments, dict) else _parameters(body),
            body,
        )
    named = _MISTRAL_CALL.match(body) or _NAMED.match(body)
    if named and named[2].startswith("<arg_key>"):
        pairs = _GLM_ARGUMENT.findall(named[2])
        return TextToolCall(named[1], {key.strip(): value.strip() for key, value in pairs}, body)
    if named and (arguments := _json(named[2])) is not None:
        return TextToolCall(named[1], arguments if isinstance(arguments, dict) else {}, body)
    return _read_object(_json(body), body)


def _read_object(call: object, body: str) -> TextToolCall:
    """Return the call that a JSON object describes."""
    call = call if isinstance(call, dict) else {}
    name, arguments = call.get("name"), call.get("arguments", call.get("parameters"))
    if isinstance(arguments, str):  # some models write the arguments as a JSON text
        arguments = _json(arguments)
    if isinstance(name, str) and isinstance(arguments, dict):
        return TextToolCall(name, arguments, body)
    return TextToolCall("", {}, body)


def _parameters(body: str) -> dict[str, object]:
    """Return ``<parameter=name>value</parameter>`` elements; values stay text."""
    found: dict[str, object] = {}
    for match in _PARAMETER.finditer(body):
        end = body.find("</parameter>", match.end())
        if end < 0:
            break
        found[match[1] or match[2]] = body[match.end() : end].strip()
    return found


_encode = json.JSONEncoder(default=str).encode  # json.dumps would build it anew for each call


def as_json(value: object) -> str:
    """Return a value as a JSON text, ``""`` where it has none: it is cyclic, too deep or an integer too long."""
    try:
        return _encode(value)
    except Exception:  # also whatever a foreign object raises when it is written
        return ""


def _json(text: str) -> object:
    """Return the value of a JSON text, None where it is none."""
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):  # also an integer of more digits than Python converts
        return None
    return value
