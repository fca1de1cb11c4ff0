"""What was submitted, as files beside the runs: ``outputs/<study>/.slurm/<submission>/``, a job array each.

``submission.json`` says what was asked and which points each task holds, ``pack-N.json`` holds the settings that task
N runs, ``pack-N.starts.json`` how often it started and how it ended; beside them lie its logs. A job is known by its
name, which is the submission's, so that a submitter that is killed before it hears the job's number loses nothing.
"""

from __future__ import annotations

import json
import os
import secrets
import socket
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from runner.errors import UserError
from runner.results.layout import Shard, write_atomic

_FOLDER = ".slurm"
Packed = tuple[Sequence[str], Mapping[str, Any]]  # names of the runs' folders, and what :mod:`runner.worker` is told


@dataclass(frozen=True, slots=True)
class Submission:
    """A job array.

    Attributes:
        folder: Where its files lie; its name is the name of the jobs.
        command: What the user typed.
        created: When, ISO 8601 in UTC.
        requeues: How often a task may start again.
        notice: Seconds that a task has from being told to stop until it is killed.
        packs: The names of the run folders of each task.
        shards: Which shard of them each task makes: how many there are and its index; None for whole runs.
        source: The program that was submitted, see :func:`runner.slurm.source.digest`.
        job: The array's number, None if the submitter was killed before it heard of it.
    """

    folder: Path
    command: str
    created: str
    requeues: int
    notice: int
    packs: tuple[tuple[str, ...], ...]
    shards: tuple[Shard | None, ...]
    source: str
    job: str | None = None

    @property
    def study(self) -> Path:
        """The study's folder."""
        return self.folder.parent.parent

    @property
    def name(self) -> str:
        """What its jobs are called."""
        return self.folder.name

    def with_job(self, job: str) -> Submission:
        """Return it with the array's number, which is stored."""
        numbered = replace(self, job=job)
        numbered.save()
        return numbered

    def save(self) -> None:
        """Store it.

        Raises:
            StorageError: the folder can't be written.
        """
        fields = {name: value for name, value in asdict(self).items() if name != "folder"}
        fields["shards"] = [shard and (shard.count, shard.index) for shard in self.shards]
        _write(self.folder / "submission.json", fields)

    def task(self, index: int) -> TaskFiles:
        """Return the files of a task."""
        return TaskFiles(self.folder, index)


@dataclass(frozen=True, slots=True)
class Start:
    """One start of a task.

    Attributes:
        job: ``array_index``.
        host: Where it ran.
        since: When, ISO 8601 in UTC.
    """

    job: str
    host: str
    since: str


@dataclass(frozen=True, slots=True)
class History:
    """What a task left behind.

    Attributes:
        starts: Every start, the latest last.
        code: Exit code of the latest one; None while it runs, and after it was killed.
    """

    starts: tuple[Start, ...] = ()
    code: int | None = None


@dataclass(frozen=True, slots=True)
class TaskFiles:
    """The files of one task of an array.

    Attributes:
        folder: The submission's.
        index: The task's number in the array.
    """

    folder: Path
    index: int

    @property
    def pack(self) -> Path:
        """What it runs: one line of JSON, as :mod:`runner.worker` reads it."""
        return self.folder / f"pack-{self.index}.json"

    @property
    def log(self) -> Path | None:
        """Its log, None as long as it did not start."""
        return next(iter(sorted(self.folder.glob(f"*_{self.index}_0_log.out"))), None)

    def history(self) -> History:
        """Return its starts and its end; none if the file is not there or can't be read."""
        try:
            fields = json.loads(self._starts.read_bytes())
            return History(tuple(Start(**start) for start in fields["starts"]), fields["code"])
        except (OSError, ValueError, KeyError, TypeError):
            return History()

    def begin(self) -> int:
        """Note a start of this process's job; return how many there were."""
        job = f"{os.environ.get('SLURM_ARRAY_JOB_ID', '')}_{self.index}"
        start = Start(job, os.environ.get("SLURMD_NODENAME", socket.gethostname()), _now())
        starts = (*self.history().starts, start)
        self._save(History(starts))
        return len(starts)

    def end(self, code: int) -> None:
        """Note how the latest start ended."""
        self._save(replace(self.history(), code=code))

    @property
    def _starts(self) -> Path:
        return self.folder / f"pack-{self.index}.starts.json"

    def _save(self, history: History) -> None:
        _write(self._starts, asdict(history))


def create(
    study: Path, command: str, packs: Sequence[Packed], requeues: int, notice: int, source: str = ""
) -> Submission:
    """Write the files of an array that is about to be submitted.

    Args:
        study: The study's folder.
        command: What the user typed.
        packs: What each task runs.
        requeues: See :class:`Submission`.
        notice: See there.
        source: See there.

    Raises:
        StorageError: the study's folder can't be written.
    """
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    folder = slurm_folder(study) / f"{study.name}-{stamp}-{secrets.token_hex(2)}"
    names = tuple(tuple(names) for names, _ in packs)
    shards = tuple(_shard(told) for _, told in packs)
    submission = Submission(folder, command, _now(), requeues, notice, names, shards, source)
    for index, (_, told) in enumerate(packs):
        _write(submission.task(index).pack, told)
    submission.save()
    return submission


def submissions(study: Path) -> list[Submission]:
    """Return what was submitted of a study, the oldest first; what can't be read is passed over."""
    read = [_readable(path.parent) for path in slurm_folder(study).glob("*/submission.json")]
    return sorted((one for one in read if one is not None), key=lambda one: (one.created, one.name))


def load(folder: Path) -> Submission:
    """Return a submission.

    Raises:
        UserError: its file is not there or can't be read.
    """
    path = folder / "submission.json"
    try:
        fields = json.loads(path.read_bytes())
        packs = tuple(map(tuple, fields.pop("packs")))
        shards = tuple(_shard({"shard": shard}) for shard in fields.pop("shards"))
        return Submission(folder=folder, packs=packs, shards=shards, **fields)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UserError(f"{path} can't be read ({error}); submit again") from error


def slurm_folder(study: Path) -> Path:
    """Return where the submissions of a study lie."""
    return study / _FOLDER


def _shard(told: Mapping[str, Any]) -> Shard | None:
    return None if told["shard"] is None else Shard(*told["shard"])


def _readable(folder: Path) -> Submission | None:
    try:
        return load(folder)
    except UserError:
        return None


def _write(path: Path, fields: Mapping[str, Any]) -> None:
    write_atomic(path, json.dumps(fields, allow_nan=False).encode("ascii"))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
