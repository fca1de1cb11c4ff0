"""Find the shortest sequence of buttons that makes a number out of 0."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from bench.puzzles.gym import GymTask
from bench.verdict import Unreadable

_RUN = re.compile(r"(?<![A-Za-z])[A-C](?:\s*(?:→|->|=>|>|,|\s)\s*[A-C])*(?![A-Za-z])")


@dataclass(frozen=True)
class QuantumLock(GymTask):
    """Buttons that act by the colour of a light; published with ``difficulty`` up to 25.

    Any sequence as short as the shortest is right; a longer one that reaches the target gets .5. The package takes
    every A, B and C of the answer as a button, those of ``\\rightarrow`` and of prose too.
    """

    difficulty: int = 25

    name: ClassVar[str] = "quantum_lock"
    order: ClassVar[int] = 120
    kept: ClassVar[tuple[str, ...]] = ("target_value", "buttons", "initial_state", "initial_value")

    def read(self, data: Any, text: str) -> str:
        """Return the last run of buttons."""
        if re.fullmatch(r"[A-C]+", text):
            return " → ".join(text)
        runs = _RUN.findall(text)
        if not runs:
            raise Unreadable("no buttons")
        return " → ".join(re.findall(r"[A-C]", runs[-1]))

    def facts(self, data: Any) -> Mapping[str, int | str]:
        """Return the length of the shortest sequence as ``steps``."""
        return {"steps": data["answer"].count("→") + 1}
