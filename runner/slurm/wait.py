"""Shows the jobs of a sweep until they have ended. The jobs need none of this: Ctrl-C ends the showing alone."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from runner.errors import EXIT_FAILED, EXIT_INTERRUPTED, UserError
from runner.point import Point, pending
from runner.report.console import print_line
from runner.results.layout import RunFolder
from runner.slurm.state import Task, live_tasks
from runner.sweep import show_results, studies_of

_POLL_S = 3.0  # how often SLURM is asked


def wait_for(points: Sequence[Point], command: str, console: Console) -> int:
    """Show the jobs of these points' studies until none is in the queue, then the tables.

    Returns:
        0 if every sample is there, 1 if some are missing, 130 after Ctrl-C: the jobs go on.
    """
    studies = studies_of(points)
    try:
        _follow(list(studies), console)
    except KeyboardInterrupt:
        print_line(console, f"the jobs go on; to see them again: {command}")
        for study in studies:
            print_line(console, f"how far they are: python -m runner status {study}")
        return EXIT_INTERRUPTED
    show_results(points, console)
    if not any(pending(point).count for point in points):
        return 0
    print_line(console, f"to go on: {command}")
    return EXIT_FAILED


def _follow(studies: Sequence[Path], console: Console) -> None:
    """Show a row a job, live on a terminal, else as a line whenever one changes its state."""
    counts = _Counts()
    shown: dict[str, str] = {}
    live = Live(console=console, transient=True, auto_refresh=False) if console.is_terminal else None
    context: AbstractContextManager[object] = nullcontext() if live is None else live
    with context:
        while (tasks := _asked(studies, console)) != []:
            if live is not None and tasks is not None:
                live.update(_table(tasks, counts), refresh=True)
            elif tasks is not None:
                _print_changes(tasks, shown, counts, console)
            time.sleep(_POLL_S)


def _asked(studies: Sequence[Path], console: Console) -> list[tuple[Path, Task]] | None:
    """Return the jobs that wait or run; None while SLURM does not answer, which passes."""
    try:
        return [(study, task) for study in studies for task in live_tasks(study)]
    except UserError as error:
        print_line(console, str(error))
        return None


def _print_changes(
    tasks: Iterable[tuple[Path, Task]], shown: dict[str, str], counts: _Counts, console: Console
) -> None:
    for study, task in tasks:
        if shown.get(task.id) != task.state():
            shown[task.id] = task.state()
            print_line(console, f"{task.id}: {task.state()}, {counts.of(study, task)} samples stored")


def _table(tasks: Iterable[tuple[Path, Task]], counts: _Counts) -> Table:
    table = Table(title=Text("Ctrl-C ends this table, not the jobs"), title_justify="left")
    for heading in ("job", "state", "points", "stored samples"):
        table.add_column(heading, justify="left" if heading in ("job", "state") else "right")
    for study, task in tasks:
        table.add_row(Text(task.id), Text(task.state()), str(len(task.points)), str(counts.of(study, task)))
    return table


class _Counts:
    """Counts stored lines; of a file that grew only what is new is read."""

    def __init__(self) -> None:
        self._read: dict[Path, tuple[int, int]] = {}  # bytes that were read, lines in them

    def of(self, study: Path, task: Task) -> int:
        """Return the lines of all points of a task."""
        return sum(self._lines(RunFolder(study / name).shard(task.shard).generations) for name in task.points)

    def _lines(self, path: Path) -> int:
        size, lines = self._read.get(path, (0, 0))
        try:
            with path.open("rb") as file:
                file.seek(size)
                new = file.read()
        except OSError:
            return lines
        self._read[path] = (size + len(new), lines + new.count(b"\n"))
        return lines + new.count(b"\n")
