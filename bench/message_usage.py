"""Reads from a provider's reply object: fields by either spelling, how many tokens it took."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

# Providers whose count of reasoning tokens stands beside that of completion tokens; everybody else's is part of it.
_COUNTED_APART = frozenset({"google", "gemini", "vertex", "xai"})
_BUILT_IN = frozenset({str, dict, list, tuple, int, float, bool, type(None)})
_DETAILS = ("completion_tokens_details", "output_tokens_details")


@dataclass(frozen=True, slots=True)
class TokenCounts:
    """A provider's counts, None where it gives none that can be believed.

    Attributes:
        output: All tokens that the model produced, reasoning included.
        reasoning: Those of its reasoning.
        reasoned: Whether it says that there was reasoning, however many tokens it took.
    """

    output: int | None = None
    reasoning: int | None = None
    reasoned: bool = False


def is_usable(value: object) -> bool:
    """Return whether a value can be asked what it is and whether it is empty; a client's object may raise instead."""
    if type(value) in _BUILT_IN:
        return True
    try:
        return isinstance(value, Mapping) or bool(value) or True
    except Exception:
        return False


def field_of(source: object, *names: str) -> object:
    """Return the first of the named fields that is there and not None, of a mapping or any object.

    A field that raises when it is read, or whose value is not usable, is none.
    """
    for name in names:
        value = _field(source, name)
        if value is not None and is_usable(value):
            return value
    return None


def filled(source: object, *names: str) -> object:
    """Return the first of the named fields that is not empty."""
    for name in names:
        value = field_of(source, name)
        if value:
            return value
    return None


def _field(source: object, name: str) -> object:
    try:
        if type(source) is dict or isinstance(source, Mapping):
            return source.get(name)
        return getattr(source, name, None)
    except Exception:  # a property may raise anything
        return None


def read_usage(usage: object, provider: str | None) -> TokenCounts:
    """Return what a usage object says, whichever provider's names it uses.

    A reasoning count that exceeds the count it should be part of is not believed, unless the provider counts
    reasoning apart, which it does by name or where only so its total adds up.
    """
    if field_of(usage, "candidatesTokenCount", "candidates_token_count", "thoughtsTokenCount", "thoughts_token_count"):
        visible = _count(usage, "candidatesTokenCount", "candidates_token_count") or 0
        thoughts = _count(usage, "thoughtsTokenCount", "thoughts_token_count")
        total = _count(usage, "totalTokenCount", "total_token_count")
        prompt = _count(usage, "promptTokenCount", "prompt_token_count")
        if thoughts is None and total is not None and prompt is not None and total > prompt + visible:
            return TokenCounts(reasoned=True)  # tokens that are neither: thoughts, or what tools gave back
        return TokenCounts(visible + (thoughts or 0), thoughts, bool(thoughts))
    output = _count(usage, "completion_tokens", "output_tokens", "completionTokens", "outputTokens", "eval_count")
    reasoning = _reasoning(usage)
    if output is None or not reasoning:
        return TokenCounts(output, reasoning, bool(reasoning))
    if (provider or "").lower() in _COUNTED_APART or _adds_up_apart(usage, output, reasoning):
        output += reasoning
    return TokenCounts(output, reasoning if reasoning <= output else None, reasoned=True)


def _reasoning(usage: object) -> int | None:
    details = field_of(usage, *_DETAILS)
    for source in (details, usage):
        count = _count(source, "reasoning_tokens", "thinking_tokens", "reasoningTokens")
        if count is not None:
            return count
    return None


def _adds_up_apart(usage: object, output: int, reasoning: int) -> bool:
    total, prompt = _count(usage, "total_tokens"), _count(usage, "prompt_tokens", "input_tokens")
    return bool(reasoning) and total is not None and prompt is not None and total == prompt + output + reasoning


def _count(source: object, *names: str) -> int | None:
    """Return a field as a count of tokens, None where it is missing or none."""
    value = field_of(source, *names)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
