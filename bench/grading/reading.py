"""Reads candidates as the kind of answer that a problem asks for."""

from __future__ import annotations

import re

from bench.grading.claims import read_scalar_claim, read_scalar_in_words, read_scalar_statement
from bench.grading.lists import (
    Elements,
    read_list,
    read_list_claim,
    read_list_in_words,
    read_list_statement,
    read_several,
    read_simple_list,
)
from bench.grading.normalise import normalise
from bench.grading.numbers import MAX_DIGITS, Number
from bench.grading.phrases import read_phrase
from bench.grading.quantities import without_others, without_tallies
from bench.grading.reasons import without_explanation, without_reasons
from bench.grading.relations import Operands, Relation, read_relation
from bench.grading.scalars import bare, read_scalar
from bench.grading.sentences import first_sentence
from bench.grading.words import read_spelled
from bench.problem import LIST_KINDS, NUMBER_KINDS, AnswerKind, Problem

# A number, the numbers of a list, or a relation.
Value = Number | Elements | Relation

_BEFORE_VALUE = re.compile(
    r"(?:(?:actually|really|indeed|in fact|therefore|thus|hence|then|so|now|exactly|simply|just|instead|about|equal to|"
    r"approximately|x =|the (?:list|number|value))(?= )|[\s:,\"'])*",
    re.IGNORECASE,
)
_NUMBER_BEGINS = re.compile(
    r"[(\[<\"']*(?:negative |minus )?[-+]? ?\.?\d(?![\d.]*(?: ?%)? (?:digits?|steps?|times)\b)(?!\d*% [a-z])",
    re.IGNORECASE,
)
_RELATION_BEGINS = re.compile(
    r"[(\[\"']*(?:[<>=]|[-+]?\d|(?:greater|larger|bigger|less|smaller|equal|the (?:first|second|numbers|two)|both|they)"
    r"\b)",
    re.IGNORECASE,
)
_FACTORIAL = re.compile(r"[\s\d.,+-]*\d ?!+")
_RATIO = re.compile(r"\d+ ?: ?\d+", re.ASCII)  # a fraction, so no form of an integer
_ORDER_SIGN = re.compile(r"[<>≤≥]")  # between elements it puts them in an order, and a set has none
# A line break in a number that is longer than a line.
_BROKEN = re.compile(r"(?<=\d{12})(?:\s?\\(?:\\|allowbreak\b|linebreak\b)\s{0,8}|[^\S\n]{0,8}\n\s{0,8})(?=\d)")
_LONG = 24
_WORDS = re.compile(r"\\text|[a-z]{2} [a-z]", re.IGNORECASE)
_PLAIN_INTEGER = re.compile(r"-?\d+", re.ASCII)


def _operands(problem: Problem) -> Operands:
    data = problem.data
    pair = isinstance(data, tuple | list) and len(data) == 2 and all(isinstance(value, int) for value in data)
    return (data[0], data[1]) if pair else (None, None)


def read_answer(text: str, problem: Problem) -> Value | None:
    """Read a text that is nothing but the answer: what a box, a JSON value or an output block holds."""
    kind = problem.answer_kind
    if kind in LIST_KINDS:
        simple = read_simple_list(text)
        return simple if simple is not None else _read_written_list(normalise(text), kind)
    if kind is AnswerKind.RELATION:
        return read_relation(normalise(text), _operands(problem), "answer")
    if len(text) <= MAX_DIGITS and _PLAIN_INTEGER.fullmatch(text):
        return Number(int(text), 0, len(text))
    plain = normalise(_BROKEN.sub("", text) if len(text) > _LONG else text)
    return None if kind is AnswerKind.INTEGER and _RATIO.fullmatch(plain) else read_scalar(plain)


def _read_written_list(plain: str, kind: AnswerKind) -> Elements | None:
    return None if kind is AnswerKind.INTEGER_SET and _ORDER_SIGN.search(plain) else read_list(plain)


def relevant(plain: str, problem: Problem) -> str:
    """Return what a plain text says of the asked quantity: without reasons, checks and values of other quantities."""
    if problem.answer_kind in LIST_KINDS:
        plain = without_tallies(plain)
    return without_others(without_reasons(plain), problem.question)


def read_box(text: str, problem: Problem) -> Value | None:
    """Read what a box holds: an answer, a sentence with it, or several numbers where one was asked for.

    The last are a readable answer that is wrong.
    """
    if text.endswith("!") and problem.answer_kind in NUMBER_KINDS and _FACTORIAL.fullmatch(text):
        return None
    if "?" in text and normalise(text).rstrip(" .!\"')").endswith("?"):
        return None
    if problem.answer_kind is not AnswerKind.RELATION and _WORDS.search(text):
        text = relevant(normalise(text), problem)
    value = read_answer(text, problem)
    if value is None and problem.answer_kind in NUMBER_KINDS:
        plain = normalise(text)
        return read_scalar_in_words(plain) or read_several(plain)
    if value is None and problem.answer_kind in LIST_KINDS:
        return read_list_in_words(normalise(text))
    return value


def read_statement(text: str, problem: Problem) -> Value | None:
    """Read a text that begins with the answer and may go on, as after ``The answer is``."""
    plain = normalise(text)
    if problem.answer_kind is AnswerKind.RELATION:
        return read_relation(first_sentence(plain), _operands(problem), "statement")
    plain = relevant(plain, problem)
    return (
        read_list_statement(plain)
        if problem.answer_kind in LIST_KINDS
        else read_scalar_statement(without_explanation(plain))
    )


def begins_with_value(text: str, problem: Problem) -> bool:
    """Return whether a statement begins with a value of the problem's kind, and not with words about it."""
    plain = _BEFORE_VALUE.sub("", normalise(text), count=1)
    if problem.answer_kind is AnswerKind.RELATION:
        return _RELATION_BEGINS.match(plain) is not None
    return _NUMBER_BEGINS.match(plain) is not None or read_spelled(bare(first_sentence(plain))) is not None


def read_claim(sentence: str, problem: Problem) -> Value | None:
    """Read the answer that a plain sentence ends up with, as in ``3 and 4 add up to 7``."""
    if problem.answer_kind in LIST_KINDS:
        return read_list_claim(relevant(sentence, problem))
    if problem.answer_kind is AnswerKind.RELATION:
        operands = _operands(problem)
        # A point between two numbers may end a sentence: `… less than or equal to 3. 7 > 3.`
        last = sentence.rpartition(". ")[2]
        return read_relation(sentence, operands, "claim") or read_relation(last, operands, "claim")
    phrased = read_phrase(sentence, problem.question)
    return phrased or read_scalar_claim(relevant(sentence, problem))
