"""Trajectories on disk: the token ids that the points of a study share, in a file that only grows.

A frame is a header with the length and checksum of what follows, the run's name and the ids. A torn or broken frame
ends the file: what comes after it is cut off before writing and never read.
"""

from __future__ import annotations

import hashlib
import logging
import struct
import sys
from array import array
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from io import FileIO
from pathlib import Path
from types import TracebackType
from zlib import crc32

from runner.engines.base import LoadedModel
from runner.engines.trajectory import KeptInMemory, Piece, Trajectory
from runner.errors import StorageError, UserError
from runner.results.append import AppendFile, Syncer
from runner.results.layout import Shard, cannot_write
from runner.results.lock import FolderLock

# Mark, key, first position, number of ids, ended, bytes of the run's name, checksum of ids; then one of all that.
_HEADER = struct.Struct("<4s16sIIBHI")
_CHECK = struct.Struct("<I")
_HEAD_BYTES = _HEADER.size + _CHECK.size
_MARK = b"TRJ1"
_ID_BYTES = 4

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Frame:
    """Where a piece lies."""

    key: bytes
    start: int  # position of its first id in the trajectory
    place: int  # byte of its first id in the file
    count: int  # of ids
    ended: bool
    crc: int
    run: str
    file: FileIO | None = None  # None: the process's own

    @property
    def end(self) -> int:
        return self.place + self.count * _ID_BYTES


class TrajectoryFile:
    """Trajectories of one loaded model in a study, as a context manager; see :class:`Trajectories`.

    One process writes to the file. A second one reads what is there and keeps what it adds in memory. Memory grows by
    some 300 bytes a piece; ids are read when they are asked for.

    Args:
        path: The file, see :func:`trajectory_path`.
        others: Files that are read too, in the state in which they are on entry.

    Raises:
        StorageError: on entry, the file can't be made.
    """

    def __init__(self, path: Path, others: Sequence[Path] = ()) -> None:
        self._path = path
        self._others = others
        self._frames: dict[bytes, tuple[_Frame, ...]] = {}
        self._added = KeptInMemory()  # of a process that may not write
        self._added_keys: set[bytes] = set()
        self._open = ExitStack()
        self._file: AppendFile | None = None

    def __enter__(self) -> TrajectoryFile:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with ExitStack() as opened:
                self._open_files(opened)
                self._open = opened.pop_all()
        except OSError as error:
            raise StorageError(cannot_write(self._path, error)) from error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()

    def get(self, key: bytes) -> Trajectory:
        """Return what is known of a trajectory; a damaged piece is not, nor what stands on it."""
        if key in self._added_keys:
            return self._added.get(key)
        trajectory = Trajectory()
        for frame in self._frames.get(key, ()):
            ids = self._ids(frame)
            if ids is not None and frame.start <= len(trajectory.ids):
                trajectory = trajectory.extended(frame.start, Piece(ids, frame.ended, frame.run))
        return trajectory

    def extend(self, key: bytes, start: int, piece: Piece) -> None:
        """Put a piece behind the first ``start`` ids. A killed process keeps it from here on.

        A full disk is no error: no result needs the file, so what comes then is kept in memory, with a warning.

        Raises:
            ValueError: an id is no unsigned 32-bit integer.
        """
        if self._file is not None and self._append(self._file, key, start, piece):
            return
        before = self.get(key)
        self._added_keys.add(key)
        for own in before.pieces:
            self._added.extend(key, len(self._added.get(key).ids), own)
        self._added.extend(key, start, piece)

    def _append(self, file: AppendFile, key: bytes, start: int, piece: Piece) -> bool:
        frame, data = _framed(key, start, piece, file.end)
        try:
            self._lock.check()
            file.append(data)
            self._syncer.written()
        except StorageError as error:
            self._give_up(error)
            return False
        self._remember(frame)
        return True

    def _give_up(self, error: StorageError) -> None:
        _log.warning("%s Until then this process shares its texts in memory.", error)
        self._file = None

    def _open_files(self, opened: ExitStack) -> None:
        try:
            self._lock = opened.enter_context(FolderLock(self._path.with_suffix(".lock")))
        except UserError:
            _log.info("%s belongs to another process; what is added here is kept in memory", self._path)
        else:
            self._file = AppendFile(self._path)
            opened.callback(self._file.close)
        for path in self._others:
            other = opened.enter_context(path.open("rb", buffering=0))
            for frame in _frames(other):
                self._remember(replace(frame, file=other))
        if self._path.exists():
            self._reading = opened.enter_context(self._path.open("rb", buffering=0))
            self._scan(self._reading)
        if self._file is not None:
            self._syncer = Syncer((self._file,))
            opened.callback(self._close_syncer)

    def _close_syncer(self) -> None:
        try:
            self._syncer.close()
        except StorageError as error:
            self._give_up(error)

    def _scan(self, file: FileIO) -> None:
        end = 0
        for frame in _frames(file):
            self._remember(frame)
            end = frame.end
        if self._file is not None and end < self._file.end:
            _log.warning("%s: %d torn bytes at the end were cut off", self._path, self._file.end - end)
            self._file.cut(end)

    def _remember(self, frame: _Frame) -> None:
        before = self._frames.get(frame.key, ()) if frame.start else ()
        self._frames[frame.key] = (*before, frame)

    def _ids(self, frame: _Frame) -> tuple[int, ...] | None:
        file = frame.file or self._reading
        file.seek(frame.place)
        data = file.read(frame.count * _ID_BYTES)
        if len(data) < frame.count * _ID_BYTES or crc32(data) != frame.crc:
            return None
        return tuple(_little_endian(array("I", data)))


