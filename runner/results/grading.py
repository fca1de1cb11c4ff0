"""From a stored sample to its verdict: all that later stations need to know of it, without its text."""

from __future__ import annotations

import hashlib
import inspect
import json
import logging
from functools import cache
from pathlib import Path
from typing import Any, TypedDict

import bench
from bench.grade import GRADER_VERSION, grade_split
from bench.problem import Problem, data_digest, write_gold
from bench.registry import add_folder, task_class
from bench.task import Task
from bench.verdict import Outcome
from runner.errors import UserError
from runner.results.record import Record, RecordStatus
from runner.results.run import Run
from runner.sampling.generation import FinishReason

# Raised when the columns of a verdict change, or which samples get one.
_LAYOUT = 2
_EARLIER_WORDINGS = 10_000

_log = logging.getLogger(__name__)


class VerdictRow(TypedDict):
    """One sample with its verdict, a row of ``verdicts-*.parquet``.

    Attributes:
        problem_id: With ``repeat`` the sample.
        task: Task name.
        category: The task's category.
        fold: Fold of the problem.
        index: Index within task and fold.
        repeat: 0 for the first sample of a problem.
        status: See :class:`runner.results.record.RecordStatus`.
        outcome: See :class:`bench.verdict.Outcome`; None for an error, which is no answer and gets no verdict.
        correct: Whether the outcome is ``correct``; None without a verdict, as all that follows from one.
        answer: The answer that was read, canonical text.
        gold: The exact answer, canonical text.
        rule: The rule that found the answer.
        reason: Why nothing was read, or why there is no verdict: ``unreadable_data`` where the stored data is damaged
            or not what the problem's id names,
            ``grader_failed`` where the task or the grader raised an exception.
        instruction_followed: Whether the visible answer holds a readable closed box.
        thinking_state: See :class:`bench.thinking.ThinkingState`.
        prompt_tokens: Of the rendered prompt.
        thinking_tokens: Strictly between the markers.
        answer_tokens: Output that is neither thinking nor marker.
        output_tokens: All that the model produced.
        injected_tokens: Forced into the text; in no other count.
        usage_source: How the tokens were counted; figures of different sources are not comparable.
        words: Words of the final message, thinking included, separated by white space.
        characters: Unicode code points of it.
        latency_s: Seconds from submission to the end.
        finish_reason: Why the text ended.
        max_tokens: The cap that acted, None if unknown.
        failure_kind: Short name of the error.
        facts: The problem's difficulty facts as JSON.
    """

    problem_id: str
    task: str
    category: str
    fold: int
    index: int
    repeat: int
    status: str
    outcome: str | None
    correct: bool | None
    answer: str | None
    gold: str | None
    rule: str | None
    reason: str | None
    instruction_followed: bool | None
    thinking_state: str | None
    prompt_tokens: int
    thinking_tokens: int
    answer_tokens: int
    output_tokens: int
    injected_tokens: int
    usage_source: str
    words: int
    characters: int
    latency_s: float
    finish_reason: str
    max_tokens: int | None
    failure_kind: str | None
    facts: str


def grading_fingerprint() -> str:
    """Return 16 hex digits that change whenever the same texts may get other verdicts."""
    text = json.dumps([GRADER_VERSION, _LAYOUT])
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:16]


@cache
def task_fingerprint(task: str) -> str:
    """Return 16 hex digits that change whenever a task may put or answer the same data in another way.

    Tasks of this package say so by their versions; a user's task file counts with every byte, as it was when it was
    first asked about in this process.

    Raises:
        ValueError: there is no such task.
    """
    found = task_class(task)
    own = "" if found.__module__.startswith("bench.") else _file_hash(Path(inspect.getfile(found)))
    text = json.dumps([task, found.data_version, found.wording_version, own])
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:16]


