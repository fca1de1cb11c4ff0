"""Submits what is missing of a sweep, and nothing that is in the queue already."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from runner.errors import EXIT_FAILED, StorageError, UserError
from runner.pack import described
from runner.point import Pending, Point, pending
from runner.report.console import print_line
from runner.results.lock import FolderLock
from runner.slurm import source
from runner.slurm.executor import PackExecutor
from runner.slurm.packing import Work, arrays_of, works_of
from runner.slurm.queue import largest_array, require
from runner.slurm.settings import SlurmSettings
from runner.slurm.state import Task, live_tasks
from runner.slurm.submission import Packed, Submission, create, slurm_folder
from runner.slurm.wait import wait_for
from runner.sweep import complain, note_sweep, studies_of

_LISTED = 30  # packs that a plan lists one by one


def submit_sweep(settings: SlurmSettings, points: Sequence[Point], command: str, console: Console) -> int:
    """Submit what is missing of points that have passed all checks; with ``wait`` show the jobs until they ended.

    Returns:
        0 if all is submitted; with ``wait`` 0 if every sample is there, 1 if some are missing, 130 after Ctrl-C.

    Raises:
        UserError: there is no SLURM, it refuses the jobs, or somebody else submits to the study.
    """
    if settings.dry_run and not points[0].settings.plan:
        for study, asked in studies_of(points).items():
            _show_scripts(study, works_of(_missing(asked), settings), settings, console)
        return 0
    code = note_sweep(points, command, console)
    if code is not None:
        return code
    require()
    try:
        for study, asked in studies_of(points).items():
            _submit_study(study, asked, settings, command, console)
    except StorageError as error:
        return complain(str(error), EXIT_FAILED)
    if settings.wait:
        return wait_for(points, command, console)
    for study in studies_of(points):
        print_line(console, f"how far they are: python -m runner status {study}")
    return 0


def _submit_study(
    study: Path, points: Sequence[Point], settings: SlurmSettings, command: str, console: Console
) -> None:
    slurm_folder(study).mkdir(parents=True, exist_ok=True)
    with FolderLock(slurm_folder(study) / "lock"):
        missing = _missing(points)
        live = _Live(live_tasks(study))
        print_line(console, f"study {study}: {len(points)} points, {len(points) - len(missing)} of them complete")
        if busy := [each for each in missing if live.jobs(each.point)]:
            jobs = ", ".join(sorted(set().union(*(live.jobs(each.point) for each in busy))))
            print_line(console, f"{len(busy)} points are queued or running already, in job {jobs}")
        works = works_of([each for each in missing if not live.wholly(each.point)], settings, live.shards)
        if works:
            _show_works(works, console)
        for array in arrays_of(works, largest_array() if len(works) > 1 else 1):
            job = _submit(study, array, settings, command)
            print_line(console, f"submitted job {job.job}: {_counted(array)}; logs: {job.folder}")


class _Live:
    """Which points, and which shards of points, wait or run.

    Args:
        tasks: All tasks that do.

    Attributes:
        shards: Shards, by the folder of their run.
    """

    def __init__(self, tasks: Sequence[Task]) -> None:
        self._tasks: dict[Path, list[Task]] = {}
        for task in tasks:
            for name in task.points:
                self._tasks.setdefault(task.submission.study / name, []).append(task)
        self.shards = {(path, task.shard) for path, live in self._tasks.items() for task in live if task.shard}

    def jobs(self, point: Point) -> set[str]:
        """Return the arrays that have a task of the point."""
        return {task.id.partition("_")[0] for task in self._of(point)}

    def wholly(self, point: Point) -> bool:
        """Whether nothing of the point can be submitted beside its tasks: all but shards of the same number."""
        alike = (task.shard is not None and task.shard.count == point.settings.shards for task in self._of(point))
        return not all(alike)

    def _of(self, point: Point) -> Sequence[Task]:
        return self._tasks.get(point.folder.path, ())


def _missing(points: Sequence[Point]) -> list[Pending]:
    return [each for each in map(pending, points) if each.count]


def _submit(study: Path, array: Sequence[Work], settings: SlurmSettings, command: str) -> Submission:
    packs = [_packed(work.points, command) for work in array]
    submission = create(study, command, packs, settings.requeues, settings.notice, source.digest())
    try:
        copied = source.environment(submission.folder / "source") if settings.snapshot else {}
        if settings.snapshot:
            source.snapshot(submission.folder / "source")
        executor = PackExecutor(submission.folder, settings, array[0].gpus, len(array), copied)
        job = executor.sbatch()
    except (UserError, StorageError):
        shutil.rmtree(submission.folder)
        raise
    return submission.with_job(job)  # from here on the queued job needs the folder, whatever fails


def _packed(points: Sequence[Point], command: str) -> Packed:
    return [point.folder.path.name for point in points], described(points, command, len(points) > 1)


def _show_scripts(study: Path, works: Sequence[Work], settings: SlurmSettings, console: Console) -> None:
    """Print the plan and the script of each array; SLURM is not asked."""
    if not works:
        print_line(console, f"study {study}: nothing to submit, every point is complete")
        return
    _show_works(works, console)
    for array in arrays_of(works, len(works)):
        folder = slurm_folder(study) / f"{study.name}-dry-run"
        copied = source.environment(folder / "source") if settings.snapshot else {}
        executor = PackExecutor(folder, settings, array[0].gpus, len(array), copied)
        print_line(console, executor.script())


def _show_works(works: Sequence[Work], console: Console) -> None:
    table = Table(title=Text(f"{len(works)} packs, one job each"), title_justify="left")
    for heading in ("model", "precision", "engine"):
        table.add_column(heading)
    for heading in ("points", "samples", "GPUs"):
        table.add_column(heading, justify="right")
    for work in works[:_LISTED]:
        first = work.points[0].settings
        names = (first.model.name, first.precision.name, first.engine.name)
        table.add_row(*map(Text, names), str(len(work.points)), str(work.samples), str(work.gpus))
    if len(works) > _LISTED:
        table.add_row(f"and {len(works) - _LISTED} more")
    table.add_section()
    points, samples, gpus = (sum(column) for column in zip(*map(_figures, works), strict=True))
    table.add_row("all", "", "", str(points), str(samples), str(gpus))
    console.print(table, highlight=False)


def _figures(work: Work) -> tuple[int, int, int]:
    return len(work.points), work.samples, work.gpus


def _counted(works: Sequence[Work]) -> str:
    points = sum(len(work.points) for work in works)
    return f"{len(works)} packs with {points} points, GPUs for each: {works[0].gpus}"
