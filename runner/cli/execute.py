"""``python -m runner execute STUDY``: runs stored programs on the tests of their problems and shows what is right."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console

from runner.config.compose import read_stored
from runner.config.settings import Settings
from runner.errors import EXIT_FAILED
from runner.executing import execute_run
from runner.report.console import print_line, visible_line
from runner.report.terminal import show_summary
from runner.results.grading import make_tasks_known
from runner.results.lock import FolderLock
from runner.results.runs import runs_of
from runner.results.summary import summarise


def execute_study(study: Path, out: Console) -> int:
    """Try the programs of a study's runs that were not tried before, and show each run's table.

    Args:
        study: A study's folder, or a run's.
        out: Where to say it.

    Returns:
        0, or 1 if a program could not be tried.

    Raises:
        UserError: no such run, no usable sandbox, or no file with the tests.
        StorageError: a run's folder can't be written.
    """
    lost = 0
    for folder, run in runs_of(study):
        make_tasks_known(run)
        settings = read_stored(Settings, run.settings, folder.run_json)
        with FolderLock(folder.lock):
            missed = execute_run(folder, settings, out)
        if missed:
            print_line(
                out, f"{visible_line(folder.path.name)}: {missed} programs could not be tried: their sandbox was lost"
            )
        lost += missed
        show_summary(summarise(folder, settings.scoring), folder, out)
    return EXIT_FAILED if lost else 0
