"""Exchange the white and the black knights on a small board, or say that it can't be done."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

from bench.puzzles.gym import GymTask
from bench.verdict import Unreadable

Move: TypeAlias = tuple[str, str, str]  # colour, from, to

_MOVE = re.compile(r"\b([WBwb])\s*[,:]?\s*([A-Da-d][1-3])\s*(?:,|→|->|-|to)\s*([A-Da-d][1-3])\b")
_COLOURS = {"w": "w", "b": "B"}


@dataclass(frozen=True)
class KnightSwap(GymTask):
    """White and black knights change places; published with the package's defaults, which say "No" in a fifth.

    A right list of moves is one as short as the shortest; a longer one that works gets shortest/its length. The
    package's own list of moves follows the order of a set, which differs from process to process: ours does not.
    """

    min_nodes: int = 6
    max_nodes: int = 9
    min_steps: int = 4
    max_steps: int = 20

    name: ClassVar[str] = "knight_swap"
    order: ClassVar[int] = 113
    kept: ClassVar[tuple[str, ...]] = ("board", "pieces", "start_turn", "is_possible")

    def settle(self, data: dict[str, Any]) -> dict[str, Any] | None:
        """Return the item with our list of moves; None where "No" is wrong for the board that is shown."""
        moves = shortest_swap(data["board"], data["pieces"], data["start_turn"])
        shown = moves if moves is not None else shortest_swap(_shown(data["board"]), data["pieces"], data["start_turn"])
        if (shown is not None) != data["is_possible"]:
            return None
        return data | {"answer": "No" if moves is None else json.dumps([",".join(move) for move in moves])}

    def read(self, data: Any, text: str) -> str:
        """Return the moves as a JSON list, or ``No``."""
        moves = _MOVE.findall(text)
        if moves:
            return json.dumps([f"{_COLOURS[who.lower()]},{here.upper()},{there.upper()}" for who, here, there in moves])
        if re.match(r"(?:no|impossible|not possible)\b", text.strip(" \"'[]()").lower()):
            return "No"
        raise Unreadable("no moves")

    def score(self, data: Any, said: str) -> float:
        """Return the package's score by the length of the shortest list of moves."""
        solution = json.loads(data["answer"]) if data["is_possible"] else None
        return super().score(data | {"solution": solution}, said)

    def facts(self, data: Any) -> Mapping[str, int | str]:
        """Return the number of squares as ``size`` and of the least moves as ``steps``, 0 for none."""
        return {"size": len(data["board"]), "steps": len(json.loads(data["answer"])) if data["is_possible"] else 0}


def shortest_swap(
    board: Mapping[str, Sequence[str]], pieces: Mapping[str, str | None], turn: str
) -> tuple[Move, ...] | None:
    """Return the first of the shortest lists of moves that exchange the colours, squares in their order; None for none.

    Args:
        board: The squares that can be reached from each square.
        pieces: ``w``, ``B`` or None on each square.
        turn: Who begins.
    """
    white, black = (frozenset(square for square, piece in pieces.items() if piece == colour) for colour in "wB")
    start, goal = (white, black, turn), (black, white)
    before: dict[Any, tuple[Any, Move] | None] = {start: None}
    waiting = deque([start])
    while waiting:
        state = waiting.popleft()
        if state[:2] == goal:
            return _moves_to(state, before)
        for move, after in _steps(board, state):
            if after not in before:
                before[after] = (state, move)
                waiting.append(after)
    return None


def _steps(board: Mapping[str, Sequence[str]], state: Any) -> list[tuple[Move, Any]]:
    white, black, turn = state
    own, other = (white, black) if turn == "w" else (black, white)
    found = []
    for here in sorted(own):
        for there in sorted(set(board[here]) - white - black):
            moved = own - {here} | {there}
            after = (moved, other, "B") if turn == "w" else (other, moved, "w")
            found.append(((turn, here, there), after))
    return found


def _moves_to(state: Any, before: Mapping[Any, tuple[Any, Move] | None]) -> tuple[Move, ...]:
    moves: list[Move] = []
    while (step := before[state]) is not None:
        state = step[0]
        moves.append(step[1])
    return tuple(reversed(moves))


def _shown(board: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Return the knight's moves between the squares of a board: the package may have taken one of them away unseen."""
    return {here: [there for there in board if _is_knight_move(here, there)] for here in board}


def _is_knight_move(here: str, there: str) -> bool:
    return {abs(ord(here[0]) - ord(there[0])), abs(int(here[1:]) - int(there[1:]))} == {1, 2}
