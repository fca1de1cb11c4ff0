r"""Texts that another harness produced: one JSON object a line becomes a problem and its responses.

=================  ==========================================  =========================================================
field              also                                        what it is
=================  ==========================================  =========================================================
``task``                                                       a task's name
``data``           ``input`` where it is a list                the operands; where they are given they decide
``gold``           ``target``                                  the answer, where there is no data
``response``       ``output``, ``completion``, ``resps``,      a text, or a list of texts that may be nested; the first
                   ``filtered_resps``                          field of this order that is there
``finish_reason``                                              why the text ended; by default the model ended it
``family``                                                     the model's family, see bench.thinking
``id``             ``doc_id``                                  anything; comes back with the verdict
=================  ==========================================  =========================================================

``resps`` and ``filtered_resps`` are lm-eval's; its filters have already cut answers out, so the raw texts go first.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any, BinaryIO

import bench
from bench.grading.numbers import MAX_DIGITS
from bench.problem import AnswerKind, Gold, Problem
from bench.registry import task_class

# A line beyond is no response of a model; it is passed over, so that memory does not grow with it.
MAX_LINE = 1 << 26

_DATA = ("data", "input")
_GOLD = ("gold", "target")
_RESPONSE = ("response", "output", "completion", "resps", "filtered_resps")
_ID = ("id", "doc_id")
_TASKS = {"find_maximum": "find_max", "find_minimum": "find_min"}  # the published code's names
_RELATIONS = {"greater than": ">", "less than": "<", "equal to": "=", ">": ">", "<": "<", "=": "="}


class BadLine(ValueError):
    """A line that can't be graded; the message says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Foreign:
    """One line of another harness.

    Attributes:
        id: What the line calls itself, any JSON value, or None.
        problem: What was asked.
        responses: The texts, mostly one.
        finish_reason: ``stop`` or what the line says, see :func:`bench.finish.ended`.
        family: The model's family.
    """

    id: Any
    problem: Problem
    responses: tuple[str, ...]
    finish_reason: str
    family: str | None


def lines_of(file: BinaryIO) -> Iterator[tuple[int, bytes | None]]:
    """Yield the lines that are not empty with their numbers, from 1; None for one longer than :data:`MAX_LINE`."""
    number = 0
    while line := file.readline(MAX_LINE + 1):
        number += 1
        whole = len(line) <= MAX_LINE or line.endswith(b"\n")
        while not line.endswith(b"\n") and (rest := file.readline(MAX_LINE)):
            line = rest
        if not whole:
            yield number, None
        elif line.strip():
            yield number, line


def read_foreign(line: bytes | None, task: str | None = None) -> Foreign:
    """Read one line.

    Args:
        line: JSON in UTF-8; None for one that was too long.
        task: For lines that name none.

    Raises:
        BadLine: it can't be graded.
    """
    if line is None:
        raise BadLine(f"longer than {MAX_LINE} bytes")
    fields = _object(line)
    name = fields.get("task", task)
    if not isinstance(name, str):
        raise BadLine("names no task; give a field task, or --task NAME for all lines")
    reason, family = fields.get("finish_reason"), fields.get("family")
    return Foreign(
        id=_first(fields, _ID),
        problem=_problem(_TASKS.get(name, name), fields),
        responses=_responses(fields),
        finish_reason="stop" if reason is None else str(reason),
        family=family if isinstance(family, str) else None,
    )


def _object(line: bytes) -> dict[str, Any]:
    try:
        found = json.loads(line.decode("utf-8-sig"), parse_float=Decimal, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:  # UnicodeDecodeError is a ValueError
        raise BadLine(f"not a JSON object: {error}") from error
    if not isinstance(found, dict):
        raise BadLine("not a JSON object")
    return found


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is no number")


def _first(fields: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((fields[name] for name in names if fields.get(name) is not None), None)


def _responses(fields: Mapping[str, Any]) -> tuple[str, ...]:
    found = _first(fields, _RESPONSE)
    while isinstance(found, list) and len(found) == 1 and isinstance(found[0], list):
        found = found[0]
    texts = found if isinstance(found, list) else [found]
    if not texts or not all(isinstance(text, str) for text in texts):
        raise BadLine(f"has no text as a response; give one of the fields {', '.join(_RESPONSE)}")
    return tuple(texts)


def _problem(task: str, fields: Mapping[str, Any]) -> Problem:
    try:
        kind = task_class(task).answer_kind
        data = fields.get("data")
        if data is None and isinstance(fields.get("input"), list):
            data = fields["input"]
        if data is not None:
            return bench.problem_from_data(task, data)
        gold = _gold(_first(fields, _GOLD), kind)
    except (ValueError, TypeError, ArithmeticError) as error:
        raise BadLine(str(error)) from error
    return Problem(f"{task}:gold", task, None, "", gold, kind)


def _gold(value: Any, kind: AnswerKind) -> Gold:
    """Return a gold in the form that the grader compares with.

    Raises:
        ValueError: it is none for this kind of answer.
    """
    if value is None:
        raise ValueError(f"has neither the operands ({', '.join(_DATA)}) nor the answer ({', '.join(_GOLD)})")
    if kind in (AnswerKind.INTEGER_LIST, AnswerKind.INTEGER_SET):
        values = json.loads(value) if isinstance(value, str) else value
        values = values if isinstance(values, list) else [values]
        if not values:
            raise ValueError("gold: an empty list")
        return tuple(_integer(item) for item in values)
    if kind is AnswerKind.RELATION:
        if value not in _RELATIONS:
            raise ValueError(f"gold {value!r:.60} is none of {', '.join(_RELATIONS)}")
        return _RELATIONS[value]
    return _integer(value) if kind is AnswerKind.INTEGER else _number(value)


def _integer(value: Any) -> int:
    number = _number(value)
    if number.denominator != 1:
        raise ValueError(f"gold {value!s:.60} is no whole number")
    return int(number)


def _is_short(number: Decimal) -> bool:
    """Whether it can be written out: a small text may name a number that fills the memory, as 1e999999999 does."""
    return number.is_finite() and abs(number.adjusted()) < MAX_DIGITS > len(number.as_tuple().digits)


def _number(value: Any) -> Fraction:
    """Return an exact number of at most 1,000 digits from a JSON number or a text such as ``-3`` or ``1/3``."""
    if isinstance(value, bool) or not isinstance(value, int | str | Decimal):
        raise ValueError(f"gold {value!r:.60} is no number")
    parts = str(value).split("/")
    try:
        numbers = [Decimal(part.strip()) for part in parts]
    except InvalidOperation as error:
        raise ValueError(f"gold {value!r:.60} is no number") from error
    if len(parts) > 2 or not all(map(_is_short, numbers)):
        raise ValueError(f"gold {value!s:.60} is no number of at most {MAX_DIGITS} digits")
    return Fraction(numbers[0]) / (Fraction(numbers[1]) if len(numbers) == 2 else 1)
