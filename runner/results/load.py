"""Studies as data frames, for notebooks: ``runner.load`` and ``runner.summary``."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from bench.metrics.figures import Figures
from runner.config.naming import tools_name
from runner.config.settings import Scoring
from runner.errors import UserError
from runner.results.layout import RunFolder
from runner.results.run import Run
from runner.results.runs import runs_of as runs_of
from runner.results.summary import compute_summary
from runner.results.verdict_table import read_verdicts


def load(study: str | Path, *, scoring: str = "paper") -> pd.DataFrame:
    """Return a row a sample for all runs of a study, missing verdicts made.

    Columns: ``run``, ``model``, ``precision``, ``engine``, ``prompt``, ``tools``, ``budget``, ``budget_kind`` (None
    without a budget), ``effort``, ``sampling``, ``temperature``, ``top_p``, ``sampling_seed``, ``noise`` (the one that
    acted), ``suite``, ``suite_seed``, ``device``, ``code_revision``, then those of
    :class:`runner.results.verdict_row.VerdictRow`, the problem's facts under their own names (``size``, ...) in place
    of ``facts``.

    Where the study holds copies of one run (same fingerprint), the copy with most finished samples counts, of
    equal ones the latest.

    Args:
        study: A study's folder, e.g. ``"outputs/single"``, or the folder of one run.
        scoring: Whose verdicts, see :class:`runner.config.settings.Scoring`; missing ones are made.

    Raises:
        UserError: there is no run, or no such scoring.
    """
    by = scoring_named(scoring)
    frames = [_samples(folder, run, by) for folder, run in runs_of(Path(study))]
    return pd.concat(frames, ignore_index=True)


def summary(study: str | Path, *, scoring: str = "paper") -> pd.DataFrame:
    """Return a row for each run and task of a study, and one for each run with the task ``overall``.

    Columns: those of :func:`load` up to ``code_revision``, ``task``, ``category``, ``bounds``, then those of
    :class:`bench.metrics.figures.Figures`, intervals as ``…_low`` and ``…_high`` with their ``…_method``.
    Copies of a run and ``scoring`` are treated as by :func:`load`.

    Raises:
        UserError: there is no run, or no such scoring.
    """
    by = scoring_named(scoring)
    rows = [row for folder, run in runs_of(Path(study)) for row in _summary_rows(folder, run, by)]
    return pd.DataFrame(rows)


def scoring_named(name: str) -> Scoring:
    """Return the scoring of this name.

    Raises:
        UserError: there is none.
    """
    try:
        return Scoring(name)
    except ValueError as error:
        raise UserError(f"scoring {name!r}: no such scoring; give one of: {', '.join(Scoring)}") from error


def _samples(folder: RunFolder, run: Run, scoring: Scoring) -> pd.DataFrame:
    verdicts: pd.DataFrame = read_verdicts(folder, scoring).to_pandas()
    facts = pd.DataFrame([json.loads(text) for text in verdicts.pop("facts")], index=verdicts.index)
    frame = pd.concat([verdicts, facts[[name for name in facts if name not in verdicts]]], axis=1)
    for place, (name, value) in enumerate(choices_of(folder, run).items()):
        frame.insert(place, name, value)
    return frame


def choices_of(folder: RunFolder, run: Run) -> dict[str, Any]:
    """Return what sets a run apart, as columns; ``run`` is the name of its folder."""
    asked = run.settings
    return {
        "run": folder.path.name,
        "model": asked["model"]["name"],
        "precision": asked["precision"]["name"],
        "engine": run.loaded.engine,
        "prompt": asked["prompt"]["name"],
        "tools": tools_name(asked.get("tools", {}).get("names", ())),
        "budget": asked["budget"]["tokens"],
        "budget_kind": None if asked["budget"]["tokens"] is None else asked["budget"].get("kind", "total"),
        "effort": asked["effort"]["level"],
        "sampling": asked["sampling"]["name"],
        "temperature": asked["sampling"]["temperature"],
        "top_p": asked["sampling"]["top_p"],
        "sampling_seed": asked["sampling"]["seed"],
        "noise": asked["sampling"].get("noise"),  # runs of earlier versions do not say
        "suite": asked["suite"]["name"],
        "suite_seed": asked["suite"]["seed"],
        "device": run.loaded.device,
        "code_revision": run.attempts[-1].code_revision,
    }


def _summary_rows(folder: RunFolder, run: Run, scoring: Scoring) -> Iterable[dict[str, Any]]:
    found = compute_summary(folder, scoring)
    rows = [(row.task, row.category, row.figures) for row in found.tasks]
    for task, category, figures in [*rows, ("overall", None, found.overall)]:
        place = {"task": task, "category": category, "bounds": found.bounds.name}
        yield {**choices_of(folder, run), **place, **flat_figures(figures)}


def flat_figures(figures: Figures) -> dict[str, Any]:
    """Return figures as columns: intervals as ``…_low``, ``…_high`` and ``…_method``, None where there is none."""
    flat: dict[str, Any] = {}
    for name in figures.__slots__:
        value = getattr(figures, name)
        if name.endswith("_interval"):
            ends = (None, None, None) if value is None else (value.low, value.high, value.method)
            stem = name.removesuffix("_interval")
            flat |= dict(zip((f"{stem}_low", f"{stem}_high", f"{stem}_method"), ends, strict=True))
        elif name == "accuracy_bounds":
            flat["accuracy_if_wrong"], flat["accuracy_if_right"] = value or (None, None)
        else:
            flat[name] = value
    return flat
