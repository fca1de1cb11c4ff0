"""Shows how far a study is, from its files and from the cluster's queue; ends its jobs if asked to."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from runner.errors import EXIT_INTERRUPTED, UserError
from runner.report.console import print_line, visible_line
from runner.results.progress import Progress, progress_of
from runner.slurm.queue import cancel
from runner.slurm.state import Task, latest_tasks, live_tasks

_LISTED = 100  # runs that are listed one by one; of more, those that are not done
_POLL_S = 5.0
_SLURM_SAYS = ("srun: ", "slurmstepd")
_LAST_BYTES = 4096  # of a log, in which its last line is looked for


@dataclass(frozen=True, slots=True)
class _Status:
    """How far a study is.

    Attributes:
        runs: Its runs.
        jobs: The latest jobs of each run that was submitted to a cluster, by its name.
        trouble: Why the jobs are not known, None if they are.
    """

    runs: Sequence[Progress]
    jobs: Mapping[str, Sequence[Task]]
    trouble: str | None

    def waits(self, run: Progress) -> bool:
        """Whether a job of the run waits or runs."""
        return any(task.job is not None for task in self.jobs.get(run.name, ()))

    def left(self) -> list[Progress]:
        """Return the runs that nobody works on, or will, and that are not done."""
        return [run for run in self.runs if run.state not in ("done", "running") and not self.waits(run)]

    def live(self) -> bool:
        """Whether anybody works on a run, or will."""
        return any(run.state == "running" or (run.state != "done" and self.waits(run)) for run in self.runs)


def show_status(study: Path, console: Console, *, watch: bool = False) -> int:
    """Print a row a run, by the most that was ever asked of it, and the commands that finish what is not done.

    Args:
        study: The study's folder, or that of one run.
        console: Where it goes.
        watch: Show it again and again until nobody works on the study any more.

    Returns:
        0 if every run is done, running or has a job on a cluster that waits or runs, else 1; 130 after Ctrl-C.

    Raises:
        UserError: there is no run.
    """
    status = _read(study)
    try:
        while watch and status.live():
            if console.is_terminal:
                console.clear()
            console.print(_table(study, status), highlight=False)
            time.sleep(_POLL_S)
            status = _read(study)
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    _show(study, status, console)
    return 1 if status.left() else 0


def cancel_jobs(study: Path, console: Console) -> None:
    """End the jobs of a study that wait or run; what they generated is kept.

    Raises:
        UserError: SLURM refuses, or does not answer.
    """
    live = live_tasks(study)
    if not live:
        print_line(console, f"no job of {study} waits or runs")
        return
    cancel(task.submission.name for task in live)
    print_line(console, f"cancelled: {', '.join(task.id for task in live)}")


def _read(study: Path) -> _Status:
    runs = progress_of(study)
    try:
        return _Status(runs, latest_tasks(study), None)
    except UserError as error:
        return _Status(runs, {}, str(error))


def _show(study: Path, status: _Status, console: Console) -> None:
    if status.trouble is not None:
        print_line(console, f"its jobs are not known here: {status.trouble}")
    console.print(_table(study, status))
    for run in status.runs:
        if run.latest != run.most:
            counted = f"{run.latest.done} are done, {run.latest.failed} failed"
            print_line(console, f"{run.name}: the latest command asked for {run.latest.asked}, of which {counted}")
    left = status.left()
    for log in dict.fromkeys(log for run in left for log in _logs(run, status)):
        print_line(console, f"log: {visible_line(log)}")
        if last := _last_line(log):
            print_line(console, f"  {visible_line(last)}")
    requests = [request for run in left for request in (run.most, run.latest) if request.unfinished]
    for command in dict.fromkeys(request.command for request in requests):
        print_line(console, f"to finish: {command}")


def _table(study: Path, status: _Status) -> Table:
    states = Counter(run.state for run in status.runs)
    counted = ", ".join(f"{count} {state}" for state, count in states.most_common())
    table = Table(title=Text(f"{study}: {counted}"), title_justify="left")
    for heading in ("run", "state", "done", "asked", "failed", "tokens/s"):
        table.add_column(heading, justify="left" if heading in ("run", "state") else "right")
    runs = status.runs
    listed = runs if len(runs) <= _LISTED else [run for run in runs if run.state != "done"][:_LISTED]
    for run in listed:
        counts = (run.most.done, run.most.asked, run.most.failed)
        speed = "" if run.speed is None else f"{run.speed:.0f}"
        table.add_row(Text(run.name), Text(_state(run, status.jobs.get(run.name, ()))), *map(str, counts), speed)
    if len(listed) < len(runs):
        table.add_row(f"and {len(runs) - len(listed)} more")
    return table


def _state(run: Progress, jobs: Sequence[Task]) -> str:
    """Return a run's state, who writes to it and what became of its jobs."""
    if run.state == "done":
        return run.state
    by = [f"on {writer.host}, process {writer.pid}" for writer in run.writers]
    told = [f"job {task.id}{'' if task.shard is None else f', shard {task.shard},'} {task.state()}" for task in jobs]
    return ", ".join([" ".join([run.state, *by[:1]]), *by[1:], *told])


def _logs(run: Progress, status: _Status) -> list[Path]:
    """Return the logs that say why a run is not done: those of its jobs, else its own."""
    if jobs := status.jobs.get(run.name, ()):
        return [task.files.log for task in jobs if task.history.code != 0 and task.files.log is not None]
    return [part.log for part in run.folder.parts() if part.log.is_file()]


def _last_line(log: Path) -> str:
    """Return the last line of a log that says something, that of the program before SLURM's about its end."""
    try:
        with log.open("rb") as file:
            file.seek(max(0, file.seek(0, 2) - _LAST_BYTES))
            lines = [line.strip() for line in file.read().decode("utf-8", "replace").splitlines() if line.strip()]
    except OSError:
        return ""
    own = [line for line in lines if not line.startswith(_SLURM_SAYS)]
    return (own or lines or [""])[-1]
