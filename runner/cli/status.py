"""How far the runs of a study are, read from their files alone."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from runner.config.compose import read_stored
from runner.config.settings import SuiteSettings
from runner.config.suite import Suite
from runner.report.console import print_line
from runner.results.asked import never_begun
from runner.results.layout import RunFolder, find_runs
from runner.results.load import runs_of
from runner.results.lock import Holder, current_holder
from runner.results.run import Run
from runner.results.store import scan


@dataclass(frozen=True, slots=True)
class Progress:
    """How far one run is.

    Attributes:
        name: The run folder's name.
        asked: Samples that its latest command asked for.
        done: Of these, samples with a good record.
        failed: Of these, samples with errors alone.
        writer: Who writes there now, or None.
        command: What goes on with it.
    """

    name: str
    asked: int
    done: int
    failed: int
    writer: Holder | None
    command: str

    @property
    def state(self) -> str:
        """``running``, ``done``, ``failed`` (all that is left failed), ``part`` or ``queued`` (nothing is there)."""
        if self.writer is not None:
            return "running"
        if self.done >= self.asked:
            return "done"
        if self.done + self.failed == 0:
            return "queued"
        return "failed" if self.done + self.failed >= self.asked else "part"


def show_status(study: Path, console: Console) -> int:
    """Print a row a run and the commands that finish what is not done.

    Returns:
        0 if every run is done or running, else 1.

    Raises:
        UserError: there is no run.
    """
    queued = [Progress(one.folder.path.name, one.samples, 0, 0, None, one.command) for one in never_begun(study)]
    begun = [] if queued and not find_runs(study) else runs_of(study)
    runs = [*(_progress(folder, run) for folder, run in begun), *queued]
    table = Table(title=Text(str(study)), title_justify="left")
    for heading in ("run", "state", "done", "asked", "failed"):
        table.add_column(heading, justify="left" if heading in ("run", "state") else "right")
    for run in runs:
        by = f" on {run.writer.host}, process {run.writer.pid}" if run.writer is not None else ""
        state = f"{run.state}{by}"
        table.add_row(Text(run.name), Text(state), str(run.done), str(run.asked), str(run.failed))
    console.print(table)
    left = [run for run in runs if run.state not in ("done", "running")]
    for command in dict.fromkeys(run.command for run in left):
        print_line(console, f"to finish: {command}")
    return 1 if left else 0


def _progress(folder: RunFolder, run: Run) -> Progress:
    """Count what is there of the samples that the latest command asked for."""
    suite = Suite(read_stored(SuiteSettings, run.settings["suite"], folder.run_json))
    found = scan(folder)
    return Progress(
        name=folder.path.name,
        asked=suite.size,
        done=suite.count_done(found.done),
        failed=suite.count_done(found.failed),
        writer=current_holder(folder.lock),
        command=run.attempts[-1].command,
    )
