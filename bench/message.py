"""Splits a provider's reply object into thinking and visible answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from bench.finish import ended
from bench.message_usage import TokenCounts, field_of, filled, is_usable, read_usage
from bench.text_calls import TextToolCall, as_json, read_json_call
from bench.thinking import Thinking, ThinkingState, split_thinking

# Where servers put a message's reasoning; the same text often stands under two of these names, so one is read.
_REASONING = ("reasoning_content", "reasoning", "thinking", "thinking_blocks", "reasoning_details", "reasoningContent")
_THOUGHT_TYPES = frozenset({"thinking", "reasoning", "reasoning_text", "summary_text", "thought"})
_CALL_TYPES = frozenset(
    {"tool_use", "server_tool_use", "mcp_tool_use", "function_call", "custom_tool_call", "mcp_call"}
)
# What an element without a type may hold its text in; the first that is there counts.
_GENERATED = ("generated_text", "completion", "generation", "outputText")
_TEXTS = ("text", "thinking", "reasoning_content", "content", "summary", "reasoningText", "reasoning_text", *_GENERATED)
_PLAIN = (str, list, tuple)
_TEXT_TYPES = frozenset({"text", "output_text"})
_MAX_DEPTH = 8  # elements in elements; no provider nests deeper
_MAX_ELEMENTS = 2_000_000  # a list that is held many times by lists like it grows without end; the rest is not read
_MARKUP = "<[◁"  # each tag and each mark of a call has one of these


@dataclass(slots=True)
class _Parts:
    """What the elements of a reply hold."""

    thinking: list[str] = field(default_factory=list)
    answer: list[str] = field(default_factory=list)
    tool_calls: list[TextToolCall] = field(default_factory=list)
    hidden: bool = False  # there is reasoning that the provider doesn't show
    thinks_last: bool = False  # the last element is reasoning
    flat: bool = False  # the reasoning stood in a field of its own, beside the content
    unread: int = _MAX_ELEMENTS  # elements that may still come
    around: set[int] = field(default_factory=set)  # the ids of those that the present one lies in


def split_message(
    message: object, *, provider: str | None = None, family: str | None = None, finish_reason: str = "stop"
) -> Thinking:
    """Split a reply object of an API into thinking and visible answer; linear in its size.

    Never raises on any message: a field that raises when it is read counts as missing, and so does what is nested
    more than 8 levels deep, lies in itself, or follows 2,000,000 elements. Only a provider or family of the wrong
    type is a mistake.

    Read are whole responses and their messages, as mappings or as objects of a client library: OpenAI chat
    completions and responses, Anthropic messages, Gemini candidates, and what vLLM, SGLang, DeepSeek, Mistral,
    OpenRouter, Ollama and Bedrock make of them. Thinking marked by tags inside the visible text is split off
    too. A refusal is no answer. Reasoning that a provider only counts or encrypts is a ``thinking`` of None.

    Token counts are the provider's where they can be believed, else None: a reasoning count of 0, or none,
    beside visible reasoning says nothing, nor does one that is larger than the count of which it is a part or
    that leaves nothing for a visible answer.

    Args:
        message: The reply. A text is split as :func:`bench.thinking.split_thinking` does; None is an empty reply.
        provider: Who answered, e.g. ``xai``, which counts reasoning beside the completion and not in it.
        family: The model's family, see :func:`bench.thinking.split_thinking`.
        finish_reason: How the reply ended where the object itself does not tell.

    Raises:
        TypeError: ``provider`` or ``family`` is neither a text nor None.
    """
    for name, given in (("provider", provider), ("family", family)):
        if not is_usable(given) or not isinstance(given, str | None):
            raise TypeError(f"{name} has to be a str or None, not {type(given).__name__}")
    holder, reason, usage = _unwrap(message if is_usable(message) else None)
    cut = not (ended(_word(finish_reason)) and ended(_word(reason)))
    parts = _Parts()
    _read_message(holder, parts)
    if not isinstance(holder, str) and not any(map(str.strip, parts.answer)) and parts.thinking:
        _move_answer(parts)
    text = split_thinking("".join(parts.answer), finish_reason="length" if cut else "stop", family=family)
    return _assemble(parts, text, read_usage(usage, provider), cut)


def _unwrap(message: object) -> tuple[object, object, object]:
    """Return what holds the content, how it ended and what it took, of a whole response or a part of one."""
    reason: object = None
    usage: object = None
    for _ in range(_MAX_DEPTH):
        if message is None or isinstance(message, _PLAIN):
            break
        reason = _reason(message) or reason
        usage = field_of(message, "usage", "usageMetadata", "usage_metadata") or usage
        usage = message if usage is None and field_of(message, "eval_count") is not None else usage  # Ollama
        inner = _inner(message)
        if inner is None:
            break
        message = inner
    return message, reason, usage


def _reason(message: object) -> object:
    """Return how the part of a response says that it ended; only a Responses object says it by its status."""
    named = field_of(
        message, "finish_reason", "stop_reason", "finishReason", "stopReason", "done_reason", "completionReason"
    )
    return field_of(message, "status") if named is None and field_of(message, "output") is not None else named


def _word(reason: object) -> str:
    """Return a finish reason, a text or an enum member of a client library, as a text."""
    if is_usable(reason) and (reason is None or isinstance(reason, str)):
        return reason or ""
    named = filled(reason, "name", "value")
    return named if isinstance(named, str) else "unknown"  # a number or an object: nothing that says a whole reply


def _inner(message: object) -> object:
    """Return what an envelope holds, None where this is the message itself."""
    listed = field_of(message, "choices", "candidates", "generations", "results", "outputs")
    if isinstance(listed, list | tuple) and listed:
        return listed[0] if is_usable(listed[0]) else None
    for name in ("message", "output"):  # an output that is no list is Bedrock's or DashScope's envelope
        inner = field_of(message, name)
        if inner is not None and not isinstance(inner, _PLAIN):
            return inner
    content = field_of(message, "content")  # of a Gemini candidate
    return content if _is_content(content) else None


def _is_content(value: object) -> bool:
    return not isinstance(value, _PLAIN) and field_of(value, "parts") is not None


def _read_message(message: object, parts: _Parts) -> None:
    """Read a message: its reasoning fields first, then its content, then its calls."""
    if message is None or isinstance(message, _PLAIN):
        _read(message, parts)
        return
    reasoning = filled(message, *_REASONING) or _reasoning_beside(message)
    if reasoning is not None and field_of(message, "output") is None:  # a response's `reasoning` is its settings
        _read(reasoning, parts, thought=True)
        parts.flat = True
    _read(field_of(message, "output", "content", "parts", "text", "output_text", "response", *_GENERATED), parts)
    calls = field_of(message, "tool_calls") or [field_of(message, "function_call")]
    for call in calls if isinstance(calls, list | tuple) else ():
        if call is not None:
            parts.tool_calls.append(_read_call(call))


def _reasoning_beside(message: object) -> object:
    """Return the reasoning that LiteLLM or LangChain keeps in a field for whatever a provider adds."""
    for name in ("provider_specific_fields", "additional_kwargs", "model_extra"):
        found = filled(field_of(message, name), *_REASONING)
        if found is not None:
            return found
    return None


def _read(element: object, parts: _Parts, *, thought: bool = False, depth: int = 0) -> None:
    """Read a text, an element of content, or a list of them."""
    parts.unread -= 1
    if element is None or depth > _MAX_DEPTH or parts.unread < 0 or not is_usable(element):
        return
    if isinstance(element, str):
        _add(element, parts, thought)
    elif not isinstance(element, int | float) and id(element) not in parts.around:
        parts.around.add(id(element))
        if isinstance(element, list | tuple):
            _read_list(element, parts, thought, depth)
        else:
            _read_element(element, parts, thought, depth)
        parts.around.remove(id(element))


def _read_list(elements: Iterable[object], parts: _Parts, thought: bool, depth: int) -> None:
    for element in elements:
        text = _plain_text(element)
        if text is None:
            _read(element, parts, thought=thought, depth=depth + 1)
        else:
            _add(text, parts, thought)


def _plain_text(element: object) -> str | None:
    """Return the text of the commonest element, which is nothing but that; a shortcut for very long replies."""
    if type(element) is not dict or len(element) != 2:
        return None
    kind, text = element.get("type"), element.get("text")
    return text if type(kind) is str and kind in _TEXT_TYPES and type(text) is str else None


def _add(text: str, parts: _Parts, thought: bool) -> None:
    if text:
        (parts.thinking if thought else parts.answer).append(text)
        parts.thinks_last = thought


def _read_element(element: object, parts: _Parts, thought: bool, depth: int) -> None:
    """Read one typed or untyped element of content."""
    kind = field_of(element, "type")
    kind = kind if isinstance(kind, str) else ""
    if kind in _TEXT_TYPES and isinstance(text := field_of(element, "text"), str):  # by far the commonest
        _add(text, parts, thought or field_of(element, "thought") is True)
        return
    call = field_of(element, "functionCall", "function_call", "toolUse")
    if kind in _CALL_TYPES or call is not None:
        parts.tool_calls.append(_read_call(element if call is None else call))
        parts.thinks_last = False
        return
    thinks = thought or field_of(element, "thought") is True or kind in _THOUGHT_TYPES or kind.startswith("reasoning.")
    inner = field_of(element, "reasoningContent")
    if kind.endswith(("_result", "_call_output")):
        return  # what a tool of the provider returned: neither thinking nor answer
    if inner is not None:
        _read(inner, parts, thought=True, depth=depth + 1)
        return
    shown = filled(element, *_TEXTS)
    if thinks and kind == "reasoning":  # a Responses item shows its text, a summary of it, or neither
        shown = filled(element, "content", "summary") or shown
    if shown is not None and "redacted" not in kind:
        _read(shown, parts, thought=thinks, depth=depth + 1)
    elif thinks or "redacted" in kind or field_of(element, "redactedContent") is not None:
        parts.hidden, parts.thinks_last = True, True


def _read_call(call: object) -> TextToolCall:
    """Return a native call; its arguments may be an object or a JSON text."""
    function = filled(call, "function", "custom") or call
    name = field_of(function, "name")
    arguments = field_of(function, "arguments", "input", "args")
    name = name if isinstance(name, str) else ""
    if isinstance(arguments, Mapping):
        return TextToolCall(name, copied := _copied(arguments), as_json(copied))
    return read_json_call(name, arguments if isinstance(arguments, str) else "")


def _copied(arguments: Mapping[str, object]) -> dict[str, object]:
    """Return a mapping as a dict, an empty one where a client's own kind of mapping can't be read."""
    try:
        return dict(arguments)
    except Exception:
        return {}


def _move_answer(parts: _Parts) -> None:
    """Give back an answer that a server took for reasoning: what follows the closing tag in a reasoning field."""
    split = split_thinking(parts.thinking[-1], prompt_tail="<think>")
    if split.state is ThinkingState.CLOSED and split.answer:
        parts.thinking[-1:] = split.segments
        parts.answer.append(split.answer)
        parts.thinks_last = False


def _assemble(parts: _Parts, text: Thinking, counts: TokenCounts, cut: bool) -> Thinking:
    """Return the parts as a Thinking."""
    segments = (*_without_tags(parts.thinking), *text.segments)
    # A reasoning item without text and a count of 0 agree that there was none.
    hidden = not segments and (counts.reasoned or (parts.hidden and counts.reasoning is None))
    thinking = None if hidden else "\n".join(segments)
    calls = (*parts.tool_calls, *text.tool_calls)
    state = _state(parts, text, cut, silent=not text.answer and not calls, hidden=hidden)
    thinking_tokens, answer_tokens = _tokens(counts, bool(text.answer or calls), state)
    return Thinking(thinking, text.answer, state, segments, calls, thinking_tokens, answer_tokens, text.closed_by)


def _without_tags(blocks: Iterable[str]) -> list[str]:
    """Return the blocks stripped, without tags that a server left in them, the empty ones dropped."""
    found: list[str] = []
    for block in blocks:
        if not any(sign in block for sign in _MARKUP):
            found.append(block.strip())
            continue
        split = split_thinking(block, prompt_tail="<think>")
        found += [block.strip()] if split.answer else split.segments
    return [block for block in found if block]


def _state(parts: _Parts, text: Thinking, cut: bool, *, silent: bool, hidden: bool) -> ThinkingState:
    thought = any(map(str.strip, parts.thinking)) or hidden
    if not thought or text.state is ThinkingState.UNCLOSED:
        return text.state
    # A server that finds no closing tag puts all of the text into its reasoning field and none into the content.
    lost = silent and parts.flat and not hidden
    ended_inside = lost or (cut and (silent or parts.thinks_last))
    return ThinkingState.UNCLOSED if ended_inside else ThinkingState.CLOSED


def _tokens(counts: TokenCounts, answered: bool, state: ThinkingState) -> tuple[int | None, int | None]:
    """Return the tokens of thinking and of answer, as far as the provider's counts can be believed."""
    if counts.output is None:
        return (counts.reasoning or None if state is not ThinkingState.ABSENT else None), None
    if state is ThinkingState.ABSENT:
        return 0, counts.output
    if not counts.reasoning or (answered and counts.reasoning >= counts.output):
        return None, None
    return counts.reasoning, counts.output - counts.reasoning
