"""Packs spread over the GPUs of one machine: a process a pack, each shown only the GPUs that it may take."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, Queue
from threading import Event, Thread

from rich.console import Console

from runner.errors import EXIT_FAILED, EXIT_INTERRUPTED
from runner.pack import Pack, described
from runner.report.console import print_line
from runner.stop import stop_on_signal

_WAIT_S = 0.5  # how late a request to stop is noticed


def spread(packs: Sequence[Pack], gpus: Sequence[str], command: str, console: Console, brief: bool = False) -> int:
    """Run packs side by side, each in a process of its own on as many GPUs as its engine takes.

    Packs start in their order, as soon as enough GPUs are free; one that takes more than there are gets all, and its
    engine says so. On a first Ctrl-C or SIGTERM the processes finish as a single run does and nothing more starts; on
    a second Ctrl-C they are killed. If this process is killed, or its output has no reader any more, they finish too.

    Args:
        packs: What is asked.
        gpus: GPUs as ``CUDA_VISIBLE_DEVICES`` names them.
        command: What the user typed.
        console: Where their output goes, each line with its GPUs in front.
        brief: Whether a point that ends has a line instead of a table.

    Returns:
        The largest exit code of the packs; 130 if it was interrupted.
    """
    with stop_on_signal(_announce) as stop:
        running = _Running(gpus, command, console, brief)
        try:
            return running.run_all(packs, stop)
        except KeyboardInterrupt:
            return EXIT_INTERRUPTED
        finally:
            running.kill()


@dataclass(frozen=True, slots=True, eq=False)
class _Worker:
    process: subprocess.Popen[bytes]
    gpus: tuple[str, ...]


class _Running:
    """The processes at work, and the GPUs that are free."""

    def __init__(self, gpus: Sequence[str], command: str, console: Console, brief: bool) -> None:
        self._free = list(gpus)
        self._count = len(gpus)
        self._command = command
        self._console = console
        self._brief = brief
        self._workers: list[_Worker] = []
        self._ended: Queue[_Worker] = Queue()

    def run_all(self, packs: Sequence[Pack], stop: Event) -> int:
        """Run the packs; return the largest exit code."""
        waiting, code, told = deque(packs), 0, False
        while self._workers or (waiting and not stop.is_set()):
            while waiting and not stop.is_set() and len(self._free) >= self._need(waiting[0]):
                self._start(waiting.popleft())
            if stop.is_set() and not told:
                told = True
                for worker in self._workers:
                    worker.process.send_signal(signal.SIGTERM)
            with suppress(Empty):
                code = max(code, self._reap(self._ended.get(timeout=_WAIT_S)))
        return EXIT_INTERRUPTED if stop.is_set() else code

    def kill(self) -> None:
        """End what still runs at once, with all processes that it started."""
        for worker in self._workers:
            with suppress(ProcessLookupError):
                os.killpg(worker.process.pid, signal.SIGKILL)
            worker.process.wait()

    def _need(self, pack: Pack) -> int:
        return min(pack.gpus, self._count)

    def _start(self, pack: Pack) -> None:
        need = self._need(pack)
        taken, self._free = tuple(self._free[:need]), self._free[need:]
        process = subprocess.Popen(
            [sys.executable, "-m", "runner.worker"],
            env={**os.environ, "CUDA_VISIBLE_DEVICES": ",".join(taken), "PYTHONUNBUFFERED": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # Ctrl-C on the terminal reaches this process alone, which passes it on once
        )
        worker = _Worker(process, taken)
        self._workers.append(worker)
        Thread(target=self._follow, args=(worker,), daemon=True).start()
        asked = described(pack.points, self._command, self._brief)
        assert process.stdin is not None
        with suppress(BrokenPipeError):  # it ended at once; its exit code tells
            process.stdin.write(json.dumps(asked).encode("ascii") + b"\n")
            process.stdin.flush()

    def _follow(self, worker: _Worker) -> None:
        """Print what the process says until it ends; where nobody can be told any more, all are asked to finish."""
        said = worker.process.stdout
        assert said is not None
        try:
            for line in said:
                text = line.decode("utf-8", "replace").rstrip("\n")
                print_line(self._console, f"[GPU {','.join(worker.gpus)}] {text}")
        except (OSError, SystemExit):  # a full disk; rich's answer to a reader that has gone
            os.kill(os.getpid(), signal.SIGTERM)
            for _ in said:  # the process would wait for ever at a full pipe
                pass
        worker.process.wait()
        self._ended.put(worker)

    def _reap(self, worker: _Worker) -> int:
        self._workers.remove(worker)
        self._free += worker.gpus
        assert worker.process.stdin is not None
        with suppress(BrokenPipeError):
            worker.process.stdin.close()
        code = worker.process.returncode
        if code < 0:
            print_line(self._console, f"[GPU {','.join(worker.gpus)}] ended by {signal.Signals(-code).name}")
            return EXIT_FAILED
        return code


def _announce(text: str) -> None:
    """Show a line from a signal handler, where no lock may be taken."""
    with suppress(OSError):
        os.write(2, f"{text}\n".encode())
