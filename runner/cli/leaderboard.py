"""``python -m runner leaderboard``: verified runs of any studies as one static page."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console

from runner.config.settings import Scoring
from runner.errors import EXIT_FAILED, UserError
from runner.report.console import print_line, visible_line
from runner.results.certificate import Certificate, files_sha256, generations_sha256, read_certificate
from runner.results.layout import RunFolder, write_atomic
from runner.results.run import Run
from runner.results.runs import each_once, runs_of
from runner.results.verdict_table import grade_run

# What a row can be made again from, by its place in the settings.
_NEEDED = ("model.id", "suite.seed", "suite.folds", "suite.samples", "suite.params", "sampling.seed",
           "sampling.temperature", "sampling.top_p", "prompt.user")  # fmt: skip
_METADATA = "metadata.json"


def leaderboard(folders: Sequence[Path], out: Path, scoring: Scoring, console: Console) -> int:
    """Write the page of all runs that can be shown, with a metadata block each, and name those that can't.

    Of runs with the same settings and the same loaded model the one with most samples counts, of equal ones the latest.

    Args:
        folders: Studies, or runs.
        out: The page's folder; it is made.
        scoring: Whose verdicts.
        console: Where to say it.

    Returns:
        0, or 1 if a run was refused.

    Raises:
        UserError: a folder holds no run, or every run was refused.
        StorageError: the page can't be written.
    """
    from runner.report.findings import findings
    from runner.report.frames import frames_of
    from runner.report.page import write_page
    from runner.report.pairs import study_pairs
    from runner.report.splits import splits

    every = [pair for folder in folders for pair in runs_of(folder)]
    refusals = {folder.path: reasons for folder, run in every if (reasons := list(refused(folder, run, scoring)))}
    for path, reasons in refusals.items():
        print_line(console, visible_line(f"refused: {path}: {'; '.join(reasons)}"))
    kept = each_once(pair for pair in every if pair[0].path not in refusals)
    if not kept:
        raise UserError("no run is left for the leaderboard; python -m runner verify RUN writes what a row needs")
    frames = frames_of(kept, scoring)
    pairs = study_pairs(frames)
    page = write_page(frames, out, title="Leaderboard", findings=findings(frames, pairs, splits(frames)), pairs=pairs)
    blocks = {str(folder.path): _metadata(folder, run) for folder, run in kept}
    named = {name: blocks[path] for name, path in zip(frames.points["run"], frames.points["path"], strict=True)}
    write_atomic(out / _METADATA, json.dumps(named, indent=1).encode("ascii"))
    copies = len(every) - len(refusals) - len(kept)
    more = f", {copies} copies of them left out" if copies else ""
    print_line(console, f"leaderboard of {len(frames.points)} runs{more}: {visible_line(page)}")
    return EXIT_FAILED if refusals else 0


def refused(folder: RunFolder, run: Run, scoring: Scoring) -> Iterator[str]:
    """Yield why a run can't be a row of a leaderboard, a few words each.

    Raises:
        UserError: its verdicts can't be made.
    """
    certificate = read_certificate(folder)
    if certificate is None:
        yield f"no certificate; make one: python -m runner verify {folder.path}"
    elif (certificate.fingerprint, certificate.nonce) != (run.fingerprint, run.nonce):
        yield "its certificate is another run's"
    elif certificate.generations_sha256 != generations_sha256(folder):
        yield "its samples are not those that were certified; verify it again"
    elif certificate.scoring == scoring and certificate.verdicts_sha256 != files_sha256([grade_run(folder, scoring)]):
        yield "its verdicts are not those that were certified; verify it again"
    elif not certificate.holds:
        yield "its certificate says that something differed"
    missing = [name for name in _NEEDED if _setting(run, name) is None]
    missing += [] if run.loaded.model_revision else ["the model's revision"]
    missing += [] if run.attempts[-1].code_revision and run.attempts[-1].versions else ["versions of the program"]
    if missing:
        yield f"its metadata lacks {', '.join(missing)}"


def _setting(run: Run, name: str) -> Any:
    group, _, key = name.partition(".")
    return run.settings.get(group, {}).get(key)


def _metadata(folder: RunFolder, run: Run) -> dict[str, Any]:
    """Return all that a row can be made again from, with where its raw outputs lie."""
    certificate: Certificate | None = read_certificate(folder)
    return {
        "outputs": str(folder.path),
        "generations": str(folder.generations),
        "command": run.attempts[-1].command,
        **asdict(run),
        "certificate": None if certificate is None else asdict(certificate),
    }
