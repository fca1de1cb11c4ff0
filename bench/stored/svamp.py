"""SVAMP: elementary word problems with changed wording. Source: Patel et al. 2021."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from bench.problem import AnswerKind
from bench.stored.rows import Row, Source, StoredTask, text


@dataclass(frozen=True)
class SVAMP(StoredTask):
    """Gold: a number. On the hub the test split has 300 problems; a file may hold all 1,000."""

    name = "svamp"
    category = "word_problems"
    suite = "svamp"
    answer_kind = AnswerKind.RATIONAL
    order = 302
    source = Source(
        repository="ChilleD/SVAMP",
        revision="5e0bf1e5e7c0e9c4bc39180d224f41f3f801b7ef",
        file="data/test-*.parquet",
        rows=300,
        licence="MIT",
    )

    def row(self, raw: Mapping[str, Any]) -> Row:
        body = text(raw, "Body").rstrip()
        return {
            "id": text(raw, "ID"),
            "question": f"{body}{'' if body.endswith(('.', '?', '!')) else '.'} {text(raw, 'Question')}",
            "answer": str(Fraction(text(raw, "Answer"))),
            "type": text(raw, "Type"),
        }

    def gold(self, data: Row) -> Fraction:
        return Fraction(str(data["answer"]))

    def facts(self, data: Row) -> Mapping[str, int | str]:
        """Return the operation that is needed."""
        return {"type": str(data.get("type", ""))}
