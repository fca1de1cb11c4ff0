"""Watches a running call: takes its output, feeds its input, and says which limit it hit."""

from __future__ import annotations

import os
import select
import signal
import time
from collections import deque

from .limits import Limits, alone
from .processes import Use, reap

TICK_S = 0.02  # how often a call's use of memory, processor and disk is looked at
MOST_OUTPUT = 64 << 20  # bytes; a call that prints more is ended
MOST_FILES = 10_000  # a file without content costs no disk, but a kilobyte of the kernel's memory
FOLDERS = ("/tmp", "/dev/shm")  # all that a call can write to


class Collector:
    """Keeps the beginning and the end of a stream, ``limit`` bytes together; the middle is counted and let go."""

    def __init__(self, fd: int, limit: int) -> None:
        self.fd = fd
        self.total = 0
        self._head = bytearray()
        self._end: deque[bytes] = deque()
        self._end_size = 0
        self._end_limit = limit // 4
        self._head_limit = limit - self._end_limit
        os.set_blocking(fd, False)

    def read(self) -> bool:
        """Take what is there now; return False at the end of the stream."""
        try:
            data = os.read(self.fd, 1 << 16)
        except BlockingIOError:
            return True
        self.total += len(data)
        room = self._head_limit - len(self._head)
        self._head += data[:room]
        self._end.append(data[room:])
        self._end_size += len(self._end[-1])
        while len(self._end) > 1 and self._end_size - len(self._end[0]) >= self._end_limit:
            self._end_size -= len(self._end.popleft())
        return bool(data)

    def drain(self) -> None:
        """Take all that is there, up to what counts as too much."""
        before = -1
        while before != self.total < MOST_OUTPUT:
            before = self.total
            self.read()

    def kept(self) -> bytes:
        """Return what is kept, with a note where something was left out."""
        end = b"".join(self._end)
        end = end[max(0, len(end) - self._end_limit) :]
        lost = self.total - len(self._head) - len(end)
        note = f"\n[... {lost} bytes left out ...]\n".encode() if lost else b""
        return bytes(self._head) + note + end


class Alarm:
    """A descriptor that can be read when a process has ended."""

    def __init__(self) -> None:
        self.fd, wakeup = os.pipe()
        os.set_blocking(self.fd, False)
        os.set_blocking(wakeup, False)
        signal.set_wakeup_fd(wakeup, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def reset(self) -> None:
        """Forget what was said."""
        try:
            os.read(self.fd, 1 << 16)
        except BlockingIOError:
            return


class Feed:
    """Bytes on their way into a program's standard input, which is closed behind them."""

    def __init__(self, fd: int, data: bytes) -> None:
        self._fd: int | None = fd
        self._rest = memoryview(data)
        os.set_blocking(fd, False)
        self.push()

    @property
    def waiting(self) -> list[int]:
        """The descriptor, while there is something to write."""
        return [] if self._fd is None else [self._fd]

    def push(self) -> None:
        """Write what fits."""
        if self._fd is None:
            return
        try:
            self._rest = self._rest[os.write(self._fd, self._rest[: 1 << 16]) :]
        except BlockingIOError:
            return
        except BrokenPipeError:  # the program does not read it
            self._rest = self._rest[:0]
        if not self._rest:
            self.close()

    def close(self) -> None:
        """Close the descriptor, whatever is left."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None


class Watch:
    """Watches one call until it ends by itself or by a limit, or nobody waits for it any more.

    Attributes:
        code: Exit code of the call's process once it ended, negative for a signal.
    """

    def __init__(self, limits: Limits, child: int, streams: list[Collector], alarm: Alarm, link: int) -> None:
        self.code: int | None = None
        self._link = link
        self._limits, self._child, self._streams, self._alarm = limits, child, streams, alarm
        self._use = Use(child)
        self._cpu_before_s = self._use.cpu_s
        self._deadline = time.monotonic() + limits.wall_s

    def wait(self, feed: Feed, done: int | None = None) -> str:
        """Return ``ended`` with the process, ``done`` once that descriptor speaks, the limit that was hit, or ``gone``.

        The link to whoever asked says nothing during a call; when it can be read, they have hung up.
        """
        streams = {stream.fd: stream for stream in self._streams}
        listened = [self._alarm.fd, self._link, *([] if done is None else [done])]
        looked = time.monotonic()
        while True:
            ready, writable, _ = select.select([*streams, *listened], feed.waiting, [], TICK_S)
            for fd in ready:
                if fd in streams and not streams[fd].read():
                    del streams[fd]
            if writable:
                feed.push()
            if self._alarm.fd in ready:
                self._alarm.reset()
                self.code = reap(self._child)
                if self.code is not None:
                    return "ended"
            if done in ready:
                return "done"
            if self._link in ready:
                return "gone"
            if time.monotonic() - looked >= TICK_S:
                looked = time.monotonic()
                if limit := self._limit():
                    return limit

    def _limit(self) -> str:
        """Return which limit is hit, empty if none."""
        self._use.look()
        over = {
            "time": time.monotonic() > self._deadline,
            "cpu": self._use.cpu_s - self._cpu_before_s > self._limits.cpu_s,
            "memory": self._use.memory > self._limits.memory,
            "processes": self._use.tasks > self._limits.processes + 1,
            "files": alone() and _files() > MOST_FILES,
            "output": sum(stream.total for stream in self._streams) > MOST_OUTPUT,
        }
        return next((name for name, hit in over.items() if hit), "")


def _files() -> int:
    states = [os.statvfs(folder) for folder in FOLDERS]
    return sum(state.f_files - state.f_ffree for state in states)
