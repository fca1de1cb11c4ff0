"""Place queens on a board so that none attacks another."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bench.algorithmic.candidates import first_solution
from bench.finite import FiniteTask, size_of
from bench.problem import AnswerKind
from bench.task import read_sizes

_MOST = 26

Square = tuple[int, int]

_LIST = re.compile(r"\d{1,2}(?:[\s,;]{1,4}\d{1,2}){0,40}")
_PAIR = re.compile(r"[(\[{]\s{0,4}(\d{1,2})\s{0,4},\s{0,4}(\d{1,2})\s{0,4}[)\]}]")
_WORDS = re.compile(
    r"\brow\s{0,3}:?\s{0,3}(\d{1,2})\b[^\d\n]{0,30}?\bcol(?:umn)?\s{0,3}:?\s{0,3}(\d{1,2})\b", re.IGNORECASE
)
_CHESS = re.compile(r"(?<![\w])([a-z])(\d{1,2})(?!\w)")
_CELLS = re.compile(r"[QX♕♛1.\-·#0□⬜+O]", re.IGNORECASE)
_QUEENS = frozenset("QqXx♕♛1")
_RULING = re.compile(r"[\s|,&\[\]()]")


@dataclass(frozen=True)
class NQueens(FiniteTask):
    """Data: ``{"n": n}``, also given as n. Any placement in which no queen attacks another is right.

    A placement is read from the last box, the last code block or the text, as the list of columns row by row, as pairs
    (row, column), as ``row 1: column 2``, in chess notation, or as a drawn board with Q; counted from 1, or from 0
    where a 0 occurs. Problem i is the i-th of ``sizes``.
    """

    sizes: tuple[int, ...] = (4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14)

    name = "n_queens"
    category = "algorithmic"
    suite = "algorithmic"
    answer_kind = AnswerKind.CHECKED
    order = 101

    def __post_init__(self) -> None:
        """Check the sizes."""
        object.__setattr__(self, "sizes", read_sizes(self.name, self.sizes, 4, _MOST))

    def length(self) -> int:
        return len(self.sizes)

    def entry(self, seed: int, index: int) -> dict[str, int]:
        return {"n": self.sizes[index]}

    def read_data(self, data: Any) -> dict[str, int]:
        """Return the data; n from 4 to 26, the smallest board but one that has a placement."""
        return size_of(self.name, data, "n", 4, _MOST)

    def question(self, data: Mapping[str, int]) -> str:
        n = data["n"]
        return (
            f"Place {n} queens on a {n} x {n} chessboard so that no two of them stand in the same row, in the same "
            "column or on the same diagonal.\n"
            f"Number the columns from 1 to {n}. Go through the rows from top to bottom and give the column of each "
            f"row's queen, as a list of {n} numbers such as [2, 4, ...]. Any placement that fulfils the condition is "
            "right."
        )

    def gold(self, data: Mapping[str, int]) -> str:
        return str(placement(data["n"]))

    def facts(self, data: Mapping[str, int]) -> Mapping[str, int | str]:
        """Return n as ``size``."""
        return {"size": data["n"]}

    def check(self, data: Mapping[str, int], answer: str) -> float:
        """Return 1 for a placement without attacks, else 0."""
        n = data["n"]
        return float(first_solution(answer, lambda text, alone: read_squares(text, n), lambda found: is_safe(n, found)))


def placement(n: int) -> list[int]:
    """Return the column of each row's queen, from 1; n is 4 or more.

    Source: Pauls 1874, in the form: even numbers, then odd ones, with two exceptions for n mod 6 of 2 and of 3.
    """
    evens, odds = list(range(2, n + 1, 2)), list(range(1, n + 1, 2))
    if n % 6 == 2:
        odds = [3, 1, *odds[3:], 5]
    if n % 6 == 3:
        evens, odds = [*evens[1:], 2], [*odds[2:], 1, 3]
    return evens + odds


def is_safe(n: int, squares: Sequence[Square]) -> bool:
    """Return whether these are n squares of the board, counted from 0 or 1, none of which attacks another."""
    if len(squares) != n:
        return False
    first = 0 if any(0 in square for square in squares) else 1
    if not all(0 <= value - first < n for square in squares for value in square):
        return False
    lines = (
        {row for row, _ in squares},
        {column for _, column in squares},
        {row + column for row, column in squares},
        {row - column for row, column in squares},
    )
    return all(len(line) == n for line in lines)


def read_squares(text: str, n: int) -> list[Square]:
    """Return the squares that a text names, rows and columns counted alike; linear in its length.

    Args:
        text: Without markup, see :func:`bench.algorithmic.candidates.plain`.
        n: Size of the board; a list of columns has so many numbers, and so has a drawing rows.
    """
    for pairs in (_drawn(text, n), _pairs(_PAIR, text), _pairs(_WORDS, text), list(_chess(text))):
        if len(pairs) >= n:
            return pairs[-n:]
    lists = [[int(number) for number in re.findall(r"\d+", match.group())] for match in _LIST.finditer(text)]
    whole = [columns for columns in lists if len(columns) == n] or lists
    if not whole:
        return []
    columns = whole[-1]
    first = 0 if 0 in columns else 1
    return [(row, column) for row, column in enumerate(columns, first)]


def _pairs(pattern: re.Pattern[str], text: str) -> list[Square]:
    return [(int(match[1]), int(match[2])) for match in pattern.finditer(text)]


def _chess(text: str) -> Iterator[Square]:
    """Yield the squares of ``a1`` and the like."""
    for match in _CHESS.finditer(text):
        yield int(match[2]), ord(match[1]) - ord("a") + 1


def _drawn(text: str, n: int) -> list[Square]:
    """Return the queens of the last n lines that draw n cells each, nothing where there are fewer."""
    rows = [_RULING.sub("", line) for line in text.split("\n")]
    drawn = [row for row in rows if len(row) == n and all(_CELLS.match(cell) for cell in row)]
    board = drawn[-n:] if len(drawn) >= n else []
    return [
        (row, column) for row, cells in enumerate(board, 1) for column, cell in enumerate(cells, 1) if cell in _QUEENS
    ]
