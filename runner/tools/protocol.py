"""What a tool is, what a call of it is, and what comes back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call asked for by a sample.

    Attributes:
        key: Unique among the calls in flight: ``<sample key>#<turn>``.
        name: The tool's name.
        arguments: What the model passed, already parsed.
        session: Whose state the call sees: the sample's key. A session's calls run one after the other, and
            ``ToolPool.release(session)`` frees what it holds.
    """

    key: str
    name: str
    arguments: Mapping[str, Any]
    session: str = ""


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


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a tool answers: the observation, and whether the call went well."""

    text: str
    ok: bool


class Tool(Protocol):
    """Runs calls of one name; several threads may call it at once, with different sessions."""

    def run(self, call: ToolCall) -> Outcome:
        """Answer a call, within a time that the tool itself bounds."""
        ...

    def release(self, session: str) -> None:
        """Free what a session holds; an unknown session is no error."""
        ...

    def close(self) -> None:
        """End running calls and free everything; called again once they have come back. No call comes after it."""
        ...


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """How a tool is described to a model.

    Attributes:
        name: The tool's name.
        description: What it does and what it answers, in a sentence or two.
        argument: Name of its one argument, a text.
        meaning: What the argument holds.
    """

    name: str
    description: str
    argument: str
    meaning: str
    schema: Mapping[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        """Derive the JSON schema of the arguments."""
        properties = {self.argument: {"type": "string", "description": self.meaning}}
        schema = {"type": "object", "properties": properties, "required": [self.argument]}
        object.__setattr__(self, "schema", schema)


_SPECS = (
    ToolSpec(
        "calculator",
        "Evaluates an arithmetic expression exactly and returns its value. It knows + - * / // % ** and parentheses, "
        "lists, and functions such as sqrt, abs, min, max, sum, mean, median, gcd, factorial, log, sin.",
        "expression",
        "The expression, for example (3 + 4) * 12 / 5",
    ),
    ToolSpec(
        "python_repl",
        "Runs Python code and returns what it printed and the value of its last expression. Variables are kept "
        "between calls.",
        "code",
        "The Python code",
    ),
    ToolSpec(
        "code_executor",
        "Runs a complete Python program in a fresh process and returns what it printed. Nothing is kept between calls.",
        "code",
        "The Python program; it has to print its result",
    ),
)
SPECS: Mapping[str, ToolSpec] = {spec.name: spec for spec in _SPECS}
