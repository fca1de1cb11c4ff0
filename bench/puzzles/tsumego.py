"""Find the move that captures most stones on a Go board."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

from bench.puzzles.gym import GymTask
from bench.puzzles.notation import only

_MOVE = re.compile(r"(?<![A-Za-z0-9])\(?([A-Sa-s])[\s,-]{0,2}(1?[0-9])\)?(?![A-Za-z0-9])")

Point: TypeAlias = tuple[int, int]  # row from the top, column


@dataclass(frozen=True)
class Tsumego(GymTask):
    """Black to capture; published with boards of 15 to 19 and at most 20 stones.

    The package places stones after it has chosen its move: of 300 of its items 55 name a move that captures nothing and
    2 one where another captures more. Only items are asked whose move is the one that captures most.
    """

    min_board_size: int = 15
    max_board_size: int = 19
    max_stones: int = 20

    name: ClassVar[str] = "tsumego"
    order: ClassVar[int] = 114
    kept: ClassVar[tuple[str, ...]] = ("board",)

    def settle(self, data: dict[str, Any]) -> dict[str, Any] | None:
        """Return the item if its move is the best one."""
        return data if best_moves(data["board"]) == {data["answer"]} else None

    def read(self, data: Any, text: str) -> str:
        """Return the one move that is named."""
        return only({f"{column.upper()}{int(row)}" for column, row in _MOVE.findall(text)})

    def facts(self, data: Any) -> Mapping[str, int | str]:
        """Return the board's side as ``size``."""
        return {"size": len(data["board"])}


def best_moves(board: Sequence[Sequence[str]]) -> set[str]:
    """Return the moves of Black that capture most stones, e.g. ``C4``; none if no move captures any."""
    size = len(board)
    points = [(row, column) for row in range(size) for column in range(size) if board[row][column] == "."]
    captured = {point: _captured(board, point) for point in points}
    most = max(captured.values(), default=0)
    best = [point for point, count in captured.items() if count == most] if most else []
    return {f"{chr(ord('A') + column)}{size - row}" for row, column in best}


def _captured(board: Sequence[Sequence[str]], move: Point) -> int:
    """Return how many white stones lose their last liberty by a move: groups whose one liberty it is."""
    found: set[Point] = set()
    for point in _beside(len(board), move):
        if board[point[0]][point[1]] == "O" and point not in found:
            group, liberties = _group(board, point)
            if liberties == {move}:
                found |= group
    return len(found)


def _group(board: Sequence[Sequence[str]], start: Point) -> tuple[set[Point], set[Point]]:
    """Return the stones that hang together with one, and their liberties."""
    colour = board[start[0]][start[1]]
    group, liberties, waiting = {start}, set(), [start]
    while waiting:
        for point in _beside(len(board), waiting.pop()):
            stone = board[point[0]][point[1]]
            if stone == ".":
                liberties.add(point)
            elif stone == colour and point not in group:
                group.add(point)
                waiting.append(point)
    return group, liberties


def _beside(size: int, point: Point) -> list[Point]:
    row, column = point
    near = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
    return [(r, c) for r, c in near if 0 <= r < size and 0 <= c < size]
