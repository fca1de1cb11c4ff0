"""AIME 2025: 30 problems of the American Invitational Mathematics Examination, I and II."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bench.problem import AnswerKind
from bench.stored.competition import aime_row
from bench.stored.rows import Row, Source, StoredTask, integer


@dataclass(frozen=True)
class AIME25(StoredTask):
    """Gold: a whole number from 0 to 999."""

    name = "aime25"
    category = "mathematics"
    suite = "aime25"
    answer_kind = AnswerKind.INTEGER
    order = 315
    source = Source(
        repository="math-ai/aime25",
        revision="563bb8404243c5f09de6ec262f2db674fe5bce9b",
        file="test.jsonl",
        rows=30,
        licence="Apache-2.0; the problems are MAA's",
    )

    def row(self, raw: Mapping[str, Any]) -> Row:
        return aime_row(raw)

    def gold(self, data: Row) -> int:
        return integer(data["answer"])
