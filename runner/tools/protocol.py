"""What a tool call is, and what comes back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call asked for by a sample.

    Attributes:
        key: Unique among the calls in flight: ``<sample key>#<turn>``.
        name: The tool's name.
        arguments: What the model passed, already parsed.
    """

    key: str
    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a call gave.

    Attributes:
        key: The call's key.
        text: The observation for the model.
        ok: False when the tool refused or failed; ``text`` then says why.
        latency_s: Seconds the call ran.
    """

    key: str
    text: str
    ok: bool
    latency_s: float
