"""What became of programs that answer problems: one JSON object a line of ``executions.jsonl``, a program tried once.

A result is kept by the program and its tests, so a verdict can be made from the file at any time without a sandbox.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import logging
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass

from bench.answers import program_of
from bench.grading.visible import visible_text
from bench.problem import AnswerKind, Problem
from bench.verdict import Outcome, Verdict
from runner.results.append import AppendFile
from runner.results.layout import RunFolder

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Execution:
    """What became of one program.

    Attributes:
        key: See :func:`execution_key`.
        passed: Tests that it passed before the first that it did not.
        total: All tests.
        ending: How the first failed test ended: ``wrong`` for another output, else the status of the run, see
            :class:`runner.tools.sandbox.ProgramResult`; ``ok`` where none failed.
        seconds: Of all runs.
    """

    key: str
    passed: int
    total: int
    ending: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Executed:
    """What became of a run's programs so far.

    Attributes:
        results: By key.
        length: Bytes of the file that was read.
    """

    results: Mapping[str, Execution]
    length: int

    def verdict(self, problem: Problem, answer: str, verdict: Verdict) -> Verdict:
        """Return the verdict on a program, the one by the rules where it was not tried.

        Args:
            problem: What was asked.
            answer: The visible answer.
            verdict: By the rules.
        """
        program = program_in(problem, answer)
        found = None if program is None else self.results.get(execution_key(problem, program))
        if found is None or verdict.outcome is not Outcome.UNGRADED:
            return verdict
        outcome = Outcome.CORRECT if found.passed == found.total else Outcome.INCORRECT
        said = f"passed {found.passed} of {found.total} tests"
        said += "" if found.ending == "ok" else f", then {found.ending}"
        return dataclasses.replace(verdict, outcome=outcome, answer=said, rule="executed", reason=None)


def program_in(problem: Problem, answer: str) -> str | None:
    """Return the program in a visible answer, None where there is none or the problem asks for none."""
    return program_of(visible_text(answer)) if problem.answer_kind is AnswerKind.EXECUTED else None


def execution_key(problem: Problem, program: str) -> str:
    """Return 32 hex digits for a program and its tests, which the gold names."""
    text = json.dumps([problem.gold, program], ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:32]


def executed_in(folder: RunFolder) -> Executed | None:
    """Return what became of a run's programs, None where none was tried."""
    if not folder.executions.exists():
        return None
    length = folder.executions.stat().st_size
    return Executed({one.key: one for one in _read(folder)}, length)


def append_execution(folder: RunFolder, execution: Execution) -> None:
    """Store a result; whoever calls it holds the run's lock. What a killed process left of a line is cut off.

    Raises:
        StorageError: the file can't be written.
    """
    line = json.dumps(dataclasses.asdict(execution)).encode("ascii") + b"\n"
    with closing(AppendFile(folder.executions)) as file:
        file.cut_torn()
        file.append(line)


def _read(folder: RunFolder) -> Iterator[Execution]:
    for line in folder.executions.read_bytes().split(b"\n"):
        try:
            if line:
                yield Execution(**json.loads(line))
        except (ValueError, TypeError):
            _log.warning("%s: a line is no result; it is passed over", folder.executions)
