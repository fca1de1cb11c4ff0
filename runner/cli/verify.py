"""``python -m runner verify``: checks a run and writes the certificate that a leaderboard asks for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from runner.cli.one_run import run_at
from runner.engines.base import EngineDied, EngineStopped
from runner.errors import EXIT_FAILED
from runner.report.console import print_line, visible_line
from runner.results.certificate import Certificate, write_certificate
from runner.verify import verify_run

_NAMED = 5  # samples that a line names


def verify(path: Path, part: str | None, count: int, console: Console) -> int:
    """Check a run, write its certificate and say what was found.

    Args:
        path: The run's folder, or a study's.
        part: A part of the run's name; None where the study holds one run alone.
        count: Most texts that are generated again.
        console: Where to say it.

    Returns:
        0 if all agreed, 1 if something did not or the engine ended.

    Raises:
        UserError: no such run, or it can't be checked here.
        StorageError: the certificate can't be written.
    """
    folder, run = run_at(path, part, "verify")
    try:
        found = verify_run(folder, run, count)
    except (EngineDied, EngineStopped) as death:
        print_line(console, f"the engine ended, so nothing was certified: {visible_line(death)}")
        return EXIT_FAILED
    written = write_certificate(folder, found)
    for line in _said(found):
        print_line(console, visible_line(line))
    print_line(console, f"{'certified' if found.holds else 'NOT certified'}: {visible_line(written)}")
    return 0 if found.holds else EXIT_FAILED


def _said(found: Certificate) -> list[str]:
    lines = [
        f"data: {found.samples} samples drawn again, {_other(found.wrong_data)}",
        f"verdicts: {found.samples} graded again by grader {found.grader_version}, {_other(found.wrong_verdicts)}",
        f"texts: {len(found.regenerated)} generated again by {found.engine}, {_other(found.other_texts)}",
    ]
    if not found.repeatable:
        lines.append("this engine does not promise the same text for the same seed, so other texts prove nothing")
    if found.missing:
        lines.append(f"MISSING: {found.missing} of the samples that the run's settings ask for; finish the run first")
    if found.failed:
        lines.append(f"{found.failed} samples failed; nothing of them is checked")
    return lines


def _other(keys: Sequence[str]) -> str:
    if not keys:
        return "all the same"
    more = f" and {len(keys) - _NAMED} more" if len(keys) > _NAMED else ""
    return f"{len(keys)} DIFFER: {', '.join(keys[:_NAMED])}{more}"
