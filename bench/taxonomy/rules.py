"""What the rules of both taxonomies work on, and what a rule is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bench.problem import Problem
from bench.taxonomy.answer import Answer
from bench.taxonomy.findings import ErrorKind, Pattern, Span
from bench.taxonomy.trace import Trace
from bench.verdict import Verdict


@dataclass(frozen=True, slots=True)
class PatternRule:
    """One way to find a pattern.

    Attributes:
        name: Stored with every finding.
        pattern: What it finds.
        find: Returns the spans that show it, none where it is not there.
        order: Its place among the rules, unique; findings come in this order.
    """

    name: str
    pattern: Pattern
    find: Callable[[Trace], list[Span]]
    order: int


@dataclass(frozen=True, slots=True)
class WrongAnswer:
    """One answer that did not count as right.

    Attributes:
        problem: What was asked.
        trace: The response, thinking included.
        visible: Where the visible answer begins in the response.
        verdict: The grader's.
        answer: What was read, None where nothing was.
        complete: Whether the model ended by itself.
    """

    problem: Problem
    trace: Trace
    visible: int
    verdict: Verdict
    answer: Answer | None
    complete: bool


@dataclass(frozen=True, slots=True)
class ErrorRule:
    """One way to tell what kind of error an answer is.

    Attributes:
        name: Stored with every finding.
        kind: What it finds.
        find: Returns the spans that show it, possibly none, or None to let the next rule try.
        order: Its place among the rules, unique; the first that finds something decides.
    """

    name: str
    kind: ErrorKind
    find: Callable[[WrongAnswer], list[Span] | None]
    order: int
