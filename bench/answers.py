r"""Grades answers that are no numbers: expressions, choices, checked answers, programs and judged texts.

What an answer says is the content of its last closed box; without one, what its last line of the form ``the answer
is ...`` says, else its last line. Of a response that was cut only a box counts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from bench.grading import symbolic
from bench.grading.boxes import boxes_from_the_end
from bench.problem import AnswerKind, Problem
from bench.registry import task_class
from bench.task import Task
from bench.verdict import Outcome, Unreadable, Verdict

# Longer answers are not looked at: an expression or a letter is never so long, a plan of 1,023 moves may be.
_MAX_SHORT = 4_096
_MAX_CHECKED = 100_000
# Of a text without a box only so many characters at its end are searched.
_TAIL = 8_192

_STATED = re.compile(r"\banswer(?:\s+is|\s*[:=])[\s*:]*(?=\S)", re.IGNORECASE)
# The letter alone or with its option's text behind it: `C`, `(c)`, `\text{C}`, `option C`, `C. 10 m`, `C, because`; the
# article of `A proton` and the first of `A and B` are none.
_LETTER = re.compile(
    r"(?:\\(?:text|textbf|mathrm|mathbf)\s?\{|[\s($\[*{]|(?:the\s+)?(?:option|choice|answer)\b:?(?:\s+is)?)*"
    r"(?P<letter>[A-Za-z])\s*(?=$|[.):}\]*;$]|,(?!\s*[A-Za-z]\b))",
    re.IGNORECASE,
)
_LAST_LETTER = re.compile(r"(?:^|[\s(*])(?P<letter>[A-Z])[)*.\s]*$")
_FENCE = re.compile(r"```[^\n`]{0,40}\n(.*?)(?:\n```|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Stated:
    """What an answer says.

    Attributes:
        text: The statement alone.
        rule: How it was found: ``boxed``, ``marker`` or ``last_line``.
        followed: Whether it stands in a closed box.
    """

    text: str
    rule: str
    followed: bool


def stated_answer(text: str, *, boxed_only: bool = False) -> Stated | None:
    """Return what a visible answer says, None where it says nothing; linear in its length.

    Args:
        text: The visible answer.
        boxed_only: Whether only a closed box counts, as in a response that was cut.
    """
    for box in boxes_from_the_end(text):
        if box.closed and box.content.strip():
            return Stated(box.content.strip(), "boxed", box.instructed)
    lines = [] if boxed_only else [line for line in text[-_TAIL:].split("\n") if line.strip(" \t\r`*$_")]
    for line in reversed(lines):
        ends = [match.end() for match in _STATED.finditer(line)]
        if ends:
            return Stated(line[ends[-1] :].strip(), "marker", False)
    return Stated(lines[-1].strip(), "last_line", False) if lines else None


def program_of(text: str) -> str | None:
    """Return the last fenced code block of a visible answer, None without one; linear in its length.

    A block that the text ends in is taken as it is.
    """
    blocks = _FENCE.findall(text) if "```" in text else []
    return blocks[-1] if blocks and blocks[-1].strip() else None


def grade_answer(problem: Problem, text: str, *, complete: bool) -> Verdict | None:
    """Return the verdict on a visible answer, None where it holds no answer; never raises.

    Args:
        problem: What was asked.
        text: The visible answer, cleaned.
        complete: Whether the model ended by itself.
    """
    if not text.strip():
        return None
    kind = problem.answer_kind
    if kind is AnswerKind.JUDGED:
        return _ungraded("not_judged", _boxed(text))
    if kind is AnswerKind.EXECUTED:
        return None if program_of(text) is None else _ungraded("not_executed", False)
    if kind is AnswerKind.CHECKED:
        return _checked(problem, text, complete)
    stated = stated_answer(text, boxed_only=not complete)
    if stated is None:
        return None
    if len(stated.text) > _MAX_SHORT:
        return Verdict(Outcome.UNPARSED, None, None, False, "unreadable")
    return _chosen(problem, stated) if kind is AnswerKind.CHOICE else _expression(problem, stated)


def _chosen(problem: Problem, stated: Stated) -> Verdict:
    found = _LETTER.match(stated.text)
    if found is None and stated.rule == "last_line":
        found = _LAST_LETTER.search(stated.text)
    if found is None:
        return Verdict(Outcome.UNPARSED, None, None, False, "unreadable")
    letter = found["letter"].upper()
    return _decided(letter == problem.gold, letter, stated)


def _expression(problem: Problem, stated: Stated) -> Verdict:
    found = symbolic.equal(str(problem.gold), stated.text, boxed=stated.rule == "boxed")
    if found.failure is not None:
        return _failed(found.failure, stated.followed)
    if found.value is None:
        return Verdict(Outcome.UNPARSED, None, None, False, "unreadable")
    return _decided(found.value == 1, stated.text, stated)


def _checked(problem: Problem, text: str, complete: bool) -> Verdict | None:
    stated = stated_answer(text, boxed_only=not complete)
    if stated is None:
        return None
    # A cut response may lack the end of its answer, unless it stands in a closed box.
    answer = (text if complete else rf"\boxed{{{stated.text}}}")[-_MAX_CHECKED:]
    found = _score(task_class(problem.task), problem.data, answer)
    if found.failure is not None:
        return _failed(found.failure, stated.followed)
    if found.value is None:
        return Verdict(Outcome.UNPARSED, None, None, False, "unreadable")
    outcome = Outcome.CORRECT if found.value == 1 else Outcome.INCORRECT
    return Verdict(outcome, stated.text[:_MAX_SHORT], stated.rule, stated.followed, score=found.value)


def _score(task: type[Task], data: Any, answer: str) -> symbolic.Found:
    """Return a task's score of an answer; a check may be a user's and may fail in any way."""
    if task.hostile_check:
        return symbolic.check(task, data, answer)
    try:
        return symbolic.Found(symbolic.as_score(task().check(data, answer)))
    except Unreadable:
        return symbolic.Found(None)
    except Exception:
        return symbolic.Found(None, symbolic.FAILED)


def _failed(failure: str, followed: bool) -> Verdict:
    """Return the verdict where nothing was decided: what hangs the comparison is no readable answer."""
    if failure == symbolic.TOO_COMPLEX:
        return Verdict(Outcome.UNPARSED, None, None, followed, failure)
    return _ungraded(failure, followed)


def _ungraded(reason: str, followed: bool) -> Verdict:
    return Verdict(Outcome.UNGRADED, None, None, followed, reason)


def _decided(right: bool, answer: str, stated: Stated) -> Verdict:
    return Verdict(Outcome.CORRECT if right else Outcome.INCORRECT, answer, stated.rule, stated.followed)


def _boxed(text: str) -> bool:
    found = stated_answer(text, boxed_only=True)
    return found is not None and found.followed
