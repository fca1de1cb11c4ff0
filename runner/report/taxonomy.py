"""Kinds of error and patterns of traces of a study, run by run."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.taxonomy import ErrorKind, Pattern
from runner.results.layout import RunFolder
from runner.results.marks import marks_of
from runner.results.record import sample_key
from runner.tracking.views import choose_keys

if TYPE_CHECKING:
    import pandas as pd

    from runner.report.frames import StudyFrames

LOOKED_AT = 2_000  # samples of a study; each takes some ten milliseconds the first time


def study_taxonomy(frames: StudyFrames, most: int = LOOKED_AT) -> pd.DataFrame:
    """Return a row a sample that was looked at: ``run``, what :func:`runner.results.marks.marks_of` gives, ``outcome``.

    The runs share ``most`` evenly, at least one each; which samples are looked at is decided by problem and repeat
    alone, all tasks alike, so that runs of the same problems are looked at on the same ones.

    Raises:
        UserError: a run can't be read.
        StorageError: what was found can't be kept in a run's folder.
    """
    import pandas as pd

    share = max(1, most // len(frames.points))
    by_run = {str(run): rows for run, rows in frames.samples.groupby("run", observed=True)}
    found = []
    for run, path in zip(frames.points["run"], frames.points["path"], strict=True):
        if run in by_run:
            keys = map(sample_key, by_run[run]["problem_id"], by_run[run]["repeat"])
            outcomes = dict(zip(keys, by_run[run]["outcome"], strict=True))
            marks = marks_of(RunFolder(Path(path)), set(choose_keys(outcomes, share)))
            found.append(marks.assign(run=run, outcome=[outcomes[key] for key in marks["key"]]))
    columns = ["run", "key", "outcome", "error", "error_rule", "error_spans", "patterns", "wrong_steps"]
    return pd.concat(found, ignore_index=True)[columns] if found else pd.DataFrame(columns=columns)


def error_counts(table: pd.DataFrame) -> pd.DataFrame:
    """Return by run how many wrong answers were looked at (``wrong``), and of each kind of error, or ``none``."""
    import pandas as pd

    wrong = table[table["outcome"].isin(["incorrect", "unparsed"])]
    counts = pd.crosstab(wrong["run"], wrong["error"].fillna("none"))
    counts = counts.reindex(columns=[*(kind.value for kind in ErrorKind), "none"], fill_value=0)
    counts.insert(0, "wrong", counts.sum(axis=1))
    return counts


def pattern_counts(table: pd.DataFrame) -> pd.DataFrame:
    """Return by run how many texts were looked at (``traces``) and in how many each pattern was found."""
    import pandas as pd

    shown = [{name for name, *_ in json.loads(text)} for text in table["patterns"]]
    flags = pd.DataFrame({kind.value: [kind.value in names for names in shown] for kind in Pattern}, dtype=int)
    flags.insert(0, "traces", 1)
    counts: pd.DataFrame = flags.groupby(table["run"].to_numpy()).sum()
    return counts


def pattern_shares(table: pd.DataFrame) -> pd.DataFrame:
    """Return :func:`pattern_counts` with shares of ``traces`` in the place of counts."""
    counts = pattern_counts(table)
    kinds = [kind.value for kind in Pattern]
    counts[kinds] = counts[kinds].div(counts["traces"], axis=0)
    return counts


def taxonomy_parts(frames: StudyFrames, table: pd.DataFrame) -> Mapping[str, Any] | None:
    """Return the counts as the page shows them; None where nothing was looked at.

    ``parts`` holds two of ``title``, ``note``, ``filter`` (what the page's list of samples calls it), ``kinds``, and
    ``rows`` of ``place`` (of the run in the study), ``total`` and ``counts``, in the order of ``kinds``.
    """
    if table.empty:
        return None
    places = {run: place for place, run in enumerate(frames.points["run"])}
    of = f"Of {len(table):,} samples that were looked at, the same ones in runs of as many of the same problems."
    errors = _part(error_counts(table), "wrong", places)
    patterns = _part(pattern_counts(table), "traces", places)
    return {
        "parts": [
            {"title": "Kinds of error of wrong answers", "note": of, "filter": "error", **errors},
            {"title": "Patterns of traces", "note": f"{of} A trace may show several.", "filter": "pattern", **patterns},
        ]
    }


def _part(counts: pd.DataFrame, total: str, places: Mapping[str, int]) -> dict[str, Any]:
    kinds = [str(name) for name in counts.columns if name != total]
    rows: Sequence[dict[str, Any]] = [
        {"place": places[str(run)], "total": int(row[total]), "counts": [int(row[name]) for name in kinds]}
        for run, row in counts.iterrows()
    ]
    return {"kinds": kinds, "rows": sorted(rows, key=lambda row: row["place"])}
