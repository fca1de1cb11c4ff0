"""What sets the runs of a study apart, as the page names it."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any

from runner.report.numbers import missing

if TYPE_CHECKING:
    import pandas as pd

FACTORS = ("model", "precision", "prompt", "effort", "budget", "tools")
# What goes without saying.
_USUAL = {"prompt": "standard", "effort": "default", "budget": "none", "tools": "none"}
_FIRST = {
    "precision": ("fp32", "fp16", "bf16", "auto"),
    "prompt": ("standard",),
    "effort": ("default", "medium"),
    "budget": ("none",),
    "tools": ("none",),
}


def level(point: Any, factor: str) -> str:
    """Return a run's choice as text; a budget with its kind unless that is total."""
    value = point[factor]
    if factor != "budget":
        return str(value)
    if missing(value):
        return "none"
    kind = point["budget_kind"]
    return f"{value:.0f}" if missing(kind) or kind == "total" else f"{value:.0f} {kind}"


def varying(points: pd.DataFrame) -> list[str]:
    """Return the factors in which the runs differ, the model always."""
    return [name for name in FACTORS if name == "model" or len({level(row, name) for row in rows(points)}) > 1]


def labels(points: pd.DataFrame) -> list[str]:
    """Return a short name for each run: its model and what it has of its own; the study's label where two share one."""
    names = varying(points)
    short = [
        " · ".join(_said(row, name) for name in names if level(row, name) != _USUAL.get(name)) for row in rows(points)
    ]
    return [
        text if short.count(text) == 1 else str(row["label"]) for text, row in zip(short, rows(points), strict=True)
    ]


def _said(row: Mapping[Hashable, Any], name: str) -> str:
    """Return a choice so that it is understood without its heading."""
    text = level(row, name)
    return f"{name} {text}" if name in ("budget", "effort", "tools") else text


def rows(points: pd.DataFrame) -> list[dict[Hashable, Any]]:
    """Return the runs one by one."""
    return points.to_dict("records")


def alike_but(points: pd.DataFrame, factor: str) -> list[list[int]]:
    """Return groups of runs, by their places in ``points``, that differ in one factor and in nothing else.

    The baseline comes first: the choice that the published tables start from, else the first in the study's order.
    Budgets of different kinds are no levels of one factor; a run without a budget belongs to every kind.
    """
    every = rows(points)
    forms: list[str | None] = [None]
    if factor == "budget":
        forms = list(dict.fromkeys(row["budget_form"] for row in every if not missing(row["budget_form"])))
    found = []
    for form in forms:
        groups: dict[tuple[str, ...], dict[str, int]] = {}
        for place, row in enumerate(every):
            if form is None or missing(row["budget_form"]) or row["budget_form"] == form:
                groups.setdefault(_others(row, factor), {}).setdefault(level(row, factor), place)
        found += [_baseline_first(levels, factor) for levels in groups.values() if len(levels) > 1]
    return found


def _others(row: Mapping[Hashable, Any], factor: str) -> tuple[str, ...]:
    """Return all but one factor of a run, with what has to be alike besides."""
    form = () if factor == "budget" else (str(row["budget_form"]),)
    return (*(level(row, name) for name in FACTORS if name != factor), *form, str(row["context"]))


def _baseline_first(levels: dict[str, int], factor: str) -> list[int]:
    first = next((name for name in _FIRST.get(factor, ()) if name in levels), next(iter(levels)))
    return [levels[first], *(place for name, place in levels.items() if name != first)]
