"""GPQA-Diamond: 198 questions of biology, physics and chemistry with four options. Source: Rein et al. 2023."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bench.problem import AnswerKind
from bench.seeding import Stream
from bench.stored.rows import Row, Source, StoredTask, text

_LETTERS = "ABCD"
_WRONG = ("Incorrect Answer 1", "Incorrect Answer 2", "Incorrect Answer 3")


@dataclass(frozen=True)
class GPQADiamond(StoredTask):
    """Data: the row with its options in the order in which they are shown. Gold: the letter of the right one.

    The order depends on the suite's seed and the row's id alone, so every model sees the same.
    """

    name = "gpqa_diamond"
    category = "science"
    suite = "gpqa_diamond"
    answer_kind = AnswerKind.CHOICE
    order = 330
    source = Source(
        repository="Idavidrein/gpqa",
        revision="633f5ee89ab8ad4522a9f850766b73f62147ffdd",
        file="gpqa_diamond.csv",
        rows=198,
        licence="CC BY 4.0; access on request",
    )

    def row(self, raw: Mapping[str, Any]) -> Row:
        """Return the row with the right option first."""
        return {
            "id": text(raw, "Record ID"),
            "question": text(raw, "Question"),
            "options": [text(raw, "Correct Answer"), *(text(raw, name) for name in _WRONG)],
            "answer": "A",
            "domain": text(raw, "High-level domain"),
        }

    def entry(self, seed: int, index: int) -> Row:
        row = super().entry(seed, index)
        order = Stream(seed, self.name, "options", row["id"]).shuffled(range(len(_LETTERS)))
        return {**row, "options": [row["options"][place] for place in order], "answer": _LETTERS[order.index(0)]}

    def read_data(self, data: Any) -> Row:
        """Return a row; it has to hold four options."""
        row = super().read_data(data)
        options = row.get("options")
        if not isinstance(options, list) or len(options) != len(_LETTERS):
            raise ValueError(f"{self.name}: data has to hold four options")
        return row

    def question(self, data: Row) -> str:
        options = "\n".join(f"{letter}) {option}" for letter, option in zip(_LETTERS, data["options"], strict=True))
        return f"{data['question']}\n\n{options}\n\nAnswer with the letter of the right option."

    def gold(self, data: Row) -> str:
        return str(data["answer"])

    def facts(self, data: Row) -> Mapping[str, int | str]:
        """Return the field of science."""
        return {"domain": str(data.get("domain", ""))}