def trajectory_path(study: Path, loaded: LoadedModel, shard: Shard | None = None) -> Path:
    """Return the file of a study for one loaded model: processes that load others write to files of their own.

    So do shards: budgets of one model find their texts in the file of the same shard.
    """
    parts = (loaded.engine, loaded.model_revision, loaded.weight_bits, loaded.weight_format, loaded.compute_dtype)
    name = hashlib.sha256("\n".join(map(str, parts)).encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return study / "trajectories" / f"{name}{'' if shard is None else f'-{shard}'}.ids"


def further_trajectories(path: Path) -> list[Path]:
    """Return the files of the same model that other shards of a run wrote, or the whole run."""
    loaded = path.stem.partition("-")[0]
    return sorted(other for other in path.parent.glob(f"{loaded}*.ids") if other != path)


def _framed(key: bytes, start: int, piece: Piece, end: int) -> tuple[_Frame, bytes]:
    """Return the frame of a piece that is appended at byte ``end``, and its bytes."""
    try:
        ids = _little_endian(array("I", piece.ids)).tobytes()
    except (OverflowError, TypeError) as error:
        raise ValueError(f"token ids are unsigned 32-bit integers: {error}") from error
    run, crc = piece.run.encode("utf-8", "surrogatepass"), crc32(ids)
    head = _HEADER.pack(_MARK, key, start, len(piece.ids), piece.ended, len(run), crc)
    place = end + _HEAD_BYTES + len(run)
    frame = _Frame(key, start, place, len(piece.ids), piece.ended, crc, piece.run)
    return frame, head + _CHECK.pack(crc32(head + run)) + run + ids


def _frames(file: FileIO) -> Iterator[_Frame]:
    """Yield the frames up to the first that is torn; reads their heads alone."""
    size = file.seek(0, 2)
    at = 0
    while at + _HEAD_BYTES <= size:
        file.seek(at)
        head = file.read(_HEAD_BYTES)
        mark, key, start, count, ended, run_bytes, crc = _HEADER.unpack_from(head)
        run = file.read(run_bytes) if mark == _MARK else b""
        if mark != _MARK or _CHECK.unpack_from(head, _HEADER.size)[0] != crc32(head[: _HEADER.size] + run):
            return
        frame = _Frame(
            key, start, at + _HEAD_BYTES + run_bytes, count, bool(ended), crc, run.decode("utf-8", "surrogatepass")
        )
        if frame.end > size:
            return
        yield frame
        at = frame.end


def _little_endian(ids: array[int]) -> array[int]:
    if sys.byteorder == "big":
        ids.byteswap()
    return ids
