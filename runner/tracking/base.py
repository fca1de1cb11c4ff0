"""What a tracker is told about a run; the limits that a tracking service sets are met here."""

from __future__ import annotations

import dataclasses
import hashlib
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeAlias

# A number, a word, nothing, or a group of those, e.g. {"tasks": {"sum": {"accuracy": 0.5}}}.
Metric: TypeAlias = "float | int | str | Mapping[str, Metric] | None"

# Limits in characters.
MAX_ID = 64
MAX_NAME = 128
MAX_TAG = 64
MAX_TEXT = 4_000  # of one text in a table of traces

_ID = re.compile(rf"[a-z0-9-]{{1,{MAX_ID}}}")


def cut(text: str, limit: int) -> str:
    """Return ``text`` in at most ``limit`` characters; a longer one ends in a hash of the whole, so two stay apart.

    Lone surrogates, which no service takes, become ``?``.
    """
    if len(text) > limit:
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
        text = f"{text[: limit - 9]}-{digest}"
    return _encodable(text)


def plain(value: Any) -> Any:
    """Return nested plain values that any service takes.

    A dot in a key, which services read as a path, becomes ``_``; NaN and infinities become None; lone surrogates
    become ``?``.
    """
    if isinstance(value, Mapping):
        fields: dict[str, Any] = {}
        for key, item in value.items():
            name = _encodable(str(key)).replace(".", "_")
            while name in fields:  # a.b beside a_b: neither may be lost
                name += "_"
            fields[name] = plain(item)
        return fields
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return _encodable(value) if isinstance(value, str) else value


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


@dataclass(frozen=True, slots=True)
class TrackedRun:
    """The identity of one run. Whatever is passed in, the fields hold what their limits allow.

    Attributes:
        id: Stable across restarts of the same run: 1 to 64 of ``a-z 0-9 -``.
        name: What a person reads; cut to 128 characters.
        group: The study; cut to 128 characters.
        tags: Without repeats, each cut to 64 characters.
        config: The resolved settings, nested plain values that JSON can hold, None kept; see :func:`plain`.
        folder: The run's folder; a tracker writes below ``folder/wandb`` alone.

    Raises:
        ValueError: ``id`` is not of that form.
    """

    id: str
    name: str
    group: str
    tags: tuple[str, ...]
    config: Mapping[str, Any]
    folder: Path

    def __post_init__(self) -> None:
        if not _ID.fullmatch(self.id):
            raise ValueError(f"run id {self.id!r}: 1 to {MAX_ID} characters of a-z, 0-9 and -")
        object.__setattr__(self, "name", cut(self.name, MAX_NAME))
        object.__setattr__(self, "group", cut(self.group, MAX_NAME))
        object.__setattr__(self, "tags", tuple(dict.fromkeys(cut(tag, MAX_TAG) for tag in self.tags)))
        object.__setattr__(self, "config", plain(self.config))


@dataclass(frozen=True, slots=True)
class TraceRow:
    """One graded sample as a person wants to read it. Texts are cut to :data:`MAX_TEXT` characters.

    Attributes:
        problem_id: See :class:`bench.problem.Problem`.
        task: Name of the task.
        repeat: 0 for the first sample of a problem.
        question: The task's wording.
        thinking: The text between the thinking markers.
        answer: The visible answer's text.
        extracted: The answer that was read, in canonical text, or None.
        gold: The exact answer as text.
        outcome: See :class:`bench.verdict.Outcome`.
        rule: The rule that found the answer, or None.
        thinking_tokens: Tokens strictly between the markers; None where nothing counted them.
        answer_tokens: Tokens that are neither thinking nor marker.
        output_tokens: All tokens that the model produced.
    """

    problem_id: str
    task: str
    repeat: int
    question: str
    thinking: str
    answer: str
    extracted: str | None
    gold: str
    outcome: str
    rule: str | None
    thinking_tokens: int | None
    answer_tokens: int | None
    output_tokens: int | None

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if isinstance(value, str):
                object.__setattr__(self, field.name, _short(value))


# Takes a number of rows and returns at most as many, chosen as it likes.
TraceSource: TypeAlias = Callable[[int], Sequence[TraceRow]]


def _short(text: str) -> str:
    text = text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]} [+{len(text) - MAX_TEXT} characters]"
    return _encodable(text)


class Tracker(Protocol):
    """Shows runs one after the other: ``start``, then any logging, then ``finish``, then perhaps the next ``start``.

    A tracker keeps a copy and never costs the run: its own troubles end in a logged warning, and only
    KeyboardInterrupt and SystemExit leave its methods. Logging outside of a started run does nothing.
    """

    @property
    def url(self) -> str | None:
        """Web address of the started run, or None."""
        ...

    def start(self, run: TrackedRun) -> None:
        """Open the run, or go on with the one of the same id."""
        ...

    def log_summary(self, metrics: Mapping[str, Metric]) -> None:
        """Set the run's final figures; see :func:`plain`."""
        ...

    def log_traces(self, traces: TraceSource) -> None:
        """Show some traces, as many as the tracker wants, and keep the run's complete generations file."""
        ...

    def finish(self, exit_code: int) -> None:
        """Close the run; 0 says that it succeeded."""
        ...
