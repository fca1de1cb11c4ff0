"""What goes wrong with tools in one sample: calls that can't be made or fail, wrong results, unread ones, loops."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from bench.grade import grade
from bench.problem import AnswerKind, Problem
from bench.registry import task_class
from bench.verdict import Outcome

# A call that is made so often with the same arguments is a loop: a model may check once.
_LOOP = 3
# Characters of a result, and results of a sample from its end, in which the right value is looked for.
_READ = 2_000
_RESULTS = 4
_READ_CODE = 2_000
_SYNTAX = re.compile(r"^(?:SyntaxError|IndentationError|TabError)\b", re.MULTILINE)
# Signs of a program where an expression should stand.
_CODE = re.compile(r"^\s*(?:import|from|def|for|while|if|print|return)\b|[^=<>!]=[^=]|\n\s*\S", re.MULTILINE)
# Kinds of answer that no rule can tell in a tool's result: a judge, a runner or a heavy package decides them.
_UNREAD = frozenset({AnswerKind.EXPRESSION, AnswerKind.EXECUTED, AnswerKind.JUDGED})


class ToolError(StrEnum):
    """What went wrong with tools; a sample may show several."""

    SYNTAX = "syntax_error"  # a call, or the code in it, that can't be read
    WRONG_TOOL = "wrong_tool"  # a tool that is not offered, or not made for what it is given
    WRONG_LOGIC = "wrong_logic"  # a call that fails when it is worked out, or calls that never give the right value
    IGNORED_OBSERVATION = "ignored_observation"  # a result was right, and the answer is another
    LOOP = "loop"  # the same call again and again, or calls until none are left


@dataclass(frozen=True, slots=True)
class ToolStep:
    """One call of a sample.

    Attributes:
        name: The tool's name, as written where it is not offered.
        arguments: What it was given; empty where that could not be read.
        result: What the model was told.
        ok: Whether the call went well.
        fault: Why it was not made: ``syntax``, ``unknown_tool``, ``limit``; None where it was made.
    """

    name: str
    arguments: Mapping[str, str]
    result: str
    ok: bool
    fault: str | None = None


@dataclass(frozen=True, slots=True)
class ToolFinding:
    """One kind of error in a sample.

    Attributes:
        kind: The kind.
        rule: What found it.
        step: The first call that shows it, counted from 0.
    """

    kind: ToolError
    rule: str
    step: int


def tool_errors(problem: Problem, steps: Sequence[ToolStep], outcome: Outcome | None) -> tuple[ToolFinding, ...]:
    """Return the kinds of error in a sample's calls, each once with the first rule and call that show it.

    Whether the answer is right does not matter for a call that can't be made, fails or comes again; for the two kinds
    that rest on results it has to be wrong, and readable in a result. Linear in the length of the texts. Never raises.

    Args:
        problem: What was asked.
        steps: The calls in order.
        outcome: Of the sample's answer; None where it has none.
    """
    found: dict[ToolError, ToolFinding] = {}
    for finding in (*_of_calls(steps), *_of_repeats(steps), *_of_results(problem, steps, outcome)):
        found.setdefault(finding.kind, finding)
    return tuple(found[kind] for kind in ToolError if kind in found)


def _of_calls(steps: Sequence[ToolStep]) -> Iterator[ToolFinding]:
    for place, step in enumerate(steps):
        if step.fault == "syntax":
            yield ToolFinding(ToolError.SYNTAX, "unreadable_call", place)
        elif step.fault == "unknown_tool":
            yield ToolFinding(ToolError.WRONG_TOOL, "unknown_tool", place)
        elif step.fault is None and not step.ok:
            yield _of_failure(step, place)


def _of_failure(step: ToolStep, place: int) -> ToolFinding:
    """Return why a call failed that was made."""
    expression = step.arguments.get("expression")
    if expression is None and _SYNTAX.search(step.result):
        return ToolFinding(ToolError.SYNTAX, "code", place)
    if expression is None:
        return ToolFinding(ToolError.WRONG_LOGIC, "failed_call", place)
    if _CODE.search(expression[:_READ_CODE]):
        return ToolFinding(ToolError.WRONG_TOOL, "code_as_expression", place)
    if not _is_expression(expression):
        return ToolFinding(ToolError.SYNTAX, "expression", place)
    return ToolFinding(ToolError.WRONG_LOGIC, "failed_call", place)


def _is_expression(text: str) -> bool:
    try:
        ast.parse(text[:_READ_CODE].strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _of_repeats(steps: Sequence[ToolStep]) -> Iterator[ToolFinding]:
    seen: Counter[tuple[object, ...]] = Counter()
    for place, step in enumerate(steps):
        if step.fault == "limit":
            yield ToolFinding(ToolError.LOOP, "no_end", place)
            continue
        call = (step.name, step.fault, *(" ".join(text.split()) for text in step.arguments.values()))
        seen[call] += 1
        if seen[call] == _LOOP:
            yield ToolFinding(ToolError.LOOP, "same_call", place)


def _of_results(problem: Problem, steps: Sequence[ToolStep], outcome: Outcome | None) -> Iterator[ToolFinding]:
    """Yield what a wrong answer and its results say of each other."""
    results = [(place, step.result) for place, step in enumerate(steps) if step.ok]
    wrong = outcome in (Outcome.INCORRECT, Outcome.UNPARSED)
    if not results or not wrong or problem.answer_kind in _UNREAD or task_class(problem.task).hostile_check:
        return
    right = next((place for place, result in results[-_RESULTS:] if _holds(problem, result)), None)
    if right is not None:
        yield ToolFinding(ToolError.IGNORED_OBSERVATION, "right_result", right)
    else:
        yield ToolFinding(ToolError.WRONG_LOGIC, "no_right_result", results[-1][0])


def _holds(problem: Problem, result: str) -> bool:
    """Whether a result gives the right value: all of it, or its last line."""
    whole = result[-_READ:].strip()
    last = whole.rpartition("\n")[2]
    return any(_is_right(problem, text) for text in dict.fromkeys((f"\\boxed{{{last}}}", whole)))


def _is_right(problem: Problem, text: str) -> bool:
    return grade(problem, text).outcome is Outcome.CORRECT
