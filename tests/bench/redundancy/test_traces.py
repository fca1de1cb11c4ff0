"""Sixty traces that a person cut and marked: sentences, first correct answer, ERD by words, and IRD by word counts."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from bench.metrics.redundancy.internal import ird_of
from bench.problem import AnswerKind, Gold, Problem
from bench.redundancy import look_at, sentences
from bench.redundancy.tokens import by_starts

LINES = [
    line for line in Path(__file__).with_name("traces.txt").read_text("utf-8").split("\n") if line[:1] not in ("", "#")
]


@dataclass(frozen=True)
class Marked:
    problem: Problem
    trace: str
    parts: tuple[str, ...]
    first: int | None


def gold_of(kind: AnswerKind, text: str) -> Gold:
    if kind in (AnswerKind.INTEGER_LIST, AnswerKind.INTEGER_SET):
        return tuple(int(part) for part in text.split(","))
    return int(text) if kind is AnswerKind.INTEGER else Fraction(text) if kind is AnswerKind.RATIONAL else text


def read(line: str) -> Marked:
    kind, gold, data, text = (part.strip() for part in line.split(";", 3))
    pieces, first, trace = [], None, ""
    for number, piece in enumerate(text.split("|")):
        said = piece.strip().removesuffix("⏎").strip()
        if "«" in said:
            first, said = number, said.replace("«", "").replace("»", "")
        pieces.append(said.replace("⏎", "\n"))
        trace += pieces[-1] + ("\n" if piece.strip().endswith("⏎") else " ")
    operands = tuple(int(part) for part in data.split(",")) if data else None
    made = Problem("id", "task", operands, "question", gold_of(AnswerKind(kind), gold), AnswerKind(kind))
    return Marked(made, trace, tuple(pieces), first)


def word_starts(trace: str) -> list[int]:
    return [at for at in range(len(trace)) if not trace[at].isspace() and (at == 0 or trace[at - 1].isspace())]


def counts(texts: list[str]) -> np.ndarray:
    """Word counts, which can be worked out on paper."""
    words = sorted({word for text in texts for word in text.lower().split()})
    return np.array([[text.lower().split().count(word) for word in words] for text in texts], np.float32)


def cosine(a: str, b: str) -> float:
    one, other = Counter(a.lower().split()), Counter(b.lower().split())
    lengths = math.sqrt(sum(n * n for n in one.values()) * sum(n * n for n in other.values()))
    return sum(one[word] * other[word] for word in one) / lengths


def test_there_are_sixty() -> None:
    assert len(LINES) == 60


@pytest.mark.parametrize("line", LINES)
def test_a_trace_is_read_as_a_person_read_it(line: str) -> None:
    marked = read(line)
    assert sentences(marked.trace) == marked.parts
    seen = look_at(marked.trace, marked.problem, by_starts(word_starts(marked.trace)))
    assert (None if seen.first is None else seen.first.sentence) == marked.first
    total = sum(len(part.split()) for part in marked.parts)
    assert seen.total == total
    if marked.first is None:
        assert seen.erd is seen.external is None
        assert seen.missing in ("no_first_correct", "no_form")
        return
    after = sum(len(part.split()) for part in marked.parts[marked.first + 1 :])
    assert (seen.external, seen.erd) == (after, pytest.approx(after / total))
    needed = list(marked.parts[: marked.first + 1])
    pairs = [cosine(a, b) for a, b in pairwise(needed)]  # below 20 sentences each is a window
    found = ird_of(needed, counts)
    assert found is None if not pairs else found == pytest.approx(sum(pairs) / len(pairs), abs=1e-6)
