"""Find the length of the shortest way through a maze."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from bench.puzzles.gym import GymTask
from bench.puzzles.notation import only_number


@dataclass(frozen=True)
class Maze(GymTask):
    """The least number of steps in a square maze; published with 15 to 25 steps and cells a side."""

    min_dist: int = 15
    max_dist: int = 25
    min_grid_size: int = 15
    max_grid_size: int = 25

    name: ClassVar[str] = "maze"
    order: ClassVar[int] = 115

    def read(self, data: Any, text: str) -> str:
        """Return the one number."""
        return only_number(text)
