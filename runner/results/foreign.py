r"""Texts that another harness produced: one JSON object a line becomes a problem and its responses.

=================  ==========================================  =========================================================
field              also                                        what it is
=================  ==========================================  =========================================================
``task``                                                       a task's name
``data``           ``input`` where it is a list                the operands; where they are given they decide, and a
                                                               gold beside them has to agree
``gold``           ``target``                                  the answer, where there is no data
``response``       ``output``, ``completion``, ``resps``,      a text, or a list of texts that may be nested; the first
                   ``filtered_resps``                          field of this order that is there and not null
``finish_reason``                                              why the text ended; by default the model ended it
``family``                                                     the model's family, see bench.thinking
``id``             ``doc_id``                                  anything; comes back with the verdict
=================  ==========================================  =========================================================

``resps`` and ``filtered_resps`` are lm-eval's; its filters have already cut answers out, so the raw texts go first.
A gold that is a decimal, as a float is written, stands for the simplest fraction that this float is nearest to.
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
from bench.problem import TEXT_KINDS, AnswerKind, Gold, Problem, write_gold
from bench.registry import task_class
from runner.results.exact import decimal_places, fraction_meant

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


def whole_file_fault(first_line: bytes | None) -> str | None:
    """Return what is wrong with a file as a whole by its first line that is not empty, None if nothing is."""
    start = (first_line or b"")[:1000]
    if b"\0" in start or start.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "is UTF-16, UTF-32 or no text; save it as UTF-8"
    start = start.removeprefix(b"\xef\xbb\xbf").strip()
    if start.startswith(b"["):
        return "holds one JSON array; write its elements one a line, as JSON lines"
    return "holds an object over several lines; write each on one line, as JSON lines" if start == b"{" else None


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
        id=_plain(_first(fields, _ID)),
        problem=_problem(_TASKS.get(name, name), fields),
        responses=_responses(fields),
        finish_reason=reason if isinstance(reason, str) else "stop" if reason is None else "unknown",
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


def _plain(value: Any) -> Any:
    """Return a value with its numbers that are no integers as texts, as they were written."""
    try:
        return None if value is None else json.loads(json.dumps(value, default=str))
    except RecursionError as error:
        raise BadLine("its id is nested too deeply") from error


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is no number")


def _first(fields: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((fields[name] for name in names if fields.get(name) is not None), None)


def _responses(fields: Mapping[str, Any]) -> tuple[str, ...]:
    texts = list(_flat(_first(fields, _RESPONSE)))
    if not texts or not all(isinstance(text, str) for text in texts):
        null = next((f" ({name} is null)" for name in _RESPONSE if fields.get(name, "") is None), "")
        raise BadLine(f"has no text as a response{null}; give one of the fields {', '.join(_RESPONSE)}")
    return tuple(texts)


def _flat(value: Any) -> Iterator[Any]:
    """Yield what is in lists of lists, in order, or the value itself."""
    left = [value]
    while left:
        inner = left.pop()
        if isinstance(inner, list):
            left += reversed(inner)
        else:
            yield inner


def _problem(task: str, fields: Mapping[str, Any]) -> Problem:
    try:
        kind = task_class(task).answer_kind
        data = fields.get("data")
        if data is None and isinstance(fields.get("input"), list):
            data = fields["input"]
        given = _first(fields, _GOLD)
        if data is None:
            if kind is AnswerKind.CHECKED:
                raise ValueError(f"{task} checks answers by its data; give the field data")
            return Problem(f"{task}:gold", task, None, "", _gold(given, kind), kind)
        problem = bench.problem_from_data(task, data)
        if given is not None and not _agrees(given, problem):
            raise ValueError(_disagreement(given, problem))
    except RecursionError as error:
        raise BadLine("its data or gold is nested too deeply") from error
    except (ValueError, TypeError, ArithmeticError) as error:
        raise BadLine(str(error)) from error
    return problem


def _agrees(given: Any, problem: Problem) -> bool:
    """Whether a gold that a line gives beside its data is the answer, or this rounded as it is written.

    Raises:
        ValueError: it is none for this kind of answer.
    """
    if problem.answer_kind is AnswerKind.CHECKED:  # the gold is one of many right answers
        return True
    gold, truth = _gold(given, problem.answer_kind), problem.gold
    if problem.answer_kind is AnswerKind.INTEGER_SET and isinstance(gold, tuple) and isinstance(truth, tuple):
        return set(gold) == set(truth)
    if gold == truth or not isinstance(truth, Fraction):
        return gold == truth
    places = decimal_places(given)
    return places > 0 and abs(Fraction(given) - truth) * 2 * 10**places <= 1


def _disagreement(given: Any, problem: Problem) -> str:
    question = problem.question.split("\n", 1)[0]
    computed, data = write_gold(problem.gold), json.dumps(problem.data)
    return (
        f"gold {given!s:.60} is not {computed:.60}, which data {data:.60} gives ({question:.100}); "
        "mind the order of the operands, or leave one of the two out"
    )


def _gold(value: Any, kind: AnswerKind) -> Gold:
    """Return a gold in the form that the grader compares with.

    Raises:
        ValueError: it is none for this kind of answer.
    """
    if value is None:
        raise ValueError(f"has neither the operands ({', '.join(_DATA)}) nor the answer ({', '.join(_GOLD)})")
    if kind in TEXT_KINDS:
        if not isinstance(value, str):
            raise ValueError(f"gold {value!s:.60} is no text")
        return value
    if kind in (AnswerKind.INTEGER_LIST, AnswerKind.INTEGER_SET):
        values = _listed(value) if isinstance(value, str) else value
        values = values if isinstance(values, list) else [values]
        if not values:
            raise ValueError("gold: an empty list")
        return tuple(_integer(item) for item in values)
    if kind is AnswerKind.RELATION:
        if not isinstance(value, str) or value not in _RELATIONS:
            raise ValueError(f"gold {value!r:.60} is none of {', '.join(_RELATIONS)}")
        return _RELATIONS[value]
    return _integer(value) if kind is AnswerKind.INTEGER else _number(value)


def _listed(text: str) -> Any:
    try:
        return json.loads(text, parse_float=Decimal, parse_constant=_refuse)
    except ValueError as error:
        raise ValueError(f"gold {text!r:.60} is no list such as [1, 2]") from error


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
    return Fraction(numbers[0]) / Fraction(numbers[1]) if len(numbers) == 2 else fraction_meant(numbers[0])
