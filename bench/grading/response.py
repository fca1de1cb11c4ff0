"""What the extraction rules work on, and what they return."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bench.grading.reading import Value
from bench.problem import Problem


# Not frozen: one of each is made for every response, and freezing trebles the cost.
@dataclass(slots=True)
class Response:
    """The visible text of one response, cleaned, with the problem it answers.

    Attributes:
        text: The visible text.
        problem: What was asked; says how an answer is read.
        ended: Whether the model ended by itself. A text that was cut may end inside a number.
    """

    text: str
    problem: Problem
    ended: bool


@dataclass(slots=True)
class Found:
    r"""What a rule found.

    Attributes:
        value: What was read, None where the rule found the answer's place but nothing readable in it.
        rule: The rule's name.
        followed: Whether the text holds a readable closed ``\boxed{}``.
    """

    value: Value | None
    rule: str
    followed: bool = False


@dataclass(frozen=True, slots=True)
class Rule:
    """One way to find the answer.

    Attributes:
        name: Stored in every verdict that the rule leads to.
        find: Returns what it found, None to let the next rule try.
        order: Its place among the rules, unique; a rule of a lower number is asked before.
        when_cut: Whether what it finds is stated so plainly that it counts in a response that was cut, and
            before a question with which the model goes on.
    """

    name: str
    find: Callable[[Response], Found | None]
    order: int
    when_cut: bool
