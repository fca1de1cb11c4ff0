"""What a response is worth: the outcome of grading one response."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Unreadable(ValueError):
    """What a task's check raises for an answer that it can't read: unparsed, not wrong."""


class Outcome(StrEnum):
    """The four outcomes of grading. Only ``correct`` counts as right."""

    CORRECT = "correct"
    INCORRECT = "incorrect"
    UNPARSED = "unparsed"  # no readable answer was found
    UNGRADED = "ungraded"  # a judge has not spoken yet, or a program was not run


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome for one response and how it came about.

    Attributes:
        outcome: See :class:`Outcome`.
        answer: The answer that was read, in canonical text (``-3``, ``1/3``, ``[1, 2]``, ``>``), or None.
        rule: Name of the extraction rule that found it, e.g. ``boxed``, ``marker``, ``last_line``, or None.
        instruction_followed: Whether the visible answer holds a readable closed box, right or wrong.
        reason: Why nothing was read, e.g. ``empty``, ``truncated``, ``unclosed_thinking``,
            ``no_candidate``, ``unreadable``; None when something was. Of an ungraded answer what is missing.
        score: Partial credit in [0, 1] of an answer that a task checked; only 1 is correct. None of other kinds.
    """

    outcome: Outcome
    answer: str | None
    rule: str | None
    instruction_followed: bool
    reason: str | None = None
    score: float | None = None
