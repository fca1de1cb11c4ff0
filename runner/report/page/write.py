"""Writes the page: what a study says, in one folder that needs nothing else."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from runner.config.settings import Scoring
from runner.report.choices import labels, level, rows, varying
from runner.report.numbers import NOTHING, missing, p_value, signed
from runner.report.page.curves import budget_curves, lengths
from runner.report.page.leaderboard import board
from runner.report.page.scripts import write_data
from runner.report.page.traces import write_run
from runner.report.taxonomy import LOOKED_AT
from runner.results.layout import write_atomic

if TYPE_CHECKING:
    import pandas as pd

    from runner.report.findings import Finding
    from runner.report.frames import StudyFrames
    from runner.report.pairs import StudyPair
    from runner.report.tables import TextTable

TEXTS = 20_000  # texts that a page holds by default, over all runs
_OWN = ("study.js", "samples-*.js", "texts-*-*.js")
_ASSETS = ("report.css", "core.js", "plots.js", "viewer.js", "table.js")


def write_page(
    frames: StudyFrames,
    folder: Path,
    *,
    title: str,
    findings: Sequence[Finding] = (),
    pairs: Sequence[StudyPair] = (),
    taxonomy: Mapping[str, Any] | None = None,
    marks: pd.DataFrame | None = None,
    texts: int = TEXTS,
    curves: Sequence[Mapping[str, Any]] = (),
    optimal: Sequence[TextTable] = (),
    redundancy: Sequence[TextTable] = (),
    further: Mapping[str, Sequence[TextTable]] = MappingProxyType({}),
) -> Path:
    """Write the page of a study and return its ``index.html``; other files in the folder stay.

    Args:
        frames: The study.
        folder: Where; it is made. The scripts that an earlier report left in its ``data`` are removed.
        title: The study's name.
        findings: What the study says.
        pairs: Its runs that differ in one choice.
        taxonomy: See :func:`runner.report.taxonomy.taxonomy_parts`.
        marks: See :func:`runner.report.taxonomy.study_taxonomy`.
        texts: Most samples over all runs whose text the page holds; of the others the verdict.
        curves: See :func:`runner.report.optimal.optimal_curves`.
        optimal: See :func:`runner.report.optimal.optimal_tables`.
        redundancy: See :func:`runner.report.redundancy.study_redundancy`.
        further: Tables of further sections, by a section's title of one word; one without tables is left out.

    Raises:
        StorageError: a file can't be written.
    """
    for pattern in _OWN:  # a user's own files may lie beside them
        for left in (folder / "data").glob(pattern):
            left.unlink()
    points = frames.points
    named = labels(points)
    share = max(1, texts // len(points))
    found = _by_sample(marks)
    kept = [
        write_run(folder, place, Path(row["path"]), share, found.get(row["run"], {}), Scoring(row["scoring"]))
        for place, row in enumerate(rows(points))
    ]
    samples = {str(run): frame for run, frame in frames.samples.groupby("run", observed=True)}
    study = {**_study(frames, samples, named, title, kept), "optimal": list(curves)}
    write_data(folder / "data" / "study.js", "study", study)
    context = {
        "title": title,
        "made": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        "findings": findings,
        "taxonomy": taxonomy,
        "board": board(points),
        "heat": _heat(frames),
        "places": {run: place for place, run in enumerate(points["run"])},
        "factors": _by_factor(pairs),
        "optimal": optimal,
        "redundancy": redundancy,
        "further": {name: own for name, own in further.items() if own},
        "looked_at": LOOKED_AT,
        "labels": named,
        "texts": {name: sum(one[name] for one in kept) for name in ("samples", "texts", "marked")},
    }
    _copy_assets(folder)
    page = folder / "index.html"
    write_atomic(page, _template().render(context).encode("utf-8", "backslashreplace"))
    return page


def _study(
    frames: StudyFrames,
    samples: Mapping[str, pd.DataFrame],
    named: Sequence[str],
    title: str,
    kept: Sequence[Mapping[str, Any]],
) -> dict[str, Any]:
    """Return what the page's plots and lists are made from."""
    points = frames.points
    names = varying(points)
    return {
        "title": title,
        "factors": names,
        "tasks": list(dict.fromkeys(frames.tasks["task"])),
        "runs": [
            {
                "label": label,
                "folder": row["path"],
                "choices": {name: level(row, name) for name in names},
                "source": row["token_sources"],
                **{name: row[name] for name in _PLOTTED},
                **one,
            }
            for row, label, one in zip(rows(points), named, kept, strict=True)
        ],
        "budgets": budget_curves(points, samples),
        "lengths": lengths(points, samples),
    }


_PLOTTED = (
    "accuracy", "accuracy_low", "accuracy_high", "output_tokens", "thinking_tokens", "overthinking", "on_front",
    "published_accuracy", "published_output_tokens", "published_setting",
)  # fmt: skip


def _by_sample(marks: pd.DataFrame | None) -> dict[str, dict[str, Mapping[Hashable, Any]]]:
    found: dict[str, dict[str, Mapping[Hashable, Any]]] = {}
    for row in () if marks is None else rows(marks):
        found.setdefault(row["run"], {})[row["key"]] = row
    return found


def _by_factor(pairs: Sequence[StudyPair]) -> dict[str, list[StudyPair]]:
    found: dict[str, list[StudyPair]] = {}
    for pair in pairs:
        found.setdefault(pair.factor, []).append(pair)
    return found


def _heat(frames: StudyFrames) -> dict[str, Any]:
    """Return the accuracy by run and task, a row a run, None where a run has no such task."""
    tasks = list(dict.fromkeys(frames.tasks["task"]))
    found = {(row["run"], row["task"]): row for row in frames.tasks.to_dict("records")}
    cells = [[found.get((run, task)) for task in tasks] for run in frames.points["run"]]
    return {"tasks": tasks, "cells": cells}


def _copy_assets(folder: Path) -> None:
    from plotly.offline import get_plotlyjs

    assets = files("runner.report.page").joinpath("assets")
    for name in _ASSETS:
        write_atomic(folder / name, assets.joinpath(name).read_bytes())
    write_atomic(folder / "plotly.min.js", get_plotlyjs().encode("utf-8"))


def _template() -> Any:
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("runner.report.page", "assets"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"share": _share, "mean": _mean, "signed": signed, "p": p_value}
    return environment.get_template("index.html.j2")


def _share(value: Any) -> str:
    """A share with three decimals."""
    return NOTHING if missing(value) else f"{value:.3f}"


def _mean(value: Any) -> str:
    """A mean of tokens, thousands apart."""
    return NOTHING if missing(value) else f"{value:,.0f}" if abs(value) >= 100 else f"{value:.1f}"
