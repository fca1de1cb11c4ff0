"""How far the runs of a study are, read from their files alone."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from pydantic import ValidationError

from runner.config.compose import read_stored
from runner.config.settings import SuiteSettings
from runner.results.asked import Asked, asked_of, never_begun
from runner.results.counts import counted, suite_of
from runner.results.layout import RunFolder, find_runs
from runner.results.lock import Holder, current_holder
from runner.results.record import Record, read_line
from runner.results.run import Run
from runner.results.runs import runs_of

_LATELY_S = 120.0  # over which the speed is taken
_TAIL_BYTES = 1 << 19  # of a file that is looked at for it


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
        folder: The run's folder.
        most: The request for most samples.
        latest: The latest request that had something to do; often the same.
        writers: Who writes there now: one process, or one for each shard that is at work.
        speed: Output tokens a second that were generated in the last two minutes; None if nobody writes.
    """

    folder: RunFolder
    most: Request
    latest: Request
    writers: tuple[Holder, ...] = ()
    speed: float | None = None

    @property
    def name(self) -> str:
        """The name of the run's folder."""
        return self.folder.path.name

    @property
    def state(self) -> str:
        """``running``, ``done``, ``failed`` (all that is left failed), ``part`` or ``queued`` (nothing is there)."""
        requests = (self.most, self.latest)
        if self.writers:
            return "running"
        if not any(request.unfinished for request in requests):
            return "done"
        if not any(request.done + request.failed for request in requests):
            return "queued"
        return "failed" if all(request.done + request.failed >= request.asked for request in requests) else "part"


def progress_of(study: Path) -> list[Progress]:
    """Return how far the runs of a study are: those that began, then those that were asked for and did not.

    Raises:
        UserError: there is no run, or one can't be read.
    """
    nothing_yet = [(one.folder, Request(one.samples, 0, 0, one.command)) for one in never_begun(study)]
    begun = [] if nothing_yet and not find_runs(study) else runs_of(study)
    noted = asked_of(begun[0][0].path.parent) if begun else {}
    return [
        *(_progress(folder, run, noted.get(folder.path.name, [])) for folder, run in begun),
        *(Progress(folder, request, request) for folder, request in nothing_yet),
    ]


def _progress(folder: RunFolder, run: Run, noted: Sequence[Asked]) -> Progress:
    """Count what is there of the latest request and of the largest one."""
    stored = _stored(json.dumps(run.settings["suite"]), folder.run_json)
    latest = _counted(folder, stored, run.attempts[-1].command)
    more = [one for one in noted if one.samples > latest.asked and _noted(one) is not None]
    largest = max(more, key=lambda one: one.samples, default=None)
    suite = None if largest is None else _noted(largest)
    most = latest if largest is None or suite is None else _counted(folder, suite, largest.command)
    parts = [(part, current_holder(part.lock)) for part in folder.parts()]
    writers = tuple(holder for _, holder in parts if holder is not None)
    speed = sum(_speed(part.generations) for part, holder in parts if holder is not None) if writers else None
    return Progress(folder, most, latest, writers, speed)


def _counted(folder: RunFolder, settings: SuiteSettings, command: str) -> Request:
    return Request(suite_of(settings.model_dump_json()).size, *counted(folder, settings), command)


def _speed(generations: Path) -> float:
    """Return the output tokens a second of the samples that ended in the last two minutes, 0 if none did."""
    now = time.time()
    lately = [one for one in _latest(generations) if one.started_s + one.latency_s > now - _LATELY_S]
    if not lately:
        return 0.0
    since = max(now - _LATELY_S, min(one.started_s for one in lately))
    return sum(one.usage.output - one.usage.reused for one in lately) / max(now - since, 1.0)


def _latest(generations: Path) -> list[Record]:
    """Return the records at the end of a file."""
    try:
        with generations.open("rb") as file:
            start = max(0, file.seek(0, 2) - _TAIL_BYTES)
            file.seek(start)
            lines = file.read().split(b"\n")[bool(start) : -1]
    except OSError:
        return []
    found = []
    for line in lines:
        try:
            found.append(read_line(line)[0])
        except ValueError:
            continue
    return found


@lru_cache(maxsize=64)
def _stored(suite: str, where: Path) -> SuiteSettings:
    return read_stored(SuiteSettings, json.loads(suite), where)


def _noted(asked: Asked) -> SuiteSettings | None:
    """Return the suite of a note, None if it is of a version that this one can't read."""
    try:
        return SuiteSettings.model_validate(asked.suite)
    except ValidationError:
        return None
