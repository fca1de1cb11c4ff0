"""One stored sample: everything that a grader, a metric or a reader may need, as one JSON line."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

from runner.config.settings import BudgetKind
from runner.sampling.generation import Boundary, Failure, FinishReason, Usage

RECORD_VERSION = 1

# model: generated text; injected: text we forced into the assistant's turn; tool: an observation.
TurnKind = Literal["model", "injected", "tool"]


class OtherVersion(ValueError):
    """A record in the layout of another version of this program."""

    def __init__(self, version: int) -> None:
        super().__init__(f"record version {version}; this program reads {RECORD_VERSION}")
        self.version = version


class RecordStatus(StrEnum):
    """What became of a sample. All but ``error`` count in the accuracy."""

    OK = "ok"
    TRUNCATED = "truncated"
    REFUSED = "refused"
    ERROR = "error"


def sample_key(problem_id: str, repeat: int) -> str:
    """Return the key of a sample within its run."""
    return f"{problem_id}/{repeat}"


@dataclass(frozen=True, slots=True)
class Turn:
    """One stretch of the conversation.

    Attributes:
        kind: See :data:`TurnKind`.
        text: The text, thinking markers kept.
        token_ids: Ids of a model turn where the engine has them; stored in the side file, not in the line.
        latency_s: Seconds it took.
        kept: Characters of a model turn that the conversation went on with, None for all: what a model wrote behind a
            call of a tool was cut off.
        slips: How a model turn departs from the protocol of its tools and was understood all the same.
        name: The tool of a tool turn, as the model wrote it where there is no such tool.
        arguments: What the tool was given; empty where the call could not be read.
        ok: Whether the call went well; None for other turns.
        fault: Why the call was not made, see :data:`runner.tools.reading.Fault`; None where it was.
    """

    kind: TurnKind
    text: str
    token_ids: tuple[int, ...] | None = None
    latency_s: float = 0.0
    kept: int | None = None
    slips: tuple[str, ...] = ()
    name: str = ""
    arguments: Mapping[str, str] | None = None
    ok: bool | None = None
    fault: str | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """One finished sample.

    Attributes:
        problem_id: The problem's id; with ``repeat`` the key of the sample.
        task: Task name.
        fold: Fold of the problem; 0 for stored sets.
        index: Index within task and fold.
        repeat: 0 for the first sample of a problem.
        data: The problem's operands, enough to make it again with ``bench.problem_from_data``.
        status: See :class:`RecordStatus`.
        finish_reason: Why the last model turn ended.
        turns: All turns in order.
        usage: Sum over the model turns; ``prompt`` is that of the first.
        max_tokens: The cap on output that really acted, context included; None if unknown.
        prompt_sha256: Hash of the first rendered prompt.
        prompt_tail: Its last characters.
        started_s: Unix time of the first submission.
        latency_s: Seconds from first submission to the end, tools included.
        code_revision: Revision of this program that made the sample.
        failure: Set exactly when ``status`` is ``error``.
        derived_from: Other runs whose stored ids its text was cut from or continues, by the names of their folders;
            a sample that was generated for this run alone has none.
        budget_kind: The mechanism that limited tokens, None where nothing did.
        budget_hit: Whether it acted: total cut the text, thinking or native closed the thinking, hint was exceeded.
            None without a budget and for an error.
        request_ids: The provider's ids of the calls, in order; none for an engine without.
        version: Version of this layout.
    """

    problem_id: str
    task: str
    fold: int
    index: int
    repeat: int
    data: Any
    status: RecordStatus
    finish_reason: FinishReason
    turns: tuple[Turn, ...]
    usage: Usage
    max_tokens: int | None
    prompt_sha256: str
    prompt_tail: str
    started_s: float
    latency_s: float
    code_revision: str
    failure: Failure | None = None
    derived_from: tuple[str, ...] = ()
    budget_kind: BudgetKind | None = None
    budget_hit: bool | None = None
    request_ids: tuple[str, ...] = ()
    version: int = field(default=RECORD_VERSION)

    @property
    def key(self) -> str:
        """Key of the sample within its run."""
        return sample_key(self.problem_id, self.repeat)

    @property
    def text(self) -> str:
        """The assistant's final message: everything since the last tool observation."""
        parts: list[str] = []
        for turn in reversed(self.turns):
            if turn.kind == "tool":
                break
            parts.append(turn.text)
        return "".join(reversed(parts))


# Where the ids of a turn lie in the side file: offset and number, both counted in ids, and the CRC-32 of their bytes,
# which tells them from others that came to lie there after the file was cut short; None in lines written before it.
IdPlace = tuple[int, int, int | None]
# One a turn; None for a turn without ids.
IdPlaces = tuple[IdPlace | None, ...]


