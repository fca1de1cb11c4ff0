"""AIME 2024: 30 problems of the American Invitational Mathematics Examination, I and II."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bench.problem import AnswerKind
from bench.stored.competition import aime_row
from bench.stored.rows import Row, Source, StoredTask, integer


@dataclass(frozen=True)
class AIME24(StoredTask):
    """Gold: a whole number from 0 to 999."""

    name = "aime24"
    category = "mathematics"
    suite = "aime24"
    answer_kind = AnswerKind.INTEGER
    order = 314
    source = Source(
        repository="HuggingFaceH4/aime_2024",
        revision="2fe88a2f1091d5048c0f36abc874fb997b3dd99a",
        file="data/train-*.parquet",
        rows=30,
        licence="not stated; the problems are MAA's",
    )

    def row(self, raw: Mapping[str, Any]) -> Row:
        return aime_row(raw)

    def gold(self, data: Row) -> int:
        return integer(data["answer"])
