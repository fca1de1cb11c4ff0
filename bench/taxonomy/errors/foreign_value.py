"""Hallucination: values that neither the question gave nor a step produced."""

from __future__ import annotations

import re
from collections import Counter
from fractions import Fraction

from bench.taxonomy.answer import places
from bench.taxonomy.findings import ErrorKind, Span
from bench.taxonomy.rules import ErrorRule, WrongAnswer
from bench.taxonomy.steps import Step
from bench.taxonomy.vocabulary import foreign_words

# The answer of these is taken out of the data, nothing is worked out.
_TAKEN_OUT = frozenset({"find_max", "find_min", "mode", "sorting"})
_LIST = re.compile(r"-?\d{1,30}(?:(?:, (?:and )?| and )-?\d{1,30}){1,500}")
_NUMBER = re.compile(r"(?<![\d.])\d{1,30}(?![\d]|\.\d)")
_SMALL = 12  # counts, divisors and digits may be as large without coming from the data
_ELSEWHERE = 4  # foreign words
_OTHER_NUMBERS = 3  # one of them is the answer
_NEAR = 0.5  # share of the data that a copied list has to hold to be taken for it


def _find(wrong: WrongAnswer) -> list[Span] | None:
    data = wrong.problem.data
    if wrong.answer is None or not isinstance(data, tuple | list) or not all(type(value) is int for value in data):
        return None
    for look in (_not_in_data, _misquoted, _foreign_operand, _out_of_nowhere, _nothing_of_the_question):
        spans = look(wrong, tuple(data))
        if spans is not None:
            return spans
    return None


def _not_in_data(wrong: WrongAnswer, data: tuple[int, ...]) -> list[Span] | None:
    """Return where an answer stands that had to be taken out of the data and is not in it."""
    answer = wrong.answer
    if wrong.problem.task not in _TAKEN_OUT or answer is None:
        return None
    values = answer.listed or ((answer.number,) if answer.number is not None else ())
    foreign = [value for value in values if value not in data]
    return [span for value in foreign for span in places(wrong.trace.text, value)[-1:]] if foreign else None


def _misquoted(wrong: WrongAnswer, data: tuple[int, ...]) -> list[Span] | None:
    """Return where the data are copied wrongly: a list of about their number that holds at least half of them."""
    given = Counter(data)
    for match in _LIST.finditer(wrong.trace.text):
        copied = Counter(int(value) for value in re.findall(r"-?\d+", match.group()))
        shared = (copied & given).total()
        foreign = copied - given
        if len(data) > 2 and foreign and abs(copied.total() - len(data)) <= 1 and shared >= max(2, _NEAR * len(data)):
            return [match.span()]
    return None


def _foreign_operand(wrong: WrongAnswer, data: tuple[int, ...]) -> list[Span] | None:
    """Return the step that gives the answer or leads to it, where an operand of it comes from nowhere."""
    known = {Fraction(abs(value)) for value in data} | {Fraction(len(data))}
    for step in wrong.trace.steps:
        if not all(abs(value) in known or _may_arise(abs(value), data) for value in step.left.operands):
            return [step.span] if _leads(step, wrong) else None  # only the first one is asked about
        known |= {abs(value) for value in (step.stated, *step.left.operands, *step.right.operands)}
    return None


def _may_arise(value: Fraction, data: tuple[int, ...]) -> bool:
    """Return whether an operand needs no source: a small one, a round one, or digits of the data."""
    if value.denominator != 1 or value <= _SMALL or value % 10 == 0:
        return True
    written = str(value)
    return any(written in str(one) and written != str(abs(one)) for one in data)


def _leads(step: Step, wrong: WrongAnswer) -> bool:
    """Return whether a step's result is the answer or goes into a later step."""
    if wrong.answer is not None and wrong.answer.number == step.stated:
        return True
    later = [other for other in wrong.trace.steps if other.span > step.span]
    return any(step.stated in other.left.operands for other in later)


def _out_of_nowhere(wrong: WrongAnswer, data: tuple[int, ...]) -> list[Span] | None:
    """Return where the answer stands after the working gave another value, the right one."""
    answer = wrong.answer
    if answer is None or answer.number is None or answer.number in data:
        return None
    stated = {step.stated for step in wrong.trace.steps}
    derived = [step.span for step in wrong.trace.steps if step.stated == wrong.problem.gold]
    return (
        [*derived[-1:], *places(wrong.trace.text, answer.number)[-1:]]
        if derived and answer.number not in stated
        else None
    )


def _nothing_of_the_question(wrong: WrongAnswer, data: tuple[int, ...]) -> list[Span] | None:
    """Return all of a text that has no number of the question, but several others, or is about something else."""
    text = wrong.trace.text
    numbers = {match.group() for match in _NUMBER.finditer(text)}
    if numbers & {str(abs(value)) for value in data}:
        return None
    foreign, longer = foreign_words(text)
    elsewhere = (foreign >= _ELSEWHERE and 3 * foreign >= longer) or len(numbers) >= _OTHER_NUMBERS
    return [(0, len(text))] if elsewhere else None


RULE = ErrorRule("foreign_value", ErrorKind.HALLUCINATION, _find, order=30)
