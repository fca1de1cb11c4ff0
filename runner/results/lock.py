"""One writer a folder, among all machines that see it; what a dead writer held is free.

A claim is a file ``lock.N``. It is written under another name and then linked, which every file system does once or
not at all, so that two machines never make the same one. The highest number counts. It is over when

- its file is empty: the holder let go;
- its holder ran under this kernel, and the system's lock on the file (flock) ended with its process;
- its holder ran elsewhere, and SLURM no longer knows its job, or the file was not touched for two minutes by the file
  server's clock. A holder touches it every ten seconds, and before it writes on after it stood still.

A lock of the system alone is not enough: some shared file systems keep it within one node without saying so.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import secrets
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from threading import Event, Thread
from types import TracebackType

from runner.errors import StorageError, UserError
from runner.results.layout import cannot_write
from runner.slurm.queue import cluster_name, is_over

LASTS_S = 120.0  # without a sign of life; file systems may show one a minute late
_BEAT_S = 10.0
# A writer that is just ending, or a reader that just looks, gets this long to let go.
_PATIENCE_S = 0.3
_PAUSE_S = 0.05
_NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP)

# A forked child inherits the descriptor and would hold the lock on when its parent is killed.
_held: set[int] = set()


def _forget_in_child() -> None:
    for descriptor in _held:
        with suppress(OSError):
            os.close(descriptor)
    _held.clear()


os.register_at_fork(after_in_child=_forget_in_child)


def _now_s() -> float:
    """Return seconds that go on while the machine sleeps, where the system counts them: a holder that slept is late."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


@dataclass(frozen=True, slots=True)
class Holder:
    """Who writes to a folder.

    Attributes:
        host: Name of its machine.
        pid: Its process there.
        since: When it began, ISO 8601 in UTC.
        kernel: What tells its running system from all others.
        cluster: The SLURM cluster that runs it, empty if none does.
        job: Its job there.
    """

    host: str
    pid: int
    since: str
    kernel: str = ""
    cluster: str = ""
    job: str = ""

    @property
    def process(self) -> tuple[str, int]:
        """What tells its process from all others."""
        return self.kernel, self.pid

    @property
    def is_here(self) -> bool:
        """Whether it runs, or ran, under this kernel."""
        return self.kernel == _kernel()


