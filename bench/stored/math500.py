"""MATH-500: 500 problems of the MATH test set. Source: Hendrycks et al. 2021; the choice is Lightman et al.'s, 2023."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bench.problem import AnswerKind
from bench.stored.rows import Row, Source, StoredTask, text


@dataclass(frozen=True)
class Math500(StoredTask):
    """Gold: LaTeX. ``levels`` chooses difficulties, e.g. [1, 2] for the 133 easiest problems."""

    levels: tuple[int, ...] = (1, 2, 3, 4, 5)

    name = "math500"
    category = "mathematics"
    suite = "math500"
    answer_kind = AnswerKind.EXPRESSION
    order = 320
    source = Source(
        repository="HuggingFaceH4/MATH-500",
        revision="6e4ed1a2a79af7d8630a6b768ec859cb5af4d3be",
        file="test.jsonl",
        rows=500,
        licence="MIT",
        sha256="35dc41080a3680858b27fa7e0533d2d547825316fc5dafe5d316f4ccc5a06132",
    )

    def __post_init__(self) -> None:
        """Check the levels.

        Raises:
            ValueError: they are not different levels from 1 to 5, at least one.
        """
        levels = tuple(self.levels) if isinstance(self.levels, list | tuple) else ()
        if not levels or len(set(levels)) < len(levels) or not set(levels) <= {1, 2, 3, 4, 5}:
            raise ValueError(f"math500: levels has to be a list of different levels from 1 to 5, not {self.levels!r}")
        object.__setattr__(self, "levels", levels)

    def row(self, raw: Mapping[str, Any]) -> Row | None:
        level = int(raw["level"])
        if level not in self.levels:
            return None
        return {
            "id": text(raw, "unique_id"),
            "question": text(raw, "problem"),
            "answer": text(raw, "answer"),
            "subject": text(raw, "subject"),
            "level": level,
        }

    def gold(self, data: Row) -> str:
        return str(data["answer"])

    def facts(self, data: Row) -> Mapping[str, int | str]:
        """Return the level, 1 to 5, and the subject."""
        return {name: data[name] for name in ("level", "subject") if name in data}
