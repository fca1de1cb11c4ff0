"""GSM8K: word problems of elementary school, test split. Source: Cobbe et al. 2021."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bench.problem import AnswerKind
from bench.stored.rows import Row, Source, StoredTask, integer, text


@dataclass(frozen=True)
class GSM8K(StoredTask):
    """Gold: the whole number behind ``####``."""

    name = "gsm8k"
    category = "word_problems"
    suite = "gsm8k"
    answer_kind = AnswerKind.INTEGER
    order = 300
    source = Source(
        repository="openai/gsm8k",
        revision="740312add88f781978c0658806c59bc2815b9866",
        file="main/test-*.parquet",
        rows=1319,
        licence="MIT",
    )

    def row(self, raw: Mapping[str, Any]) -> Row:
        solution = text(raw, "answer")
        if "####" not in solution:
            raise ValueError("an answer without ####")
        return {"question": text(raw, "question"), "answer": integer(solution.rpartition("####")[2])}

    def gold(self, data: Row) -> int:
        return integer(data["answer"])
