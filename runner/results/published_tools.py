"""What the basic-math paper printed of tools, to stand beside our own figures."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class PublishedTools:
    """Figures of one model on the 14 tasks, or on one task and size; None where none was printed.

    Attributes:
        without: Accuracy without tools, in [0, 1].
        within: Accuracy with tools.
        tokens_without: Mean tokens without tools.
        tokens_within: Mean tokens with tools.
    """

    without: float | None
    within: float | None
    tokens_without: float | None = None
    tokens_within: float | None = None


def published_tools(model: str) -> PublishedTools | None:
    """Return the row of the tools table for a model by its short name, e.g. ``gpt5_mini``; None where it has none."""
    return _basic_math().get(_plain(model))


def published_algorithmic(model: str, task: str, size: int) -> PublishedTools | None:
    """Return what was printed for a model on a task of a size; None where nothing was."""
    return _algorithmic().get((_plain(model), task, size))


@cache
def _basic_math() -> dict[str, PublishedTools]:
    return {
        _plain(row["model"]): PublishedTools(
            float(row["no_tools_accuracy_pct"]) / 100,
            float(row["tools_accuracy_pct"]) / 100,
            float(row["no_tools_tokens"]),
            float(row["tools_tokens"]),
        )
        for row in _rows("llmthinkbench_tools.csv")
    }


@cache
def _algorithmic() -> dict[tuple[str, str, int], PublishedTools]:
    found: dict[tuple[str, str, int], PublishedTools] = {}
    for row in _rows("llmthinkbench_tools_algorithmic.csv"):
        model, task = _plain(row["model"]), row["task"]
        without, within = float(row["cot_accuracy_pct"]) / 100, float(row["tools_accuracy_pct"]) / 100
        found[model, task, int(row["size"])] = PublishedTools(without, within)
        scaled = float(row["scaled_tools_accuracy_pct"]) / 100
        found[model, task, int(row["scaled_size"])] = PublishedTools(None, scaled)
    return found


def _rows(name: str) -> list[dict[str, str]]:
    text = files("runner").joinpath("data", "published", name).read_text("utf-8")
    return list(csv.DictReader(text.splitlines()))


def _plain(name: str) -> str:
    """Return a model's name as both the paper's ``GPT-5-mini`` and our ``gpt5_mini`` have it."""
    return re.sub(r"[^a-z0-9]", "", name.lower())
