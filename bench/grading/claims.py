"""Reads the one number that a statement or a sentence claims."""

from __future__ import annotations

import re

from bench.grading.assertions import is_taken_back, without_unasserted
from bench.grading.labels import scaled, turns
from bench.grading.numbers import Number, read_number
from bench.grading.scalars import (
    ASIDE,
    OPENERS,
    OR,
    RUN,
    SIDES,
    START,
    TURNING,
    WORKINGS,
    bare,
    is_predicated,
    read_alternatives,
    read_scalar,
    spelled_with_label,
    without_asides,
)
from bench.grading.sentences import first_sentence
from bench.grading.words import words

# What stands between a subject and the value that a sentence gives it; `to`, `of` and `in` only after some words.
_CLAIM_WORDS = frozenset(
    words(
        "is are was be equal equals give gives make makes yield yields total totals become becomes get gets got obtain "
        "say so have has prints print return returns found find counted count contains i.e. namely therefore thus "
        "hence 等于 等於 是 为 為 は"
    )
)
_CLAIM_PAIRS = frozenset(
    words(
        "sum total up amount amounts come comes evaluate evaluates simplify simplifies round rounds reduce reduces "
        "equal lead leads us arrive arrives left result results out average mean median difference product quotient "
        "value maximum minimum"
    )
)
_WORD_OR_MARK = re.compile(r"i\.e\.|[a-z]+|'s\b|等于|等於|是|为|為|は|->|=+>?|~|(?<!\d):|:(?!\d)", re.IGNORECASE)
_FOLLOWED_BY_OPERATOR = re.compile(
    r" ?(?:[+*/^<>=~±≤≥≠|]|-(?! [a-z]{2})|, ?[+-]?\d|; ?[+-]?\d|(?:and|or|plus|minus|times|divided|multiplied|over|to|"
    r"mod|modulo|remainder|x|through|out of|of(?= \d)|less|more|fewer|point|in base|base(?! 10)|"
    r"at (?:most|least|best)|\(mod|but (?:i|we|it|my|the)\b[^.]{0,60}\d)\b(?! the\b)|"
    r"[-,;.]{0,3} ?(?:no,|no wait|wait|sorry)\b)",
    re.IGNORECASE,
)
_BEFORE_VALUE = re.compile(
    r"(?:(?:about|approximately|roughly|exactly|just|simply|therefore|thus|also|then|indeed|now|only|clearly|obviously|"
    r"certainly|evidently|actually|really|precisely|hence|equal to|"
    r"the number|the value|the integer|you|us|me)\b|[\s:,\"'€£¥₹])*",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"(?<![\w.,/^*+-])([+-]?\d[\d.,/]{0,300}) is (?:(?:therefore|thus|indeed|clearly|also|then) )?"
    r"(?:(?:the|our|your|my) (?:\w+ ){0,2}?(?:largest|greatest|biggest|highest|maximum|max|smallest|least|lowest|"
    r"minimum|min|median|mean|average|sum|total|difference|product|quotient|count|answer|result|solution|number|value)"
    r"|correct|right|what (?:you|we|i|they|it|is)|obtained)\b",
    re.IGNORECASE,
)
_PREDICATE = re.compile(r"\A(?:is|are|was|were|be|has|have)\b", re.IGNORECASE)
_SPELLED_SIGN = re.compile(r"(?:negative|minus) (?=\d)", re.IGNORECASE)
_REMAINDER = re.compile(r"\b(?:remainder|modulo|mod)\b", re.IGNORECASE)
_FIRST_PHRASE = re.compile(r"[,;(]|\b(?:because|since|as)\b")
_MAX_ASIDE = 80
_MAX_CLAIMS = 32


def read_scalar_statement(text: str) -> Number | None:
    """Return the number with which a statement begins or, failing that, the last one that it claims."""
    sentence = without_unasserted(WORKINGS.sub("", without_asides(first_sentence(text)))).strip()
    head, more, _ = sentence.partition(";")
    if more and not is_taken_back(more) and (number := read_scalar(head.strip())):
        return number  # `7; check: 7 - 4 = 3`
    number = read_scalar(sentence) or read_leading(sentence) or read_scalar_claim(sentence)
    return number or spelled_with_label(_FIRST_PHRASE.split(sentence, maxsplit=1)[0])


def read_scalar_claim(sentence: str) -> Number | None:
    """Return the number that a sentence says something is, e.g. 7 in ``3 and 4 add up to 7``."""
    sentence = without_unasserted(without_asides(sentence)).strip()
    return read_scalar(sentence) or _read_claimed(sentence) or _read_named(sentence)


def _read_named(sentence: str) -> Number | None:
    """Return the number that a sentence says is what was asked for: ``of the three, 17 is the largest``."""
    found = _NAMED.findall(sentence)
    return read_number(found[-1]) if found and not turns(sentence) else None


def read_scalar_in_words(text: str) -> Number | None:
    """Return the number that a sentence in a box claims, None for an equation, a choice or mere words."""
    text = without_unasserted(without_asides(text))
    told = len(_claimed(text)) > 1 and not SIDES.search(text) and not OR.search(text)
    return _read_claimed(text) if told else None


def _read_claimed(sentence: str) -> Number | None:
    pieces = _claimed(sentence)[-_MAX_CLAIMS:]
    if len(pieces) > 1 and _PREDICATE.search(sentence[len(pieces[0]) :][:12]):
        pieces = pieces[1:]  # what something is said of, as in `the number 42 is in the list`
    alone = len(pieces) == 1
    for piece in reversed(pieces):
        number = read_leading(piece.strip(), alone=alone) or read_alternatives(bare(piece))
        if number is not None:
            return number
        if _REMAINDER.search(piece):
            return None  # what stands before, as in `7 / 2 = 3 remainder 1`, is the question
    return None


def _claimed(sentence: str) -> list[str]:
    """Return the pieces of a sentence between its verbs, colons and equals signs."""
    pieces, begin, before = [], 0, ""
    for match in _WORD_OR_MARK.finditer(sentence):
        word = match.group().lower()
        if sentence.endswith("or ", 0, match.start()):
            continue  # `less than or equal to 42`
        linked = word in ("to", "of", "in", "at", "with") and before in _CLAIM_PAIRS
        if linked or word in _CLAIM_WORDS or not word[0].isalpha():
            pieces.append(sentence[begin : match.start()])
            begin = match.end()
        before = word
    return [*pieces, sentence[begin:]]


def read_leading(text: str, *, alone: bool = False) -> Number | None:
    """Return the number at the beginning of a phrase, unless what follows makes it an operand.

    Where the phrase stands ``alone``, no verb before it says that something is this number.
    """
    skipped = _BEFORE_VALUE.match(text)
    text = text[skipped.end() if skipped else 0 :]
    if text[:1] in OPENERS and (inner := ASIDE.match(text)):
        text = inner.group()[1:-1] + text[inner.end() :]
    spelled = _SPELLED_SIGN.match(text)
    sign, text = ("-", text[spelled.end() :]) if spelled else ("", text)
    run = RUN.match(text)
    if not run or not START.match(text):
        return None
    digits = run.group().rstrip(" .,'_(/*+-")
    after = text[len(digits) :]
    turned = after[:2].lstrip()[:1] == "(" and TURNING.search(after[:_MAX_ASIDE])
    if turned or is_taken_back(after) or _FOLLOWED_BY_OPERATOR.match(after) or (alone and is_predicated(after)):
        return None
    return scaled(read_number(sign + digits), after)
