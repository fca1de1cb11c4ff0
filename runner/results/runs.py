"""The runs of a study, found by their folders."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from pathlib import Path

from runner.errors import UserError
from runner.results.layout import RunFolder, find_runs
from runner.results.run import Run, load_run
from runner.results.store import scan

_log = logging.getLogger(__name__)


def runs_of(study: Path) -> list[tuple[RunFolder, Run]]:
    """Return the runs of a study's folder, or the one run whose folder it is, each fingerprint once.

    A run of a study whose ``run.json`` can't be read is passed over with a warning.

    Raises:
        UserError: there is no run, or the one that was asked for can't be read.
    """
    alone = RunFolder(study)
    if alone.run_json.is_file():
        run = load_run(alone)
        return [] if run is None else [(alone, run)]
    found = [(folder, run) for folder in find_runs(study) if (run := _readable(folder)) is not None]
    if not found and find_runs(study):
        raise UserError(f"no run of {study} can be read; the lines above say why")
    if not found:
        raise UserError(f"{study} holds no run; give the folder of a study, one of: {_studies_near(study)}")
    return sorted(each_once(found), key=lambda pair: pair[0].path.name)


def each_once(runs: Iterable[tuple[RunFolder, Run]]) -> list[tuple[RunFolder, Run]]:
    """Return the runs without copies, in order: of those with the same settings and the same loaded model one stays.

    That is the one with most finished samples, of equal ones the latest.
    """
    copies: dict[tuple[object, ...], list[tuple[RunFolder, Run]]] = {}
    for folder, run in runs:
        loaded = run.loaded
        same_texts = (run.fingerprint, loaded.model_revision, loaded.weights, loaded.compute_dtype)
        copies.setdefault(same_texts, []).append((folder, run))
    return [same[0] if len(same) == 1 else max(same, key=_rank) for same in copies.values()]


def _readable(folder: RunFolder) -> Run | None:
    try:
        return load_run(folder)
    except UserError as error:
        _log.warning("%s; the study is read without it", error)
        return None


def _rank(pair: tuple[RunFolder, Run]) -> tuple[int, str]:
    """Rank the copies of one run; reads all of its generations."""
    folder, run = pair
    return scan(folder).report.done, run.updated


def _studies_near(study: Path) -> str:
    names = (str(path) for path in (study.parent, *_subfolders(study.parent)) if find_runs(path))
    return ", ".join(names) or "none here"


def _subfolders(path: Path) -> Iterable[Path]:
    return sorted(child for child in path.iterdir() if child.is_dir()) if path.is_dir() else ()
