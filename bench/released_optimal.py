r"""Grades as OptimalThinkingBench's published code does, for the kinds of answers that its problems have.

What it does otherwise than :mod:`bench.grade`: the first box counts, not the last; nothing outside a box is an answer;
a response that was cut is read like any other; without a closing tag the whole text is searched. Its areas are another
matter, see :mod:`bench.metrics.optimal_thinking`. Left out is that its box ends at the first closing brace, which loses
right answers in LaTeX.
"""

from __future__ import annotations

from bench.answers import grade_answer
from bench.grading.boxes import boxes_from_the_end
from bench.problem import Problem
from bench.thinking import Thinking, ThinkingState
from bench.verdict import Outcome, Verdict


def grade_as_released_optimal(problem: Problem, text: str, thinking: Thinking) -> Verdict:
    """Return what a response is worth by the published code's decisions; never raises on any text.

    Args:
        problem: Of one of :data:`bench.problem.TEXT_KINDS`.
        text: The whole response.
        thinking: The response taken apart.
    """
    closed = thinking.state in (ThinkingState.CLOSED, ThinkingState.FORCED)
    boxes = [box for box in boxes_from_the_end(thinking.answer if closed else text) if box.closed]
    if not boxes:
        return Verdict(Outcome.UNPARSED, None, None, False, "no_candidate")
    verdict = grade_answer(problem, rf"\boxed{{{boxes[-1].content}}}", complete=True)
    return verdict or Verdict(Outcome.UNPARSED, None, None, True, "unreadable")
