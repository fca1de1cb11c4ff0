"""How far the runs of a study are, read from their files alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError
from rich.console import Console
from rich.table import Table
from rich.text import Text

from runner.config.compose import read_stored
from runner.config.settings import SuiteSettings
from runner.config.suite import Suite
from runner.errors import UserError
from runner.report.console import print_line
from runner.results.asked import Asked, asked_of, never_begun
from runner.results.layout import RunFolder, find_runs
from runner.results.load import runs_of
from runner.results.lock import Holder, current_holder
from runner.results.run import Run
from runner.results.store import Scan, scan
from runner.slurm.state import Task, latest_tasks


@dataclass(frozen=True, slots=True)
class Request:
    """What a command asked of a run, and how much of it is there.

    Attributes:
        asked: Samples.
        done: Of these, samples with a good record.
        failed: Of these, samples with errors alone.
        command: What was typed; typing it again goes on.
    """

    asked: int
    done: int
    failed: int
    command: str

    @property
    def unfinished(self) -> bool:
        """Whether a sample is missing."""
        return self.done < self.asked


@dataclass(frozen=True, slots=True)
class Progress:
    """How far one run is.

    Attributes:
        name: The run folder's name.
        most: The request for most samples.
        latest: The latest request that had something to do; often the same.
        writer: Who writes there now, or None.
    """

    name: str
    most: Request
    latest: Request
    writer: Holder | None

    @property
    def state(self) -> str:
        """``running``, ``done``, ``failed`` (all that is left failed), ``part`` or ``queued`` (nothing is there)."""
        requests = (self.most, self.latest)
        if self.writer is not None:
            return "running"
        if not any(request.unfinished for request in requests):
            return "done"
        if not any(request.done + request.failed for request in requests):
            return "queued"
        return "failed" if all(request.done + request.failed >= request.asked for request in requests) else "part"


def show_status(study: Path, console: Console) -> int:
    """Print a row a run, by the most that was ever asked of it, and the commands that finish what is not done.

    Returns:
        0 if every run is done, running or has a job on a cluster that waits or runs, else 1.

    Raises:
        UserError: there is no run.
    """
    runs = _progress_of(study)
    jobs = _jobs(study, console)
    table = Table(title=Text(str(study)), title_justify="left")
    for heading in ("run", "state", "done", "asked", "failed"):
        table.add_column(heading, justify="left" if heading in ("run", "state") else "right")
    for run in runs:
        by = f" on {run.writer.host}, process {run.writer.pid}" if run.writer is not None else ""
        if run.name in jobs and run.state != "done":
            by = f"{by}, job {jobs[run.name].id} {jobs[run.name].state()}"
        counts = (run.most.done, run.most.asked, run.most.failed)
        table.add_row(Text(run.name), Text(f"{run.state}{by}"), *map(str, counts))
    console.print(table)
    for run in runs:
        if run.latest != run.most:
            counted = f"{run.latest.done} are done, {run.latest.failed} failed"
            print_line(console, f"{run.name}: the latest command asked for {run.latest.asked}, of which {counted}")
    waiting = {name for name, task in jobs.items() if task.job is not None}
    left = [run for run in runs if run.state not in ("done", "running") and run.name not in waiting]
    for log in dict.fromkeys(jobs[run.name].files.log for run in left if run.name in jobs):
        if log is not None:
            print_line(console, f"log: {log}")
    requests = [request for run in left for request in (run.most, run.latest) if request.unfinished]
    for command in dict.fromkeys(request.command for request in requests):
        print_line(console, f"to finish: {command}")
    return 1 if left else 0


def _jobs(study: Path, console: Console) -> Mapping[str, Task]:
    """Return the latest job of each run that was submitted to a cluster; none, with a line, if it does not answer."""
    try:
        return latest_tasks(study)
    except UserError as error:
        print_line(console, f"its jobs are not known here: {error}")
        return {}


def _progress_of(study: Path) -> list[Progress]:
    nothing_yet = [(one.folder.path.name, Request(one.samples, 0, 0, one.command)) for one in never_begun(study)]
    begun = [] if nothing_yet and not find_runs(study) else runs_of(study)
    noted = asked_of(begun[0][0].path.parent) if begun else {}
    return [
        *(_progress(folder, run, noted.get(folder.path.name, [])) for folder, run in begun),
        *(Progress(name, request, request, None) for name, request in nothing_yet),
    ]


def _progress(folder: RunFolder, run: Run, noted: Sequence[Asked]) -> Progress:
    """Count what is there of the latest request and of the largest one."""
    found = scan(folder)
    stored = read_stored(SuiteSettings, run.settings["suite"], folder.run_json)
    latest = _counted(stored, found, run.attempts[-1].command)
    more = [one for one in noted if one.samples > latest.asked and _suite_of(one) is not None]
    largest = max(more, key=lambda one: one.samples, default=None)
    suite = None if largest is None else _suite_of(largest)
    most = latest if largest is None or suite is None else _counted(suite, found, largest.command)
    return Progress(folder.path.name, most, latest, current_holder(folder.lock))


def _counted(settings: SuiteSettings, found: Scan, command: str) -> Request:
    suite = Suite(settings)
    return Request(suite.size, suite.count_done(found.done), suite.count_done(found.failed), command)


def _suite_of(asked: Asked) -> SuiteSettings | None:
    """Return the suite of a note, None if it is of a version that this one can't read."""
    try:
        return SuiteSettings.model_validate(asked.suite)
    except ValidationError:
        return None
