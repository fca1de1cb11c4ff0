"""One writer a folder: a lock of the operating system, which ends with its process however that ends."""

from __future__ import annotations

import fcntl
import json
import os
import socket
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType

from runner.errors import StorageError, UserError
from runner.results.layout import cannot_write

# A writer that is just ending, or a reader that just looks, gets this long to let go.
_PATIENCE_S = 0.3
_PAUSE_S = 0.05

# A forked child inherits the descriptor and would hold the lock on when its parent is killed.
_held: set[int] = set()


def _forget_in_child() -> None:
    for descriptor in _held:
        with suppress(OSError):
            os.close(descriptor)
    _held.clear()


os.register_at_fork(after_in_child=_forget_in_child)


@dataclass(frozen=True, slots=True)
class Holder:
    """Who writes to a folder.

    Attributes:
        host: Name of its machine.
        pid: Its process there.
        since: When it began, ISO 8601 in UTC.
    """

    host: str
    pid: int
    since: str


class FolderLock:
    """The right to write to a folder, as a context manager. It holds between the processes of one machine.

    Args:
        path: The lock's file; its folder exists.

    Raises:
        UserError: on entry, somebody else writes there.
        StorageError: on entry, the file can't be made, or its file system has no locks.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor = -1

    def __enter__(self) -> FolderLock:
        try:
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            raise StorageError(cannot_write(self._path, error)) from error
        try:
            self._acquire(descriptor)
        except BaseException:
            os.close(descriptor)
            raise
        self._descriptor = descriptor
        _held.add(descriptor)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._descriptor not in _held:  # a forked child: the lock is its parent's
            return
        _held.discard(self._descriptor)
        with suppress(OSError):
            os.ftruncate(self._descriptor, 0)
        os.close(self._descriptor)

    def _acquire(self, descriptor: int) -> None:
        try:
            if not _try_lock(descriptor):
                raise UserError(_taken(self._path, _read(descriptor)))
            _write(descriptor)
        except OSError as error:
            raise StorageError(cannot_write(self._path, error)) from error


def current_holder(path: Path) -> Holder | None:
    """Return who holds the lock at ``path`` now, or None; a killed holder holds nothing."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return None
    except BlockingIOError:
        return _read(descriptor) or Holder("unknown", 0, "")
    except OSError:
        return None
    finally:
        os.close(descriptor)


def _try_lock(descriptor: int) -> bool:
    deadline = time.monotonic() + _PATIENCE_S
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if time.monotonic() > deadline:
                return False
            time.sleep(_PAUSE_S)


def _write(descriptor: int) -> None:
    since = datetime.now(UTC).isoformat(timespec="seconds")
    holder = Holder(socket.gethostname(), os.getpid(), since)
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, json.dumps(asdict(holder)).encode(), 0)


def _read(descriptor: int) -> Holder | None:
    try:
        return Holder(**json.loads(os.pread(descriptor, 4096, 0)))
    except (ValueError, TypeError, OSError):
        return None


def _taken(path: Path, holder: Holder | None) -> str:
    who = f"process {holder.pid} on {holder.host} since {holder.since}" if holder else "another process"
    return f"{path.parent} is being written by {who}. Wait for it, end it, or choose another study=NAME."
