"""From a stored sample to its verdict: all that later stations need to know of it, without its text."""

from __future__ import annotations

import hashlib
import json
import logging
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import bench
from bench.answers import stated_answer
from bench.finish import ended
from bench.grade import GRADER_VERSION, grade_split
from bench.problem import TEXT_KINDS, AnswerKind, Problem, data_digest, write_gold
from bench.registry import add_folder, own_file, task_class
from bench.released_code import RELEASED_VERSION, grade_as_released
from bench.released_optimal import grade_as_released_optimal
from bench.task import Task
from bench.taxonomy.tool_errors import ToolStep, tool_errors
from bench.thinking import Thinking, ThinkingState
from bench.verdict import Outcome, Verdict
from runner.config.settings import Scoring
from runner.errors import UserError
from runner.results.executions import Executed
from runner.results.judgements import Judged
from runner.results.record import Record, RecordStatus
from runner.results.run import Run
from runner.results.verdict_row import VerdictRow

# Raised when the columns of a verdict change, or which samples get one.
_LAYOUT = 5
_EARLIER_WORDINGS = 10_000
_SHOWN = 500  # characters of a judged answer that a table holds

_log = logging.getLogger(__name__)


def grading_fingerprint(scoring: Scoring = Scoring.PAPER, judged: Judged | None = None) -> str:
    """Return 16 hex digits that change whenever the same texts may get other verdicts.

    What the judge said is not in it: more judgements make the same table again, another judge makes another one.
    """
    paper = [GRADER_VERSION, _LAYOUT]  # the default's fingerprint says nothing of the others
    decides = paper if scoring is Scoring.PAPER else [grader_version(scoring), _LAYOUT, scoring.value]
    text = json.dumps(decides if judged is None else [*decides, judged.judge])
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:16]


def grader_version(scoring: Scoring, judged: Judged | None = None) -> str:
    """Return the version that is stored with every verdict."""
    version = GRADER_VERSION if scoring is Scoring.PAPER else RELEASED_VERSION
    return version if judged is None else f"{version}, judge {judged.judge[:8]}"


@cache
def task_fingerprint(task: str) -> str:
    """Return 16 hex digits that change whenever a task may put or answer the same data in another way.

    Tasks of this package say so by their versions; a user's task file counts with every byte, as it was when it was
    first asked about in this process.

    Raises:
        ValueError: there is no such task.
    """
    found = task_class(task)
    file = own_file(found)
    own = "" if file is None else _file_hash(file)
    text = json.dumps([task, found.data_version, found.wording_version, own])
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:16]


