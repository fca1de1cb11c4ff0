"""What process 1 does to and knows of the other processes of the sandbox."""

from __future__ import annotations

import os
import resource
import signal
from collections.abc import Callable

from .limits import alone


def signal_all(number: int, child: int) -> None:
    """Send a signal to every process but this one; the kernel does it at one stroke, so no fork slips through."""
    if alone():
        _send(os.kill, -1, number)
    elif not _send(os.killpg, child, number):  # without a sandbox -1 would be every process of the user
        _send(os.kill, child, number)  # just forked, it leads no group yet


def _send(send: Callable[[int, int], None], receiver: int, number: int) -> bool:
    try:
        send(receiver, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def reap(child: int) -> int | None:
    """Collect dead processes; return the exit code of ``child`` if it is among them."""
    code = None
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return code
        if pid == 0:
            return code
        if pid == child:
            code = os.waitstatus_to_exitcode(status)


def end_all(child: int) -> int | None:
    """Kill every other process and wait until all are gone; return the exit code of ``child`` if it was still there."""
    code, which = None, -1 if alone() else child
    while True:
        signal_all(signal.SIGKILL, child)
        try:
            pid, status = os.waitpid(which, 0)
        except ChildProcessError:
            return code
        if pid == child:
            code = os.waitstatus_to_exitcode(status)


class Use:
    """What all other processes use together, from /proc; where that is missing, what ended processes used.

    Attributes:
        cpu_s: Processor seconds, of those that ended as well.
        memory: Bytes that belong to no file; what two processes share counts twice.
        tasks: Threads of all processes.
    """

    def __init__(self, child: int) -> None:
        self._child = child
        self._tick = os.sysconf("SC_CLK_TCK")
        self.cpu_s = 0.0
        self.memory = 0
        self.tasks = 0
        self.look()

    def look(self) -> None:
        """Take the measure anew."""
        ended = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.cpu_s, self.memory, self.tasks = ended.ru_utime + ended.ru_stime, 0, 0
        for pid in self._pids():
            try:
                with open(f"/proc/{pid}/stat", "rb") as file:
                    stat = file.read().rpartition(b")")[2].split()
                with open(f"/proc/{pid}/status", "rb") as file:
                    lines = file.read().split(b"\n")
            except OSError:  # it has just ended
                continue
            self.cpu_s += sum(map(int, stat[11:15])) / self._tick  # utime, stime, cutime, cstime of proc(5)
            self.tasks += int(stat[17])
            kept = (b"RssAnon:", b"RssShmem:", b"VmSwap:")
            self.memory += sum(int(line.split()[1]) << 10 for line in lines if line.startswith(kept))

    def _pids(self) -> list[str]:
        if alone():
            return [name for name in os.listdir("/proc") if name.isdigit() and name != "1"]
        return [str(self._child)]
