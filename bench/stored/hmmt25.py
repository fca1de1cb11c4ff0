"""HMMT February 2025: 30 problems of the Harvard-MIT Mathematics Tournament. Source: MathArena."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bench.problem import AnswerKind
from bench.stored.competition import problem_text
from bench.stored.rows import Row, Source, StoredTask, text


@dataclass(frozen=True)
class HMMT25(StoredTask):
    """Gold: LaTeX."""

    name = "hmmt25"
    category = "mathematics"
    suite = "hmmt25"
    answer_kind = AnswerKind.EXPRESSION
    order = 316
    source = Source(
        repository="MathArena/hmmt_feb_2025",
        revision="6fdc4277120810ff75aa22d2d5489b91f7a262a1",
        file="data/train-*.parquet",
        rows=30,
        licence="CC BY-NC-SA 4.0",
    )

    def row(self, raw: Mapping[str, Any]) -> Row:
        return {"question": problem_text(raw), "answer": text(raw, "answer")}

    def gold(self, data: Row) -> str:
        return str(data["answer"])
