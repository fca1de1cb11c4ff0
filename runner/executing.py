"""Runs the programs that answer problems on their tests, in a sandbox each, and keeps what became of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass

from rich.console import Console

import bench
from bench.problem import Problem
from bench.stored.contest import Case, passes, runnable
from bench.stored.livecodebench import LiveCodeBench
from runner.config.settings import Settings
from runner.config.suite import Suite
from runner.errors import UserError
from runner.report.console import print_line
from runner.results.executions import Execution, append_execution, executed_in, execution_key, program_in
from runner.results.grading import problem_of
from runner.results.layout import RunFolder
from runner.results.record import Record, RecordStatus
from runner.results.store import read
from runner.tools.launch import Limits, SandboxKind
from runner.tools.sandbox import Sandbox
from runner.tools.usable import choose

# A test's limits. The seconds of processor time are LiveCodeBench's; those of the clock are many more, so that a busy
# machine makes no program wrong.
_LIMITS = Limits(cpu_s=6.0, wall_s=60.0, memory_mib=1024, disk_mib=16, processes=16, output_bytes=16 << 20)


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A program that was not tried yet."""

    key: str
    program: str
    tests: str


def execute_run(folder: RunFolder, settings: Settings, console: Console) -> int:
    """Try every program of a run that was not tried before; whoever calls it holds the run's lock.

    Returns:
        How many programs could not be tried, because the sandbox was lost twice.

    Raises:
        UserError: there is no usable sandbox, or the set's file can't be had.
        StorageError: the results can't be written.
    """
    waiting = list(_waiting(folder, settings.model.family))
    if not waiting:
        print_line(console, "no program waits for its tests")
        return 0
    kind = choose(settings.tools.sandbox)
    tests = _tests(settings, {one.tests for one in waiting})
    print_line(console, f"running {len(waiting)} programs on their tests, sandbox: {kind.value}")
    lost = 0
    for one in waiting:
        if one.tests not in tests:
            raise UserError(
                f"the set's file lacks the tests {one.tests[:8]} of this run; give the file that it asked from"
            )
        result = _tried(one, tests[one.tests], kind) or _tried(one, tests[one.tests], kind)
        if result is None:
            lost += 1
        else:
            append_execution(folder, result)
    return lost


def _waiting(folder: RunFolder, family: str) -> Iterator[_Waiting]:
    executed = executed_in(folder)
    known = set() if executed is None else set(executed.results)
    for record in read(folder):
        problem = None if record.status is RecordStatus.ERROR else problem_of(record)
        program = None if problem is None else program_in(problem, _answer(record, family))
        if problem is None or program is None or (key := execution_key(problem, program)) in known:
            continue
        known.add(key)
        yield _Waiting(key, program, _named_tests(problem))


def _answer(record: Record, family: str) -> str:
    end = record.finish_reason.value
    return bench.split_thinking(record.text, finish_reason=end, prompt_tail=record.prompt_tail, family=family).answer


def _named_tests(problem: Problem) -> str:
    return str(problem.gold)


def _tests(settings: Settings, wanted: set[str]) -> dict[str, list[Case]]:
    found: dict[str, list[Case]] = {}
    for task in Suite(settings.suite).tasks.values():
        if isinstance(task, LiveCodeBench):
            try:
                found |= task.tests(wanted)
            except (OSError, ValueError) as error:
                raise UserError(f"{task.path}: {error}") from error
    return found


def _tried(one: _Waiting, tests: list[Case], kind: SandboxKind) -> Execution | None:
    """Return what became of a program, None where the sandbox was lost; the first failed test ends it."""
    seconds = 0.0
    with closing(Sandbox(kind, _LIMITS)) as sandbox:
        for passed, test in enumerate(tests):
            ran = sandbox.run(runnable(one.program, test), test.given, apart=True)
            seconds += ran.seconds
            if ran.status == "sandbox":
                return None
            if not ran.ok or not passes(test, ran.stdout):
                ending = "wrong" if ran.ok else ran.status
                return Execution(one.key, passed, len(tests), ending, round(seconds, 3))
    return Execution(one.key, len(tests), len(tests), "ok", round(seconds, 3))
