"""What papers printed for a model, to stand beside our own figures."""

from __future__ import annotations

import csv
import difflib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from runner.errors import UserError

_MAIN = "llmthinkbench_main.csv"


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """A row of the main table of LLMThinkBench: 14 basic-math tasks, no budget, standard prompt.

    Attributes:
        name: ``model|params_b`` as users write it, e.g. ``Qwen3|8``; nothing after the bar where no size is known.
        accuracy: In [0, 1].
        instruction_followed: In [0, 1].
        overthinking: Overthinking Score as printed.
        output_tokens: Mean tokens.
        words: Mean words.
        characters: Mean characters.
        token_basis: What the tokens cover: ``output`` is everything the model produced.
    """

    name: str
    accuracy: float
    instruction_followed: float
    overthinking: float
    output_tokens: float
    words: float
    characters: float
    token_basis: str


def published(name: str) -> PublishedRow:
    """Return the row that ``model.published_as`` names.

    Raises:
        UserError: the main table has no such row; says which are near.
    """
    rows = main_table()
    if name not in rows:
        near = difflib.get_close_matches(name, rows, n=3, cutoff=0.3) or list(rows)
        raise UserError(
            f"model.published_as={name!r} is no row of the published main table; near: {', '.join(near)}. "
            "Use null for a model that is not in it"
        )
    return rows[name]


@cache
def main_table() -> dict[str, PublishedRow]:
    """Return the published main table by name, in its order."""
    text = files("runner").joinpath("data", "published", _MAIN).read_text("utf-8")
    return {row.name: row for row in map(_row, csv.DictReader(text.splitlines()))}


def _row(fields: dict[str, str]) -> PublishedRow:
    return PublishedRow(
        name=f"{fields['model']}|{fields['params_b']}",
        accuracy=float(fields["accuracy_pct"]) / 100,
        instruction_followed=float(fields["instruction_pct"]) / 100,
        overthinking=float(fields["o_score"]),
        output_tokens=float(fields["tokens"]),
        words=float(fields["words"]),
        characters=float(fields["chars"]),
        token_basis=fields["token_basis"],
    )
