"""The process that :mod:`bench.grading.symbolic` asks: a JSON object a line in, one a line out, until the end."""

from __future__ import annotations

import importlib
import json
import logging
import os
import resource
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from bench.grading.symbolic import FAILED, MEMORY_BYTES, as_score
from bench.registry import add_folder, make_task
from bench.verdict import Unreadable


def main() -> None:
    """Answer questions; each may use so much processor time, then the system ends the process."""
    with suppress(ValueError, OSError):  # macOS has no limit on address space
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for number in (signal.SIGINT, signal.SIGTERM):  # sent to all of a group or a job whose caller may finish its work
        signal.signal(number, signal.SIG_IGN)
    logging.disable(logging.CRITICAL)
    replies = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="ascii")
    sys.stdout = sys.stderr  # whatever a library prints is no reply
    for line in sys.stdin.buffer:
        question = json.loads(line)
        _prepare(question)
        # The timer's signal ends the process, in native code too.
        signal.setitimer(signal.ITIMER_PROF, question.pop("cpu_seconds"))
        reply = _answered(question)
        signal.setitimer(signal.ITIMER_PROF, 0)
        replies.write(json.dumps(reply) + "\n")
        replies.flush()


def _prepare(question: dict[str, Any]) -> None:
    """Import what takes seconds once, outside the question's own time; what fails here fails again as the question."""
    if "gold" in question:
        with suppress(Exception):
            importlib.import_module("math_verify")


def _answered(question: dict[str, Any]) -> dict[str, Any]:
    try:
        value = _equal(**question) if "gold" in question else _score(**question)
    except Unreadable:
        value = None
    except Exception:
        return {"failure": FAILED}
    return {"value": value}


def _equal(gold: str, answer: str, boxed: bool) -> float | None:
    from math_verify import parse, verify

    wanted = _boxed(gold)
    given = _boxed(answer) if boxed else answer
    if " ".join(gold.split()) == " ".join(answer.split()):
        return 1.0
    golds, answers = parse(wanted, parsing_timeout=None), parse(given, parsing_timeout=None)
    if not answers:
        return None
    return float(verify(golds, answers, timeout_seconds=None))


def _boxed(text: str) -> str:
    return rf"\boxed{{{text}}}"


def _score(task: str, file: str | None, data: Any, answer: str) -> float:
    if file is not None and file not in _known:
        add_folder(Path(file).parent)
        _known.add(file)
    made = make_task(task)
    return as_score(made.check(made.read_data(data), answer))


_known: set[str] = set()


if __name__ == "__main__":
    main()