def _file_hash(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return "gone"


def grade_record(
    record: Record,
    family: str | None = None,
    scoring: Scoring = Scoring.PAPER,
    judged: Judged | None = None,
    executed: Executed | None = None,
) -> VerdictRow:
    """Return the verdict on one sample.

    A fault of the task's or the grader's code is logged once a task and leaves the sample ungraded: it must cost
    neither a text that was generated nor the verdicts of the others.

    Args:
        record: The sample. An error is not graded; cut and refused texts are.
        family: The model's family, which may tell how its thinking is marked.
        scoring: Who decides.
        judged: What the run's judge said, who decides where no rule can; None for no judge.
        executed: What became of the run's programs; None where none was tried.

    Raises:
        UserError: the task is unknown here.
    """
    try:
        row = _graded(record, _problem(record), family, scoring, judged, executed)
        row["grader_version"] = grader_version(scoring, judged)
        return row
    except UserError:
        raise
    except Exception as error:
        _warn_of_fault(record, error)
        return _ungraded(record, "grader_failed", scoring)


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


def _graded(
    record: Record,
    problem: Problem | None,
    family: str | None,
    scoring: Scoring,
    judged: Judged | None,
    executed: Executed | None,
) -> VerdictRow:
    if problem is None:
        return _ungraded(record, "unreadable_data", scoring)
    row = _facts_of(record, problem, scoring)
    if record.status is RecordStatus.ERROR:
        return row
    text, end, tail = record.text, record.finish_reason.value, record.prompt_tail
    thinking = bench.split_thinking(text, finish_reason=end, prompt_tail=tail, family=family)
    verdict = verdict_on(problem, text, thinking, end, scoring)
    if judged is not None and needs_judge(problem, verdict):
        verdict = _judged(problem, verdict, thinking.answer, judged)
    if executed is not None:
        verdict = executed.verdict(problem, thinking.answer, verdict)
    row["outcome"] = verdict.outcome.value
    row["correct"] = None if verdict.outcome is Outcome.UNGRADED else verdict.outcome is Outcome.CORRECT
    row["score"] = verdict.score
    if row["tool_calls"]:
        found = tool_errors(problem, steps_of(record), verdict.outcome)
        row["tool_errors"] = json.dumps([[one.kind.value, one.rule, one.step] for one in found])
    row["answer"] = encodable(verdict.answer)
    row["rule"] = verdict.rule
    row["reason"] = verdict.reason
    row["instruction_followed"] = verdict.instruction_followed
    by_engine = record.budget_kind == "native" and record.budget_hit and thinking.state is ThinkingState.CLOSED
    thought = thinking.state is not ThinkingState.ABSENT  # else what was forced begins a turn with tools
    forced = by_engine or (thought and any(turn.kind == "injected" for turn in record.turns))
    row["thinking_state"] = ThinkingState.FORCED.value if forced else thinking.state.value
    return row


def steps_of(record: Record) -> tuple[ToolStep, ...]:
    """Return the calls of tools that a sample made, in order."""
    return tuple(
        ToolStep(turn.name, turn.arguments or {}, turn.text, bool(turn.ok), turn.fault)
        for turn in record.turns
        if turn.kind == "tool"
    )


def verdict_on(problem: Problem, text: str, thinking: Thinking, finish_reason: str, scoring: Scoring) -> Verdict:
    """Return what one text is worth by whoever decides.

    Args:
        problem: What was asked.
        text: The whole text.
        thinking: The same text taken apart.
        finish_reason: Why it ended, see :func:`bench.finish.ended`.
        scoring: Who decides.
    """
    if scoring is Scoring.RELEASED_CODE:
        if problem.answer_kind in TEXT_KINDS:
            return grade_as_released_optimal(problem, text, thinking)
        return grade_as_released(problem, text)
    return grade_split(problem, thinking, complete=ended(finish_reason))


def needs_judge(problem: Problem, verdict: Verdict) -> bool:
    """Whether a judge has to decide: the rules found an answer and can't grade it."""
    return problem.answer_kind is AnswerKind.JUDGED and verdict.outcome is Outcome.UNGRADED


def _judged(problem: Problem, verdict: Verdict, answer: str, judged: Judged) -> Verdict:
    """Return the judge's verdict; the answer stays ungraded where it was not asked, or its reply holds no verdict."""
    asked, said = judged.on(problem, judged_answer(answer))
    if said is None:
        return replace(verdict, reason="judge_unreadable" if asked else "not_judged")
    stated = stated_answer(answer)
    shown = None if stated is None else stated.text[:_SHOWN]
    outcome = Outcome.CORRECT if said else Outcome.INCORRECT
    return replace(verdict, outcome=outcome, answer=shown, rule="judge", reason=None)


def judged_answer(answer: str) -> str:
    """Return what of a visible answer a judge is shown."""
    return answer.strip()


def _ungraded(record: Record, reason: str, scoring: Scoring) -> VerdictRow:
    """Return the row of a sample whose problem is not to be had; an error stays an error."""
    row = _facts_of(record, None, scoring)
    if record.status is not RecordStatus.ERROR:
        row["outcome"], row["reason"] = Outcome.UNGRADED.value, reason
    return row


def _facts_of(record: Record, problem: Problem | None, scoring: Scoring) -> VerdictRow:
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
        score=None,
        answer=None,
        gold=None if problem is None else encodable(write_gold(problem.gold)),
        rule=None,
        reason=None,
        instruction_followed=None,
        thinking_state=None,
        prompt_tokens=usage.prompt,
        thinking_tokens=usage.thinking,
        answer_tokens=usage.answer,
        output_tokens=usage.output,
        injected_tokens=usage.injected,
        tool_calls=sum(turn.kind == "tool" for turn in record.turns),
        tool_tokens=usage.tool,
        tool_errors="[]",
        usage_source=usage.source,
        words=len(text.split()),
        characters=len(text),
        latency_s=record.latency_s,
        finish_reason=record.finish_reason.value,
        max_tokens=record.max_tokens,
        budget_hit=record.budget_hit,
        failure_kind=None if record.failure is None else encodable(record.failure.kind),
        facts="{}" if problem is None else json.dumps(dict(problem.facts)),
        grader_version=grader_version(scoring),
        scoring=scoring.value,
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


def encodable(text: str | None) -> str | None:
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
