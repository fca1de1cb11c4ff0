"""Grades the texts of other harnesses; see :mod:`runner.results.foreign` for what a line may hold."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from rich.console import Console
from rich.table import Table
from rich.text import Text

import bench
from bench.problem import write_gold
from bench.verdict import Outcome, Verdict
from runner.config.settings import Scoring
from runner.errors import EXIT_USAGE, UserError
from runner.report.console import make_console, print_line, visible_line
from runner.results.foreign import BadLine, Foreign, lines_of, read_foreign, whole_file_fault
from runner.results.grading import grader_version, verdict_on
from runner.results.output import STANDARD_OUTPUT, writing

_STANDARD_INPUT = "-"
_SHOWN = 20  # bad lines that are named; the rest is counted


@dataclass(slots=True)
class _TaskCount:
    n: int = 0
    correct: int = 0
    unparsed: int = 0
    followed: int = 0


@dataclass(slots=True)
class _Tally:
    """What is kept of a file: its size does not grow with the file's.

    Attributes:
        tasks: Counts by task.
        rules: Answers found, and right ones, by rule.
        reasons: Why nothing was read.
        bad: Lines that could not be graded.
    """

    tasks: dict[str, _TaskCount] = field(default_factory=dict)
    rules: dict[str, list[int]] = field(default_factory=dict)
    reasons: Counter[str] = field(default_factory=Counter)
    bad: int = 0

    def count(self, task: str, verdict: Verdict) -> None:
        right = verdict.outcome is Outcome.CORRECT
        row = self.tasks.setdefault(task, _TaskCount())
        row.n += 1
        row.correct += right
        row.unparsed += verdict.outcome is Outcome.UNPARSED
        row.followed += verdict.instruction_followed
        if verdict.rule is not None:
            found = self.rules.setdefault(verdict.rule, [0, 0])
            found[0] += 1
            found[1] += right
        if verdict.reason is not None:
            self.reasons[verdict.reason] += 1


def grade_file(path: Path, out: str | None, task: str | None, scoring: Scoring) -> int:
    """Grade a file's lines, write a verdict for each text and print what they come to.

    Args:
        path: JSON lines; ``-`` for standard input.
        out: Where the verdicts go as JSON lines; ``-`` for standard output, where the table then goes to standard
            error; None for ``FILE.verdicts.jsonl`` beside the file, or for standard output where the texts come from
            standard input, a pipe or a device.
        task: For lines that name none.
        scoring: Who decides.

    Returns:
        0, or 2 if some lines could not be graded; they are named, and the others' verdicts are written.

    Raises:
        UserError: the file can't be read, is the one to be written, is no JSON lines, or holds nothing that can be
            graded; a file of verdicts that is there stays.
        StorageError: the verdicts can't be written.
    """
    target = _target(path) if out is None else out
    to_file = target != STANDARD_OUTPUT
    console, errors, tally = make_console(errors=not to_file), make_console(errors=True), _Tally()
    with _opened(path) as source:
        if target and _is_same(source, Path(target)):
            raise UserError(f"--out {visible_line(target)}: that is the file with the texts; give another name")
        with writing(target, "--out") as written:
            _grade_lines(source, written, _Reader(visible_line(path), task, scoring, tally, errors))
    _show(tally, console)
    if to_file:
        print_line(console, f"verdicts: {visible_line(target)}")
    if tally.bad:
        print_line(errors, f"{visible_line(path)}: {tally.bad} lines could not be graded and are in no figure")
    return EXIT_USAGE if tally.bad else 0


def _target(path: Path) -> str:
    """Return where the verdicts go if nobody says so."""
    if str(path) == _STANDARD_INPUT or (path.exists() and not path.is_file() and not path.is_dir()):
        return STANDARD_OUTPUT
    return str(path.parent / f"{path.name}.verdicts.jsonl")


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    if str(path) == _STANDARD_INPUT:
        yield sys.stdin.buffer
        return
    try:
        source = path.open("rb")
    except OSError as error:
        raise UserError(f"{visible_line(path)} can't be read: {error.strerror}") from error
    with source:
        yield source


def _is_same(source: BinaryIO, target: Path) -> bool:
    """Whether the target is the very file that is read, under whatever name."""
    return target.is_file() and os.path.samestat(os.fstat(source.fileno()), target.stat())


@dataclass(frozen=True, slots=True)
class _Reader:
    """How the lines of one file are read.

    Attributes:
        name: The file's, as it is shown.
        task: For lines that name none.
        scoring: Who decides.
        tally: What they come to.
        errors: Where bad lines are named.
    """

    name: str
    task: str | None
    scoring: Scoring
    tally: _Tally
    errors: Console


def _grade_lines(source: BinaryIO, written: TextIO, reader: _Reader) -> None:
    """Write a verdict for each text.

    Raises:
        UserError: the file as a whole can't be graded, or none of its lines.
    """
    first = True
    for number, line in lines_of(source):
        if first and (fault := whole_file_fault(line)):
            raise UserError(f"{reader.name} {fault}")
        first = False
        try:
            foreign = read_foreign(line, reader.task)
        except BadLine as error:
            reader.tally.bad += 1
            if reader.tally.bad <= _SHOWN:
                print_line(reader.errors, f"{reader.name}, line {number}: {visible_line(f'{error!s:.300}')}")
            continue
        for row in _verdicts(foreign, number, reader.scoring, reader.tally):
            written.write(json.dumps(row) + "\n")
    if first:
        raise UserError(f"{reader.name} holds no texts; nothing was graded and nothing is written")
    if not reader.tally.tasks:
        raise UserError(f"{reader.name}: none of its {reader.tally.bad} lines could be graded; nothing is written")


def _verdicts(foreign: Foreign, number: int, scoring: Scoring, tally: _Tally) -> Iterator[dict[str, Any]]:
    problem = foreign.problem
    for place, text in enumerate(foreign.responses, 1):
        thinking = bench.split_thinking(text, finish_reason=foreign.finish_reason, family=foreign.family)
        verdict = verdict_on(problem, text, thinking, foreign.finish_reason, scoring)
        tally.count(problem.task, verdict)
        yield {
            "line": number,
            "id": foreign.id,
            "response": place,
            "task": problem.task,
            "outcome": verdict.outcome.value,
            "score": verdict.score,
            "answer": verdict.answer,
            "gold": write_gold(problem.gold),
            "rule": verdict.rule,
            "reason": verdict.reason,
            "instruction_followed": verdict.instruction_followed,
            "grader_version": grader_version(scoring),
            "scoring": scoring.value,
        }


def _show(tally: _Tally, console: Console) -> None:
    table = Table()
    for place, heading in enumerate(("task", "n", "correct", "accuracy", "instr.", "unparsed")):
        table.add_column(heading, justify="right" if place else "left")
    for task, row in tally.tasks.items():
        shares = [f"{row.correct / row.n:.3f}", f"{row.followed / row.n:.3f}"]
        table.add_row(Text(task), str(row.n), str(row.correct), *shares, str(row.unparsed))
    console.print(table)
    rules = sorted(tally.rules.items(), key=lambda item: -item[1][0])
    found = ", ".join(f"{rule} {count} ({right} right)" for rule, (count, right) in rules)
    print_line(console, f"answers found by rule: {found or 'none'}")
    if tally.reasons:
        print_line(console, "unparsed by reason: " + ", ".join(f"{why} {n}" for why, n in tally.reasons.most_common()))
