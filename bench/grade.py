"""Grades one response to one problem."""

from __future__ import annotations

from bench.answers import grade_answer
from bench.finish import ended
from bench.grading.compare import canonical, is_right
from bench.grading.extract import extract
from bench.grading.response import Response
from bench.grading.visible import visible_text
from bench.problem import TEXT_KINDS, Problem
from bench.thinking import Thinking, ThinkingState, split_thinking
from bench.verdict import Outcome, Verdict

# Stored with every verdict; raised whenever a response may get another verdict than before.
GRADER_VERSION = "7"

# What was taken off the end of an answer tells of a response that was cut which of its statements are whole.
_CLOSED = {"": "{}", "line": "{}\n", "tag": "<answer>{}</answer>"}


def grade(
    problem: Problem,
    response: str | None,
    *,
    finish_reason: str = "stop",
    prompt_tail: str = "",
    family: str | None = None,
) -> Verdict:
    r"""Return what one response is worth; never raises on any text and is linear in its length.

    The thinking is removed. What counts is the last closed box that holds an answer, unless an explicit final
    statement after it says otherwise; else the last explicit statement; else JSON or a code block; else the
    last line. A response that was cut can be right only by a closed box or a completed statement.

    Limits: an answer longer than 16,384 characters or a number of more than 1,000 digits is not read; neither is
    arithmetic (``\boxed{3 + 4}``) worked out.

    Args:
        problem: What was asked.
        response: What the model wrote; None, as some providers send for no content, is an empty response.
        finish_reason: Why the response ended, in any provider's words, see :func:`bench.finish.ended`.
        prompt_tail: The end of the rendered prompt, which may have opened the thinking.
        family: The model's family, see :func:`bench.thinking.split_thinking`.
    """
    thinking = split_thinking(response or "", finish_reason=finish_reason, prompt_tail=prompt_tail, family=family)
    return grade_split(problem, thinking, complete=ended(finish_reason))


def grade_split(problem: Problem, thinking: Thinking, *, complete: bool) -> Verdict:
    """Return what a response is worth whose thinking was split off before; see :func:`grade`.

    Args:
        problem: What was asked.
        thinking: The response taken apart.
        complete: Whether the model ended by itself.
    """
    text = visible_text(thinking.answer)
    if problem.answer_kind in TEXT_KINDS:
        verdict = grade_answer(problem, text, complete=complete)
        return verdict or Verdict(Outcome.UNPARSED, None, None, False, _reason(text, thinking.state, complete))
    whole = text if complete or not text else _CLOSED[thinking.closed_by].format(text)
    found = extract(Response(whole, problem, complete)) if text else None
    if found is None or found.value is None:
        reason = "unreadable" if found else _reason(text, thinking.state, complete)
        return Verdict(Outcome.UNPARSED, None, None, found is not None and found.followed, reason)
    outcome = Outcome.CORRECT if is_right(found.value, problem) else Outcome.INCORRECT
    return Verdict(outcome, canonical(found.value), found.rule, found.followed)


def _reason(text: str, state: ThinkingState, complete: bool) -> str:
    """Return why no answer was found."""
    if state is ThinkingState.UNCLOSED:
        return "unclosed_thinking"
    if not complete:
        return "truncated"
    return "no_candidate" if text.strip() else "empty"
