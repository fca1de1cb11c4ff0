"""One run of a study: by its own folder, or by the study's and a part of the run's name."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from runner.errors import UserError
from runner.report.study import rank, set_apart
from runner.results.layout import RunFolder
from runner.results.load import runs_of
from runner.results.run import Run


def run_at(path: Path, part: str | None, verb: str, rest: Sequence[str] = ()) -> tuple[RunFolder, Run]:
    """Return one run.

    Args:
        path: The run's folder, or a study's.
        part: A part of the run's name, or all of it; None where the study holds one run alone.
        verb: The command that was typed, for the list of runs to choose from.
        rest: What was typed behind the run.

    Raises:
        UserError: there is none, or several: then it lists them, each with the command to type.
    """
    runs = runs_of(path)
    fitting = runs if part is None else matching(runs, part)
    if len(fitting) == 1:
        return fitting[0]
    count = f"{part!r} fits {len(fitting)} of the {len(runs)} runs" if part is not None else f"{len(runs)} runs"
    listed = "\n".join(_lines(fitting or runs, verb, rest))
    raise UserError(f"{path} is no single run: {count}. Type one of these:\n{listed}")


def matching(runs: Sequence[tuple[RunFolder, Run]], part: str) -> list[tuple[RunFolder, Run]]:
    """Return the run of this name, else those with this in their names."""
    named = [found for found in runs if found[0].path.name == part]
    return named or [found for found in runs if part in found[0].path.name]


def _lines(runs: Sequence[tuple[RunFolder, Run]], verb: str, rest: Sequence[str]) -> list[str]:
    """Return a line a run: what sets it apart, and the command; nothing is cut, so that it can be copied."""
    ordered = sorted(runs, key=lambda found: rank(found[1].settings, found[1].loaded.engine))
    apart = set_apart([(run.settings, run.loaded.engine) for _, run in ordered])
    rows = [list(apart[0]), *(list(chosen.values()) for chosen in apart)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    shown = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]
    typed = (shlex.join(["python", "-m", "runner", verb, str(folder.path), *rest]) for folder, _ in ordered)
    return [f"  {cells}  {command}".rstrip() for cells, command in zip(shown, ("", *typed), strict=True)]
