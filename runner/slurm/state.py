"""How far the jobs of a study are, by the files that they leave and by SLURM's queue."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from runner.results.layout import Shard
from runner.slurm.queue import Job, ends_of, jobs_in_queue
from runner.slurm.submission import History, Submission, TaskFiles, submissions


@dataclass(frozen=True, slots=True)
class Task:
    """A task of an array, as it stands.

    Attributes:
        submission: The array.
        files: Its files.
        points: Names of the run folders of its points.
        history: Its starts and its end.
        job: What SLURM's queue says, None if it is not there.
        end: How SLURM's accounting says that it was ended, None where that is not known or was not asked.
    """

    submission: Submission
    files: TaskFiles
    points: tuple[str, ...]
    history: History
    job: Job | None
    end: str | None = None

    @property
    def shard(self) -> Shard | None:
        """Which shard of its points it makes, None if it makes them whole."""
        return self.submission.shards[self.files.index]

    @property
    def id(self) -> str:
        """Its job, ``array_index``."""
        if self.job is not None:
            return self.job.id
        if self.history.starts:
            return self.history.starts[-1].job
        return f"{self.submission.job}_{self.files.index}"

    def state(self) -> str:
        """Return where it runs, why it waits or how it ended."""
        if self.job is not None and self.job.running:
            return f"running on {self.job.note}"
        if self.job is not None:
            again = f"start {len(self.history.starts) + 1}, " if self.history.starts else ""
            return f"queued: {again}{self.job.note}"
        if self.history.code is not None:
            return "ended" if self.history.code == 0 else f"failed with exit code {self.history.code}"
        if self.submission.job is None and not self.history.starts:
            return "never submitted"
        return (self.end or "cancelled or killed").lower()


def live_tasks(study: Path) -> list[Task]:
    """Return the tasks of a study that wait or run.

    Raises:
        UserError: SLURM does not answer.
    """
    return [task for task in _tasks(_unended(study)) if task.job is not None]


def latest_tasks(study: Path) -> dict[str, list[Task]]:
    """Return the latest task of every point that was ever submitted, by the name of its run's folder.

    There are several where the latest ones make shards of the run, one for each shard.

    Raises:
        UserError: SLURM does not answer.
    """
    latest: dict[str, dict[Shard | None, Task]] = {}
    for task in _tasks(submissions(study)):
        for name in task.points:
            count = task.shard and task.shard.count
            before = latest.get(name, {})
            latest[name] = {key: one for key, one in before.items() if key and key.count == count}
            latest[name][task.shard] = task
    found = [task for tasks in latest.values() for task in tasks.values()]
    killed = {task.id for task in found if task.job is None and task.history.code is None}
    ends = ends_of(job.partition("_")[0] for job in killed)
    return {name: [replace(one, end=ends.get(one.id)) for one in tasks.values()] for name, tasks in latest.items()}


def _unended(study: Path) -> list[Submission]:
    """Return the submissions that have a task without an exit code; SLURM is asked for no others."""
    return [
        one
        for one in submissions(study)
        if any(one.task(index).history().code is None for index in range(len(one.packs)))
    ]


def _tasks(found: Iterable[Submission]) -> list[Task]:
    listed = list(found)
    queue = jobs_in_queue(one.name for one in listed)
    return [
        Task(one, one.task(index), points, one.task(index).history(), queue.get((one.name, index)))
        for one in listed
        for index, points in enumerate(one.packs)
    ]
