"""Rewrite a program of the tokens A#, #A, B# and #B until no rule fits."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, ClassVar

from bench.puzzles.gym import GymTask
from bench.verdict import Unreadable

_TOKEN = re.compile(r"A#|#A|B#|#B")
_RUN = re.compile(r"(?:(?:A#|#A|B#|#B)[\s,]*)+")
_NOTHING = re.compile(
    r"(?:empty|nothing|none|ε|∅|\\(?:var)?empty(?:set)?|\\epsilon|\\varnothing)\b|[ε∅]", re.IGNORECASE
)


@dataclass(frozen=True)
class AB(GymTask):
    """The final state of a program of ``tokens`` tokens, the package's ``length``; published with 20."""

    tokens: int = 20

    name: ClassVar[str] = "ab"
    order: ClassVar[int] = 110

    @property
    def config(self) -> dict[str, Any]:
        """The package's name of the parameter."""
        return {"length": self.tokens}

    def gold(self, data: Any) -> str:
        """Return the final state; a program may vanish."""
        return data["answer"] or "empty"

    def read(self, data: Any, text: str) -> str:
        """Return the last run of tokens."""
        runs = _RUN.findall(text)
        if not runs and _NOTHING.search(text):
            return ""
        if not runs:
            raise Unreadable("no tokens")
        return " ".join(_TOKEN.findall(runs[-1]))
