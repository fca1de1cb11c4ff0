"""The two kinds of call: a program in a fresh process, and a cell of a session that keeps its variables."""

from __future__ import annotations

import os
import signal
import struct
from typing import NamedTuple

from .child import become_child, run_as_main, run_cells
from .limits import Limits, alone
from .processes import end_all, signal_all
from .watch import Alarm, Collector, Feed, Watch


class Reply(NamedTuple):
    """How a call ended.

    Attributes:
        status: ``ok``, ``raised`` (an error, or an exit code other than 0), ``signal``, ``exit`` (a session's process
            ended), or the limit that was hit: ``time``, ``cpu``, ``memory``, ``processes``, ``files``, ``output``.
        code: Exit code, negative for a signal.
        out: Standard output; with the errors where they are not apart.
        err: Standard error where it is apart.
    """

    status: str
    code: int
    out: bytes
    err: bytes = b""


def run_program(limits: Limits, source: str, stdin: str, apart: bool, alarm: Alarm, link: int) -> Reply:
    """Run a program in a fresh process; when it returns, no process of it is left."""
    out, out_w = os.pipe()
    err, err_w = os.pipe() if apart else (out, out_w)
    feed_r, feed_w = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            become_child(limits, feed_r, out_w, err_w, limits.cpu_s)
            run_as_main(source)
        finally:
            os._exit(1)  # nothing of the parent's code may go on here
    for fd in {out_w, err_w, feed_r}:
        os.close(fd)
    streams = [Collector(out, limits.output), *([Collector(err, limits.output)] if apart else [])]
    watch = Watch(limits, child, streams, alarm, link)
    feed = Feed(feed_w, stdin.encode("utf-8", "surrogatepass"))
    status = watch.wait(feed)
    feed.close()
    code = _end(watch, child)
    for stream in streams:
        stream.drain()
        os.close(stream.fd)
    kept = [stream.kept() for stream in streams]
    return Reply(_ending(code) if status == "ended" else status, code, *kept)


def _end(watch: Watch, child: int) -> int:
    """End all that is left of a call; return the exit code of its process."""
    code = end_all(child)
    return watch.code if watch.code is not None else code or 0


def _ending(code: int) -> str:
    if code == -signal.SIGXCPU:
        return "cpu"
    return "ok" if code == 0 else "raised" if code > 0 else "signal"


class Session:
    """An interpreter that keeps its variables; between two calls all of its processes stand still."""

    def __init__(self, limits: Limits, alarm: Alarm, link: int) -> None:
        self._limits, self._alarm, self._link = limits, alarm, link
        source_r, self._source = os.pipe()
        self._done, done_w = os.pipe()
        self._out, out_w = os.pipe()
        null = os.open(os.devnull, os.O_RDONLY)
        self._child = os.fork()
        if self._child == 0:
            try:
                become_child(limits, null, out_w, out_w, None, keep=(source_r, done_w))
                run_cells(source_r, done_w)
            finally:
                os._exit(1)  # nothing of the parent's code may go on here
        for fd in (source_r, done_w, out_w, null):
            os.close(fd)
        os.set_blocking(self._done, False)

    def cell(self, source: str) -> Reply:
        """Run a cell. After any status but ``ok`` and ``raised`` the session is over."""
        self._forget()
        stream = Collector(self._out, self._limits.output)
        watch = Watch(self._limits, self._child, [stream], self._alarm, self._link)
        signal_all(signal.SIGCONT, self._child)
        data = source.encode("utf-8", "surrogatepass")
        feed = Feed(os.dup(self._source), struct.pack(">I", len(data)) + data)
        status = watch.wait(feed, self._done)
        feed.close()
        if status == "done" and (word := self._word()):  # none at the end of the stream: its process is ending
            if alone():
                signal_all(signal.SIGSTOP, self._child)
            stream.drain()
            return Reply("ok" if word == b"k" else "raised", 0, stream.kept())
        code = _end(watch, self._child)
        stream.drain()
        for fd in (self._source, self._done, self._out):
            os.close(fd)
        return Reply("exit" if status in ("ended", "done") else status, code, stream.kept())

    def end(self) -> None:
        """End the session's processes."""
        end_all(self._child)

    def _forget(self) -> None:
        """Drop what was said and printed since the last call ended: it belongs to no call."""
        Collector(self._out, 0).drain()
        while self._word():
            continue

    def _word(self) -> bytes:
        try:
            return os.read(self._done, 1)
        except BlockingIOError:
            return b""
