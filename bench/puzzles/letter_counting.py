"""Count a letter in a text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from bench.puzzles.gym import GymTask
from bench.puzzles.notation import only_number


@dataclass(frozen=True)
class LetterCounting(GymTask):
    """How often a letter stands in ``min_words`` to ``max_words`` words; published with 25 to 35."""

    min_words: int = 25
    max_words: int = 35

    name: ClassVar[str] = "letter_counting"
    order: ClassVar[int] = 111

    def read(self, data: Any, text: str) -> str:
        """Return the one number."""
        return only_number(text)
