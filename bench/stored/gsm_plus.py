"""GSM-Plus: GSM8K's test problems, each changed in eight ways. Source: Li et al. 2024."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from bench.problem import AnswerKind
from bench.stored.rows import Row, Source, StoredTask, text


@dataclass(frozen=True)
class GSMPlus(StoredTask):
    """Gold: a number. Problems whose change left them without an answer (``critical thinking``) are not asked."""

    name = "gsm_plus"
    category = "word_problems"
    suite = "gsm_plus"
    answer_kind = AnswerKind.RATIONAL
    order = 301
    source = Source(
        repository="qintongli/GSM-Plus",
        revision="3b708db57b96a16e8e3368ed2956990c0809440e",
        file="data/test-*.jsonl",
        rows=0,
        licence="CC BY-SA 4.0",
        sha256="885c279bfa9cde767ea23f79fd462d566fa0dbf6af9f2dcf30c75aa94f3d4041",
    )

    def row(self, raw: Mapping[str, Any]) -> Row | None:
        answer = text(raw, "answer").replace(",", "")
        if answer.lower() == "none":
            return None
        number = Fraction(answer)  # refuses what is no number
        return {
            "question": text(raw, "question"),
            "answer": str(number),
            "perturbation": text(raw, "perturbation_type"),
        }

    def gold(self, data: Row) -> Fraction:
        return Fraction(str(data["answer"]))

    def facts(self, data: Row) -> Mapping[str, int | str]:
        """Return how the problem was changed."""
        return {"perturbation": str(data.get("perturbation", ""))}
