"""Reads the list that the rows of a Markdown table write, an element a row."""

from __future__ import annotations

import re

from bench.grading.lists import read_simple_list
from bench.grading.normalise import normalise

_SEPARATOR = re.compile(r"[\s|:-]*")
_VALUES = re.compile(r"\b(?:values?|sorted|elements?|integers?|results?|answers?)\b", re.IGNORECASE)
_MAX_ROWS = 1_000
_MAX_CELL = 40


def read_table(text: str) -> tuple[int, ...] | None:
    """Return the integers of the one column that holds values, of the table with which a text ends.

    A column that only counts the rows is none. None where no column is left, or several of which no name tells.
    """
    rows = _last_rows(text)
    names = rows.pop(0) if rows and not any(cell.strip(" -+").isdigit() for cell in rows[0]) else []
    if len(rows) < 2 or len({*map(len, rows), len(names) or len(rows[0])}) > 1:
        return None
    columns = [_integers(cells) for cells in zip(*rows, strict=True)]
    held = [(values, name) for values, name in zip(columns, names or [""] * len(columns), strict=True) if values]
    if len(held) > 1:
        held = [(values, name) for values, name in held if values[0] not in (0, 1) or not _counts(values)]
    if len(held) > 1:
        held = [(values, name) for values, name in held if _VALUES.search(name)]
    return held[0][0] if len(held) == 1 else None


def _last_rows(text: str) -> list[list[str]]:
    """Return the cells of the rows of a table at the end of a text, without the lines between them."""
    rows: list[list[str]] = []
    for line in reversed(text.split("\n")[-_MAX_ROWS:]):
        if not line.lstrip().startswith("|"):
            break
        if not _SEPARATOR.fullmatch(line):
            rows.append(line.strip().strip("|").split("|"))
    return rows[::-1]


def _integers(cells: tuple[str, ...]) -> tuple[int, ...] | None:
    """Return the integers of a column, None where one of its cells holds none."""
    values: list[int] = []
    for cell in cells:
        read = read_simple_list(normalise(cell)) if len(cell) <= _MAX_CELL else None
        if read is None or len(read) != 1 or not isinstance(read[0], int):
            return None
        values.append(read[0])
    return tuple(values)


def _counts(values: tuple[int, ...]) -> bool:
    return values == tuple(range(values[0], values[0] + len(values)))
