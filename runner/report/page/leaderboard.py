"""The page's leaderboard: a row a run, what was published for its model beside it."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from runner.report.choices import level, rows, varying
from runner.report.numbers import missing

if TYPE_CHECKING:
    import pandas as pd

Format = Literal["share", "mean", "count"]


@dataclass(frozen=True, slots=True)
class Column:
    """One column of figures.

    Attributes:
        name: Of the frame's column.
        heading: What the page shows.
        format: How a number is written.
        hint: What it means, shown on demand.
        shown: Whether it shows before the reader chooses.
        links: What restricts the samples that a number leads to; ``""`` for all of the run.
    """

    name: str
    heading: str
    format: Format
    hint: str
    shown: bool
    links: str = ""


COLUMNS = (
    Column("accuracy", "accuracy", "share", "mean over tasks, with its 95 % interval", True),
    Column("published_accuracy", "published", "share", "accuracy in the published table", True),
    Column("thinking_tokens", "thinking", "mean", "mean thinking tokens", True),
    Column("output_tokens", "output", "mean", "mean output tokens, thinking included", True),
    Column("published_output_tokens", "published", "mean", "tokens in the published table", True),
    Column("overthinking", "O", "share", "Overthinking Score of the means, reference bounds (0, 7900)", True),
    Column("published_overthinking", "published", "share", "Overthinking Score in the published table", True),
    Column("n", "n", "count", "samples that count: answered and graded", True),
    Column("overthinking_mean", "O, mean of tasks", "share", "mean of the tasks' Overthinking Scores", False),
    Column("overthinking_pool", "O, pool", "share", "Overthinking Score within this study's own bounds", False),
    Column("instruction_followed", "box", "share", "share with a readable box in the visible answer", False),
    Column("accuracy_parsed", "accuracy, parsed", "share", "correct share of the parsed answers", False),
    Column("answer_tokens", "answer", "mean", "mean tokens of the visible answer", False),
    Column("words", "words", "mean", "mean words", False),
    Column("characters", "characters", "mean", "mean characters", False),
    Column("truncated", "cut", "count", "samples cut by a cap", True, "status=truncated"),
    Column("unparsed", "unparsed", "count", "samples without a readable answer", True, "outcome=unparsed"),
    Column("errors", "errors", "count", "samples without an answer because something failed", True, "status=error"),
)  # fmt: skip


def board(points: pd.DataFrame) -> dict[str, Any]:
    """Return the columns that hold anything and a row a run, best accuracy first."""
    every = rows(points)
    columns = [column for column in COLUMNS if points[column.name].notna().any() and _tells(points, column)]
    names = varying(points)
    order = sorted(range(len(every)), key=lambda place: (-_number(every[place]["accuracy"]), place))
    return {
        "factors": names,
        "columns": columns,
        "rows": [_row(every[place], place, columns, names) for place in order],
    }


def _tells(points: pd.DataFrame, column: Column) -> bool:
    """Whether a column is worth its place: one of failures that did not happen is not."""
    return column.name not in ("truncated", "unparsed", "errors") or bool(points[column.name].any())


def _row(row: Mapping[Hashable, Any], place: int, columns: list[Column], names: list[str]) -> dict[str, Any]:
    return {
        "place": place,
        "label": row["label"],
        "choices": [level(row, name) for name in names],
        "budget": row["budget"],
        "cells": [(column, row[column.name]) for column in columns],
        "low": row["accuracy_low"],
        "high": row["accuracy_high"],
        "front": bool(row["on_front"]),
        "partial": bool(row["partial"]),
        "setting": bool(row["published_setting"]),
        "basis": row["published_token_basis"],
    }


def _number(value: Any) -> float:
    return -1.0 if missing(value) else float(value)
