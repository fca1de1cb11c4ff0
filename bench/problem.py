"""What is asked: one problem and the kinds of answer it may have."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import Any

# What a task's gold may be. Fractions stay exact; a float never enters a gold.
Gold = int | Fraction | str | tuple[int, ...]


class AnswerKind(StrEnum):
    """How an answer is read and compared with the gold."""

    INTEGER = "integer"  # one whole number, compared exactly
    RATIONAL = "rational"  # one number; a rounded decimal may stand for it (see bench.grading.compare)
    RELATION = "relation"  # one of > < =
    INTEGER_LIST = "integer_list"  # order and duplicates matter
    INTEGER_SET = "integer_set"  # order does not matter
    EXPRESSION = "expression"  # LaTeX, equal as mathematics (see bench.grading.symbolic)
    CHOICE = "choice"  # the letter of the right option
    CHECKED = "checked"  # many answers may be right; the task's check scores one, the gold is an example
    EXECUTED = "executed"  # a program, which bench does not run
    JUDGED = "judged"  # a reference text; a judge decides


NUMBER_KINDS = frozenset({AnswerKind.INTEGER, AnswerKind.RATIONAL})
LIST_KINDS = frozenset({AnswerKind.INTEGER_LIST, AnswerKind.INTEGER_SET})
# Answers of these are graded by :mod:`bench.answers`.
TEXT_KINDS = frozenset(
    {AnswerKind.EXPRESSION, AnswerKind.CHOICE, AnswerKind.CHECKED, AnswerKind.EXECUTED, AnswerKind.JUDGED}
)


@dataclass(frozen=True, slots=True)
class Problem:
    """One question with its exact answer.

    Attributes:
        id: ``task:seed:fold:index:digest`` for a drawn problem, ``task:data:digest`` for one made from
            data. The digest covers task, wording and data, so two runs that share an id asked the same.
        task: Name of the task, e.g. ``sum``.
        data: The operands, a value that JSON can hold (a tuple of integers for basic-math tasks).
        question: The task's wording of the question, without the prompt style's instructions.
        gold: The exact answer.
        answer_kind: How an answer is read and compared.
        facts: Difficulty facts by name, e.g. ``{"size": 32}``; what a report may group by.
    """

    id: str
    task: str
    data: Any
    question: str
    gold: Gold
    answer_kind: AnswerKind
    facts: Mapping[str, int | str] = field(default_factory=dict)


def write_gold(gold: Gold) -> str:
    """Return the plain written form of a gold: ``-3``, ``1/3``, ``[1, 2]``, ``>``."""
    return str(list(gold)) if isinstance(gold, tuple) else str(gold)


def part_of(data: Any, parts: int) -> int:
    """Return which of ``parts`` parts (from 0) data belongs to, whatever is asked about it."""
    digest = hashlib.sha256(_to_json(data).encode("ascii")).digest()
    return int.from_bytes(digest[:8], "little") % parts


# json.dumps would build this encoder anew for each problem.
_to_json = json.JSONEncoder(ensure_ascii=True, separators=(",", ":")).encode


def data_digest(task: str, wording_version: int, data: Any) -> str:
    """Return eight hex digits that name what is asked about this data, in this wording, on every machine."""
    if type(data) is tuple and set(map(type, data)) == {int}:  # most data is; Python writes it as JSON does, faster
        written = f'["{task}",{wording_version},{list(data)}]'.replace(" ", "")
    else:
        written = _to_json([task, wording_version, data])
    return hashlib.sha256(written.encode("ascii")).hexdigest()[:8]
