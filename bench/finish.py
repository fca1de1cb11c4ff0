"""Says from any provider's finish reason whether a response ended by itself or was cut."""

from __future__ import annotations

# What providers and engines say of a model that ended by itself or handed over to a tool.
_ENDED = frozenset(
    {"stop", "end_turn", "stop_sequence", "eos", "eos_token", "end", "complete", "completed", "pause_turn", "finished"}
    | {"done", "eos_token_id", "stop_token", "natural"}
    | {"tool_calls", "tool_use", "tool_call", "function_call"}
)
# Where nothing is said, nothing says that it was cut.
_UNSAID = frozenset({"", "none", "null", "in_progress", "finish_reason_unspecified"})


def ended(reason: object) -> bool:
    """Return whether a finish reason, a text or an enum member of a client library, says that a response is whole.

    Case and an enum's name before a point do not matter. None says nothing, so the response counts as whole; a
    reason that is not known (``length``, ``max_tokens``, ``content_filter``, …) counts as a cut.
    """
    if reason == "stop":  # by far the commonest
        return True
    said = getattr(reason, "name", None) or getattr(reason, "value", reason)
    name = str(said).rsplit(".", 1)[-1].strip().lower()
    return name in _ENDED or name in _UNSAID
