"""Decides whether two expressions are equal, and runs hostile checks, in a process that can be killed.

Comparing is math-verify's work. No text can stop or slow the caller for long: the process has :data:`CPU_SECONDS` of
processor time a question and :data:`MEMORY_BYTES` of address space (Linux), and a new one takes its place when it dies.
Measured in processor time, the limit does not depend on what else the machine does. One question is asked at a time,
from whatever thread.
"""

from __future__ import annotations

import json
import math
import os
import selectors
import subprocess
import sys
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

from bench.registry import own_file

if TYPE_CHECKING:
    from bench.task import Task

CPU_SECONDS = 5
MEMORY_BYTES = 2 << 30

# Failures.
MISSING = "math_verify_missing"
TOO_COMPLEX = "too_complex"  # the process died of it
FAILED = "check_failed"  # the check raised an exception

# For a process that neither answers nor uses its processor time; the first ones include importing sympy.
_WALL_SECONDS = 120.0
_ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Found:
    """What came of one question.

    Attributes:
        value: A score in [0, 1]; None where the answer could not be read, or nothing was decided.
        failure: Why nothing was decided, None if it was.
    """

    value: float | None
    failure: str | None = None


def available() -> bool:
    """Return whether expressions can be compared here: the package math-verify is installed."""
    return find_spec("math_verify") is not None


def equal(gold: str, answer: str, *, boxed: bool) -> Found:
    """Return 1.0 where an answer equals the gold as mathematics, else 0.0; no value where it is no mathematics.

    Args:
        gold: LaTeX.
        answer: LaTeX where it stood in a box; else a text that holds it.
        boxed: Whether it stood in a box.
    """
    if not available():
        return Found(None, MISSING)
    return _worker().ask({"gold": gold, "answer": answer, "boxed": boxed})


def check(task: type[Task], data: Any, answer: str) -> Found:
    """Return the score of a task's own check.

    Args:
        task: Its class.
        data: A value that JSON can hold.
        answer: The visible answer.
    """
    own = own_file(task)
    file = None if own is None else str(own)
    return _worker().ask({"task": task.name, "file": file, "data": data, "answer": answer})


def as_score(value: Any) -> float:
    """Return a check's result as a number.

    Raises:
        ValueError: it is none in [0, 1].
    """
    if not isinstance(value, int | float) or not math.isfinite(value) or not 0 <= value <= 1:
        raise ValueError(f"a score has to be a number from 0 to 1, not {value!r:.40}")
    return float(value)


class Worker:
    """The process, started with the first question and again after each death.

    Args:
        cpu_seconds: Processor time of one question.
    """

    def __init__(self, cpu_seconds: float = CPU_SECONDS) -> None:
        self._cpu_seconds = cpu_seconds
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0

    def ask(self, question: dict[str, Any]) -> Found:
        """Return the answer to a question; never raises, and takes no longer than the limits."""
        reply: dict[str, Any] | None = None
        with self._lock:
            try:
                with suppress(OSError, ValueError, TypeError, RecursionError):  # it died, or JSON can't hold the data
                    reply = self._exchange({"cpu_seconds": self._cpu_seconds, **question})
            finally:
                if reply is None:  # also where Ctrl-C came: a late reply would be taken for the next question's
                    self._end()
        return Found(None, TOO_COMPLEX) if reply is None else Found(reply.get("value"), reply.get("failure"))

    @property
    def process_id(self) -> int | None:
        """Its process, None before the first question and after a death."""
        return None if self._process is None else self._process.pid

    def _exchange(self, question: dict[str, Any]) -> dict[str, Any] | None:
        line = json.dumps(question).encode("ascii") + b"\n"
        process = self._started()
        assert process.stdin is not None
        process.stdin.write(line)
        process.stdin.flush()
        answer = _read_line(process, time.monotonic() + _WALL_SECONDS)
        return None if answer is None else json.loads(answer)

    def _started(self) -> subprocess.Popen[bytes]:
        """Return the running process; after a fork the parent's is left alone."""
        if self._process is not None and self._owner == os.getpid() and self._process.poll() is None:
            return self._process
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(_ROOT), os.environ.get("PYTHONPATH", "")))}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "bench.grading.symbolic_process"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment,
        )  # fmt: skip
        self._owner = os.getpid()
        return self._process

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None and self._owner == os.getpid():
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                with suppress(OSError):  # what was not written yet has no reader any more
                    cast("IO[bytes]", pipe).close()


def _read_line(process: subprocess.Popen[bytes], deadline: float) -> bytes | None:
    """Return a line of the process, None where it ends or the deadline passes first."""
    assert process.stdout is not None
    descriptor, read = process.stdout.fileno(), b""
    with selectors.DefaultSelector() as selector:  # select.select refuses descriptors from 1,024 on
        selector.register(descriptor, selectors.EVENT_READ)
        while not read.endswith(b"\n"):
            left = deadline - time.monotonic()
            if left <= 0 or not selector.select(left):
                return None
            part = os.read(descriptor, 1 << 16)
            if not part:
                return None
            read += part
    return read


@cache
def _worker() -> Worker:
    return Worker()
