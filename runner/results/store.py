"""The record of truth: every sample of a run as one line of a file that only grows.

A run that was made in shards has a file for each beside its own; a reader sees them as one.

A sample has one line, or several if it failed before it worked; the last line without an error counts, else the
last one. Token ids lie in a side file, written before the line that points to them: ids without a line, left by
a killed process, are never looked at.
"""

from __future__ import annotations

import json
import logging
import os
import re
from array import array
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import TracebackType

from runner.errors import StorageError, UserError
from runner.results.append import AppendFile, Syncer
from runner.results.layout import RunFolder, Shard, cannot_write
from runner.results.lock import FolderLock, current_holder, taken
from runner.results.record import (
    RECORD_VERSION,
    IdPlaces,
    OtherVersion,
    Record,
    RecordStatus,
    read_line,
    to_json,
)
from runner.results.token_ids import ID_BYTES, add_ids, laid_out

_log = logging.getLogger(__name__)


class GenerationStore:
    """The writing end of a run's generations, as a context manager; it holds the folder's lock.

    Entering makes the folder if missing and cuts off the torn last line that a lost machine may have left.

    Args:
        folder: The run's folder.
        shard: Which of its shards is written; several can be at a time, and the run itself while none is.

    Raises:
        UserError: on entry, somebody else writes there.
        StorageError: on entry, the folder can't be written; on exit, the last samples may not be on the disk.
    """

    def __init__(self, folder: RunFolder, shard: Shard | None = None) -> None:
        self._folder = folder
        self._shard = shard
        self._part = folder.shard(shard)
        self._open = ExitStack()

    def __enter__(self) -> GenerationStore:
        try:
            self._part.path.mkdir(parents=True, exist_ok=True)
            with ExitStack() as opened:
                self._open_files(opened)
                self._open = opened.pop_all()
        except OSError as error:
            raise StorageError(cannot_write(self._part.path, error)) from error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()

    def append(self, record: Record) -> None:
        """Store a sample. A killed process keeps it from here on, a lost machine within about a second.

        Raises:
            StorageError: the disk is full or gone; the files are valid and lack this sample.
            ValueError: the record holds what no line can (NaN, an id that is no unsigned 32-bit integer).
        """
        self._lock.check()
        ids, places = laid_out(record, self._ids.end // ID_BYTES)
        line = to_json(record, places).encode("ascii") + b"\n"
        if ids:
            self._ids.append(ids)
        self._lines.append(line)
        self._syncer.written()

    def _open_files(self, opened: ExitStack) -> None:
        self._lock = opened.enter_context(FolderLock(self._part.lock))
        self._refuse_others()
        self._lines = AppendFile(self._part.generations)
        opened.callback(self._lines.close)
        self._ids = AppendFile(self._part.token_ids)
        opened.callback(self._ids.close)
        _mend(self._lines)
        self._ids.cut(self._ids.end // ID_BYTES * ID_BYTES)
        self._syncer = Syncer((self._ids, self._lines))
        opened.callback(self._syncer.close)

    def _refuse_others(self) -> None:
        """Raise UserError while somebody writes to a part that may hold the same samples as this one.

        Of the shards of this cut each may hold the run's own lock for a while: to open it, and to conclude it.
        """
        count = None if self._shard is None else self._shard.count
        others = [part for part in self._folder.parts() if part != self._part]
        alike = [part for part in others if count is not None and part.path.name.endswith(f"-of-{count}")]
        for part in (part for part in others if part not in alike):
            holder = current_holder(part.lock)
            if holder is None or (part == self._folder and holder.process in _processes(alike)):
                continue
            if current_holder(part.lock) == holder:  # else a shard that ended between the two looks
                raise UserError(taken(part.lock, holder))

    def done_keys(self) -> set[str]:
        """Return the keys of all samples that need not be made again."""
        return set(scan(self._folder).done)


def _processes(parts: Iterable[RunFolder]) -> set[tuple[str, int]]:
    """Return the processes that write to some parts."""
    return {holder.process for part in parts if (holder := current_holder(part.lock)) is not None}


@dataclass(frozen=True, slots=True)
class ReadReport:
    """What stands in a generations file.

    Attributes:
        done: Samples with a line that is no error.
        failed: Samples with error lines alone.
        retried: Error lines that a later line of the same sample replaced.
        duplicates: Further lines of a sample that was done; the last one counts.
        bad: Lines that are no record (garbage, ``null``).
        bytes: Length of all files when they were read.
    """

    done: int
    failed: int
    retried: int
    duplicates: int
    bad: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Scan:
    """Which line counts for each sample.

    Attributes:
        done: Key to the byte at which the line starts, for samples that are done; bytes are counted over all files.
        failed: The same for samples with errors alone.
        report: The counts.
        parts: The files in their order, each with the first byte that is its own.
    """

    done: dict[str, int]
    failed: dict[str, int]
    report: ReadReport
    parts: tuple[tuple[int, RunFolder], ...]

    def starts(self) -> array[int]:
        """Return where the lines that count start, in order."""
        return array("Q", sorted((*self.done.values(), *self.failed.values())))


def scan(folder: RunFolder, problems: Collection[str] | None = None) -> Scan:
    """Read all generations once, a line at a time; memory grows by some 200 bytes a sample.

    It may be done while a writer appends. Bad and duplicate lines are counted and warned about once.

    Args:
        folder: The run's folder.
        problems: Ids; lines that begin as those of other problems are passed over, which takes a tenth of the time,
            and are in no count.

    Raises:
        UserError: a line is a record of another version, which made again would be paid for twice; or the
            generations are no file.
    """
    done: dict[str, int] = {}
    failed: dict[str, int] = {}
    retried = duplicates = bad = end = 0
    parts: list[tuple[int, RunFolder]] = []
    wanted = None if problems is None else {json.dumps(one)[1:-1].encode("ascii") for one in problems}
    for part, line in _lines(folder):
        if not parts or parts[-1][1] is not part:
            parts.append((end, part))
        start, end = end, end + len(line)
        if wanted is not None and (begins := _BEGINNING.match(line)) and begins[1] not in wanted:
            continue
        record = _parse(folder, line)
        if record is None:
            bad += line.endswith(b"\n")  # without it, it is being written or was torn: not there yet
            continue
        key = record[0].key
        if record[0].status is RecordStatus.ERROR:
            retried += key in done or key in failed
            if key not in done:
                failed[key] = start
        else:
            duplicates += key in done
            retried += failed.pop(key, None) is not None
            done[key] = start
    report = ReadReport(len(done), len(failed), retried, duplicates, bad, end)
    _warn(folder.generations, bad, duplicates)
    return Scan(done, failed, report, tuple(parts))


def read(folder: RunFolder, with_ids: bool = False, scanned: Scan | None = None) -> Iterator[Record]:
    """Yield one record for each sample, in the order of their lines.

    Args:
        folder: The run's folder; without generations nothing is yielded.
        with_ids: Also read the token ids; ids that a lost machine took are None.
        scanned: A scan of this file made before, to save a second one.
    """
    found = scanned or scan(folder)
    starts = found.starts()
    firsts = [first for first, _ in found.parts]
    for number, (first, part) in enumerate(found.parts):
        end = bisect_left(starts, firsts[number + 1]) if number + 1 < len(firsts) else len(starts)
        yield from _records(part, (start - first for start in starts[bisect_left(starts, first) : end]), with_ids)


def _records(part: RunFolder, starts: Iterable[int], with_ids: bool) -> Iterator[Record]:
    with ExitStack() as files:
        lines = files.enter_context(part.generations.open("rb"))
        ids = files.enter_context(part.token_ids.open("rb")) if with_ids and part.token_ids.exists() else None
        for start in starts:
            lines.seek(start)
            record, places = read_line(lines.readline())
            yield record if ids is None else add_ids(record, places, ids)


def _lines(folder: RunFolder) -> Iterator[tuple[RunFolder, bytes]]:
    r"""Yield every line of every part; ``\n`` alone ends one."""
    for part in folder.parts():
        path = part.generations
        if not path.exists():
            continue
        if not path.is_file():
            raise UserError(f"{path} is no file; restore it or move its folder away")
        with path.open("rb") as file:
            for line in file:
                yield part, line


# How `to_json` begins a line, up to the end of the problem's id.
_BEGINNING = re.compile(rb'\{"problem_id":"((?:[^"\\]|\\.)*)"')


def _parse(folder: RunFolder, line: bytes) -> tuple[Record, IdPlaces] | None:
    try:
        return read_line(line)
    except OtherVersion as error:
        raise UserError(
            f"{folder.path} holds records of version {error.version}; this program reads {RECORD_VERSION}: use the "
            "version that wrote them, or another study=NAME"
        ) from error
    except ValueError:
        return None


def _mend(file: AppendFile) -> None:
    """Make the file end with a whole line: finish one that lacks its newline alone, cut what is torn."""
    start = file.last_line()
    line = os.pread(file.descriptor, file.end - start, start)
    if not line:
        return
    if not _is_json(line):
        _log.warning("%s: a torn last line of %d bytes was cut off; its sample is done again", file.path, len(line))
        file.cut(start)
    elif not line.endswith(b"\n"):
        file.append(b"\n")


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        return False
    return True


@lru_cache(maxsize=256)
def _warn(path: Path, bad: int, duplicates: int) -> None:
    """Warn about a file, once for the same counts."""
    if bad or duplicates:
        _log.warning(
            "%s: %d lines are no records and %d repeat a sample; the last good one counts", path, bad, duplicates
        )