def _file_hash(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return "gone"


def grade_record(record: Record, family: str | None = None) -> VerdictRow:
    """Return the verdict on one sample.

    A fault of the task's or the grader's code is logged once a task and leaves the sample ungraded: it must cost
    neither a text that was generated nor the verdicts of the others.

    Args:
        record: The sample. An error is not graded; cut and refused texts are.
        family: The model's family, which may tell how its thinking is marked.

    Raises:
        UserError: the task is unknown here.
    """
    try:
        return _graded(record, _problem(record), family)
    except UserError:
        raise
    except Exception as error:
        _warn_of_fault(record, error)
        return _ungraded(record, "grader_failed")


def problem_of(record: Record) -> Problem | None:
    """Return the problem that a stored sample answers, or None if it can't be made again from its data.

    Raises:
        UserError: the task is unknown here.
    """
    try:
        return _problem(record)
    except UserError:
        raise
    except Exception:  # a user's task may fail in any way
        return None


def _graded(record: Record, problem: Problem | None, family: str | None) -> VerdictRow:
    if problem is None:
        return _ungraded(record, "unreadable_data")
    row = _facts_of(record, problem)
    if record.status is RecordStatus.ERROR:
        return row
    text, end, tail = record.text, record.finish_reason.value, record.prompt_tail
    thinking = bench.split_thinking(text, finish_reason=end, prompt_tail=tail, family=family)
    verdict = grade_split(problem, thinking, ended=record.finish_reason is FinishReason.STOP)
    row["outcome"] = verdict.outcome.value
    row["correct"] = verdict.outcome is Outcome.CORRECT
    row["answer"] = _encodable(verdict.answer)
    row["rule"] = verdict.rule
    row["reason"] = verdict.reason
    row["instruction_followed"] = verdict.instruction_followed
    row["thinking_state"] = thinking.state.value
    return row


def _ungraded(record: Record, reason: str) -> VerdictRow:
    """Return the row of a sample whose problem is not to be had; an error stays an error."""
    row = _facts_of(record, None)
    if record.status is not RecordStatus.ERROR:
        row["outcome"], row["reason"] = Outcome.UNGRADED.value, reason
    return row


def _facts_of(record: Record, problem: Problem | None) -> VerdictRow:
    """Return the row of a sample before its verdict."""
    text, usage = record.text, record.usage
    return VerdictRow(
        problem_id=record.problem_id,
        task=record.task,
        category=_category(record.task),
        fold=record.fold,
        index=record.index,
        repeat=record.repeat,
        status=record.status.value,
        outcome=None,
        correct=None,
        answer=None,
        gold=None if problem is None else _encodable(write_gold(problem.gold)),
        rule=None,
        reason=None,
        instruction_followed=None,
        thinking_state=None,
        prompt_tokens=usage.prompt,
        thinking_tokens=usage.thinking,
        answer_tokens=usage.answer,
        output_tokens=usage.output,
        injected_tokens=usage.injected,
        usage_source=usage.source,
        words=len(text.split()),
        characters=len(text),
        latency_s=record.latency_s,
        finish_reason=record.finish_reason.value,
        max_tokens=record.max_tokens,
        failure_kind=None if record.failure is None else _encodable(record.failure.kind),
        facts="{}" if problem is None else json.dumps(dict(problem.facts)),
    )


def _problem(record: Record) -> Problem | None:
    """Return the problem of a sample, or None if its task has no answer for its data or the id names other data."""
    try:
        task = task_class(record.task)
    except ValueError as error:
        raise UserError(f"task {record.task!r} of a stored sample is unknown here: {error}") from error
    try:
        if not _names_data(record.problem_id, task, record.data):
            raise ValueError("its data is not what its id names")
        return bench.problem_from_data(record.task, record.data)
    except ValueError as error:
        _warn_of_fault(record, error)
        return None


def _names_data(problem_id: str, task: type[Task], data: Any) -> bool:
    """Whether a problem's id ends in the digest of this data, in the task's present wording or an earlier one.

    Earlier wordings asked about the same data, so their samples are graded as well. Versions rise; the nearest earlier
    ones are tried, so that one such as 20261130 costs no millions of tries.
    """
    digest, now = problem_id.rpartition(":")[2], task.wording_version
    wordings = (now, *range(now - 1, max(now - _EARLIER_WORDINGS, 0), -1))
    return any(data_digest(task.name, wording, data) == digest for wording in wordings)


@cache
def _category(task: str) -> str:
    return str(task_class(task).category)


_faulty: set[str] = set()


def _warn_of_fault(record: Record, error: Exception) -> None:
    """Warn about the first fault of each task."""
    if record.task not in _faulty:
        _faulty.add(record.task)
        fault = f"{type(error).__name__}: {error}"
        _log.warning("%s can't be graded (%s); no other such sample of %s is named", record.key, fault, record.task)


def _encodable(text: str | None) -> str | None:
    """Return ``text`` with lone surrogates as escapes: a table holds UTF-8 only."""
    return None if text is None else text.encode("utf-8", "backslashreplace").decode("utf-8")


def make_tasks_known(run: Run) -> str:
    """Load the run's own task files, if it has any, and return the model's family.

    Raises:
        UserError: the files can't be read.
    """
    tasks = run.settings["suite"]["task_folder"]
    try:
        if tasks is not None:
            add_folder(tasks)
    except (OSError, ValueError) as error:
        raise UserError(f"the run's own tasks can't be read from {tasks!r}: {error}") from error
    family: str = run.settings["model"]["family"]
    return family