def to_json(record: Record, places: IdPlaces = ()) -> str:
    """Return the record as one ASCII JSON line without its newline; the ids themselves are left out.

    Lone surrogates survive as escapes. Raises ValueError on NaN or infinity, which no field may hold.
    """
    fields = {name: getattr(record, name) for name in _TYPES}
    fields["turns"] = [_turn_fields(turn) for turn in record.turns]
    fields["usage"] = _flat(record.usage)
    fields["failure"] = None if record.failure is None else _flat(record.failure)
    fields["ids"] = places
    return _ENCODER.encode(fields)


def read_line(line: str | bytes) -> tuple[Record, IdPlaces]:
    """Read a line of :func:`to_json` with the places of the ids; the ids of turns are None.

    Raises:
        OtherVersion: the line is a record of another version.
        ValueError: the line is no record.
    """
    try:
        fields = _DECODER.decode(line if isinstance(line, str) else line.decode("utf-8"))
        version = fields["version"]
        if version != RECORD_VERSION:
            raise OtherVersion(version) if isinstance(version, int) else ValueError("not a record: no version")
        places = tuple(None if place is None else _place(*place) for place in fields.pop("ids"))
        failure = fields["failure"]
        fields["status"] = RecordStatus(fields["status"])
        fields["finish_reason"] = FinishReason(fields["finish_reason"])
        fields["turns"] = tuple(Turn(**{**turn, "slips": tuple(turn.get("slips", ()))}) for turn in fields["turns"])
        fields["usage"] = Usage(**fields["usage"])
        fields["derived_from"] = tuple(fields.get("derived_from", ()))  # lines of earlier revisions have none
        fields["request_ids"] = tuple(fields.get("request_ids", ()))
        if failure is not None:
            fields["failure"] = Failure(**{**failure, "boundary": Boundary(failure["boundary"])})
        return _checked(Record(**fields)), places
    except (TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ValueError(f"not a record: {error}") from error


def _checked(record: Record) -> Record:
    """Return ``record`` if every field has its type: a line edited by hand must not break what reads it."""
    for name, types in _TYPES.items():
        _check(name, getattr(record, name), types)
    for turn in record.turns:
        _check("text", turn.text, _TEXT)
        _check("latency_s", turn.latency_s, _NUMBER)
        for name, types in _TURN_TYPES.items():
            _check(name, getattr(turn, name), types)
        for text in (*turn.slips, *(turn.arguments or {}).values()):
            _check("text", text, _TEXT)
    for name in ("prompt", "thinking", "answer", "output", "injected", "reused", "cached", "resent"):
        _check(name, getattr(record.usage, name), _COUNT)
    _check("source", record.usage.source, _TEXT)
    if record.failure is not None:
        _check("kind", record.failure.kind, _TEXT)
        _check("message", record.failure.message, _TEXT)
    for run in record.derived_from:
        _check("derived_from", run, _TEXT)
    for request_id in record.request_ids:
        _check("request_ids", request_id, _TEXT)
    for name in (record.problem_id, record.usage.source):
        name.encode("utf-8")  # lone surrogates, which no table can hold, raise a ValueError
    return record


def _check(name: str, value: Any, types: tuple[type, ...]) -> None:
    """Refuse a value of another type, and a number that a table can't hold: infinite or beyond 64 bits."""
    too_large = isinstance(value, int | float) and not -_TOO_LARGE <= value < _TOO_LARGE
    if too_large or not isinstance(value, types):
        raise ValueError(f"not a record: {name} is a {type(value).__name__} that it can't be")


def _place(start: int, count: int, crc: int | None = None) -> IdPlace:
    if not (start >= 0 and count >= 0):
        raise ValueError(f"not a record: {count} ids at {start}")
    return int(start), int(count), crc


def _turn_fields(turn: Turn) -> dict[str, Any]:
    """Return what is stored of a turn; what only turns with tools have is left out of others."""
    fields = {"kind": turn.kind, "text": turn.text, "latency_s": round(turn.latency_s, 6)}
    return fields | {name: value for name in _TURN_TYPES if (value := getattr(turn, name)) not in (None, (), "")}


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is no number")


def _flat(value: Any) -> dict[str, Any]:
    return {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}


_TOO_LARGE = 1 << 63
_Types = tuple[type, ...]
_TEXT: _Types = (str,)
_COUNT: _Types = (int,)
_NUMBER: _Types = (int, float)
_TYPES: dict[str, _Types] = {
    **{f.name: (object,) for f in dataclasses.fields(Record)},
    **dict.fromkeys(("problem_id", "task", "prompt_sha256", "prompt_tail", "code_revision"), _TEXT),
    **dict.fromkeys(("fold", "index", "repeat"), _COUNT),
    **dict.fromkeys(("started_s", "latency_s"), _NUMBER),
    "max_tokens": (int, type(None)),
    "budget_kind": (str, type(None)),
    "budget_hit": (bool, type(None)),
}
_TURN_TYPES: dict[str, _Types] = {
    "kept": (int, type(None)),
    "slips": (tuple,),
    "name": _TEXT,
    "arguments": (dict, type(None)),
    "ok": (bool, type(None)),
    "fault": (str, type(None)),
}
_ENCODER = json.JSONEncoder(allow_nan=False, separators=(",", ":"))
_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)