class FolderLock:
    """The right to write to a folder, as a context manager.

    A job that was started again on another machine waits until its first self must be dead if it shows no sign of life.

    Args:
        path: What the lock is called; its folder exists.
        patience_s: How long a living holder is waited for.

    Raises:
        UserError: on entry, somebody else writes there.
        StorageError: on entry, the file can't be made.
    """

    def __init__(self, path: Path, patience_s: float = _PATIENCE_S) -> None:
        self._path = path
        self._patience_s = patience_s
        self._descriptor = -1
        self._number = 0
        self._lost = False
        self._beaten = 0.0
        self._ended = Event()

    def __enter__(self) -> FolderLock:
        try:
            with _draft(self._path) as (draft, descriptor):
                self._acquire(draft)
                self._descriptor = os.dup(descriptor)
        except OSError as error:
            raise StorageError(cannot_write(self._path, error)) from error
        _held.add(self._descriptor)
        for number in _numbers(self._path):
            if number < self._number:
                _claim(self._path, number).unlink(missing_ok=True)
        self._beaten = _now_s()
        Thread(target=self._keep_alive, name="lock", daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        if self._descriptor not in _held:  # a forked child: the lock is its parent's
            return
        _held.discard(self._descriptor)
        with suppress(OSError):
            os.ftruncate(self._descriptor, 0)
        os.close(self._descriptor)

    def check(self) -> None:
        """Refuse to write on if this process stood still for so long that another one took the lock.

        Raises:
            StorageError: it did.
        """
        if _now_s() - self._beaten > LASTS_S / 2:
            self._beat()
        if self._lost:
            stood = f"this process stood still for more than {LASTS_S:.0f} s, and another one writes there now"
            raise StorageError(f"{self._path.parent}: {stood}")
        if _now_s() - self._beaten > LASTS_S:
            silent = f"its lock could not be renewed for more than {LASTS_S:.0f} s, so another one may write there"
            raise StorageError(f"{self._path.parent}: {silent}")

    def _acquire(self, draft: Path) -> None:
        start = _now_s()
        while (holder := self._try(draft)) is not None:
            before = holder.job == os.environ.get("SLURM_JOB_ID") and not holder.is_here
            waits = LASTS_S + _BEAT_S if before else 0.0
            if _now_s() - start > max(self._patience_s, waits):
                raise UserError(taken(self._path, holder))
            time.sleep(_PAUSE_S if waits == 0 else 1.0)

    def _try(self, draft: Path) -> Holder | None:
        """Make the next claim if the latest is over; return who holds that one if it is not."""
        os.utime(draft)
        latest = max(_numbers(self._path), default=0)
        holder = _living(_claim(self._path, latest), draft.stat().st_mtime)
        if holder is not None:
            return holder
        mine = _claim(self._path, latest + 1)
        try:
            os.link(draft, mine)
        except FileExistsError:
            return Holder("unknown", 0, "", _kernel())  # just now; the next look says who
        if max(_numbers(self._path)) > latest + 1:  # this process stood still between looking and linking
            mine.unlink(missing_ok=True)
            return Holder("unknown", 0, "", _kernel())
        self._number = latest + 1
        return None

    def _keep_alive(self) -> None:
        while not self._ended.wait(_BEAT_S) and not self._lost:
            self._beat()

    def _beat(self) -> None:
        try:
            os.utime(_claim(self._path, self._number))
            self._lost = max(_numbers(self._path)) > self._number
        except FileNotFoundError:
            self._lost = True
        except OSError:
            return  # the file server does not answer; it may again before the claim is over
        self._beaten = _now_s()


def current_holder(path: Path) -> Holder | None:
    """Return who holds the lock at ``path`` now, or None; a killed holder holds nothing. SLURM is not asked."""
    try:
        latest = max(_numbers(path), default=0)
        return _living(_claim(path, latest), time.time(), ask=False) if latest else None
    except OSError:
        return None


def taken(path: Path, holder: Holder) -> str:
    """Return the line that says who holds a lock, and what to do."""
    job = f" (job {holder.job})" if holder.job else ""
    who = f"process {holder.pid} on {holder.host}{job} since {holder.since}" if holder.pid else "another process"
    dead = "" if holder.is_here else f" If it was killed, the folder is free {LASTS_S:.0f} s later."
    return f"{path.parent} is being written by {who}. Wait for it, end it, or choose another study=NAME.{dead}"


@contextmanager
def _draft(path: Path) -> Iterator[tuple[Path, int]]:
    """Yield a claim under a name of its own, locked for the system before anybody can see it under its number."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(6)}")
    descriptor = os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        _lock(descriptor, fcntl.LOCK_EX)
        os.write(descriptor, json.dumps(asdict(_me())).encode("ascii"))
        os.fsync(descriptor)  # other nodes see what the file server has
        yield draft, descriptor
    finally:
        os.close(descriptor)
        draft.unlink(missing_ok=True)


def _living(claim: Path, now_s: float, ask: bool = True) -> Holder | None:
    """Return who holds a claim; None if it is over or not there.

    Args:
        claim: Its file.
        now_s: The time by the clock that its file's times are by.
        ask: Whether SLURM may be asked about its job.
    """
    try:
        descriptor = os.open(claim, os.O_RDONLY)
    except FileNotFoundError:
        return None
    try:
        holder = _read(descriptor)
        if holder is None:
            return None
        locked = _lock(descriptor, fcntl.LOCK_SH)
        if locked is False:
            return holder
        if locked and holder.is_here:
            return None
        silent_s = now_s - os.fstat(descriptor).st_mtime
        # A job that starts again has its old number: whether its first self is dead, SLURM can't say.
        known = ask and holder.job not in ("", os.environ.get("SLURM_JOB_ID"))
        if silent_s > LASTS_S or (known and silent_s > 1.5 * _BEAT_S and is_over(holder.cluster, holder.job)):
            return None
        return holder
    finally:
        os.close(descriptor)


def _lock(descriptor: int, kind: int) -> bool | None:
    """Take the system's lock without waiting; False if another process has it, None where there are no such locks."""
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
        return True
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno in _NO_LOCKS:
            return None
        raise


def _numbers(path: Path) -> list[int]:
    """Return the numbers of all claims."""
    names = (entry.name.removeprefix(f"{path.name}.") for entry in os.scandir(path.parent))
    return [int(name) for name in names if name.isdecimal() and name.isascii()]


def _claim(path: Path, number: int) -> Path:
    return path.with_name(f"{path.name}.{number}")


def _me() -> Holder:
    since = datetime.now(UTC).isoformat(timespec="seconds")
    job = os.environ.get("SLURM_JOB_ID", "")
    return Holder(socket.gethostname(), os.getpid(), since, _kernel(), cluster_name() if job else "", job)


@cache
def _kernel() -> str:
    """Return what this running system has alone: names of machines may repeat, and process numbers do."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
    except OSError:  # no Linux
        return socket.gethostname()


def _read(descriptor: int) -> Holder | None:
    try:
        return Holder(**json.loads(os.pread(descriptor, 4096, 0)))
    except (ValueError, TypeError):
        return None
