"""Simplify a fraction."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, ClassVar

from bench.puzzles.gym import GymTask
from bench.puzzles.notation import only, only_number

_FRACTION = re.compile(r"(?<![\w./])\(?(\d+)\)?\s*/\s*\(?(\d+)\)?(?![\w/]|\.\d)")


@dataclass(frozen=True)
class FractionSimplification(GymTask):
    """A fraction in lowest terms; published with the package's defaults."""

    min_value: int = 1
    max_value: int = 1000
    min_factor: int = 1
    max_factor: int = 100

    name: ClassVar[str] = "fraction_simplification"
    order: ClassVar[int] = 117
    kept: ClassVar[tuple[str, ...]] = ("numerator", "denominator", "simplified_numerator", "simplified_denominator")

    def read(self, data: Any, text: str) -> str:
        """Return the last fraction of an equation, else the one fraction; a whole number is one over 1."""
        text = text.rpartition("=")[2]
        found = {f"{int(above)}/{int(below)}" for above, below in _FRACTION.findall(text)}
        return only(found) if found else f"{only_number(text)}/1"
