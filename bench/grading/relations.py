"""Reads which of ``>``, ``<`` and ``=`` holds between two given numbers, from signs or words."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import islice
from typing import Literal

from bench.grading.denials import without_denials
from bench.grading.numbers import read_number
from bench.grading.words import words

Relation = Literal[">", "<", "="]
Operands = tuple[int | None, int | None]  # what is compared; None where the problem is not about two integers

_SWAPPED: dict[str, Relation] = {">": "<", "<": ">", "=": "="}

_MORE = r"greater|larger|bigger|higher|more|exceeds?|exceeding|above|gt|大于|大於"
_LESS = r"less|lesser|smaller|lower|fewer|below|lt|小于|小於"
_SAME = r"equals?|equal to|equality|same|equivalent|identical|eq|等于|等於|相等"
_TOKEN = re.compile(
    rf"(?P<bound>[<>](?:,? or)? ?=|≤|≥|(?<!\w)(?:{_MORE}|{_LESS})(?: than)?,? or "
    r"(?:is )?(?:the )?(?:equal|same|=)(?: to)?)"
    rf"|(?P<unlike>≠|!=|\b(?:not|n't) (?:the )?(?:equal|same)(?: to)?|\bunequal\b|\bdifferent\b)"
    rf"|(?P<not>\b(?:not|isn't|never)\b|n't\b)"
    rf"|(?P<more>>|(?<![a-z])(?:{_MORE})(?![a-z])(?P<more_than> (?:than|to))?)"
    rf"|(?P<less><|(?<![a-z])(?:{_LESS})(?![a-z])(?P<less_than> (?:than|to))?)"
    rf"|(?P<same>(?<![a-z])(?:{_SAME})(?![a-z]))|(?P<sign>=+)",
    re.IGNORECASE,
)
# A text that begins with a sign or its words and goes on with a reason, not with an operand.
_LEADING = re.compile(
    rf"""[\s"'`(*]*(?:(?P<more>>|(?:{_MORE})(?:[ ]than)?(?!\w))|(?P<less><|(?:{_LESS})(?:[ ]than)?(?!\w))
    |(?P<same>=|(?:{_SAME})(?:[ ]to)?(?!\w)))["'`)*]*[ ]?
    (?:$|\((?![-+]?\d+\)?$)|[.;,:][ ](?=[^<>=\d+-]|[-+]?\d+[ ]?[<>=])
    |[,]?[ ]?\b(?:since|because|as|for|and[ ]not)\b)""",
    re.VERBOSE | re.IGNORECASE,
)
_SIDE = re.compile(r"(?<![\w.])[+-]?\d[\d,.]*")
_NEITHER = re.compile(r"\bneither\b[^,.;]{0,80}?(?=[,.;]|\bbut\b|$)", re.IGNORECASE)
_MODULI = re.compile(r"\|[^|]{1,40}\| ?[<>=] ?\|[^|]{1,40}\|")  # says something of the absolute values
_ARROW = re.compile(r"[-=]>")
# A way to name one of the two numbers.
_OPERAND = re.compile(
    r"\b(?P<first>first|1st|former|(?:number|num|value|integer|no\.) ?_?(?:1|one|a)|[a-z]_?1)\b"
    r"|\b(?P<second>second|2nd|latter|(?:number|num|value|integer|no\.) ?_?(?:2|two|b)|[a-z]_?2)\b"
    r"|(?P<number>[+-]?\d[\d,.]*)",
    re.IGNORECASE,
)
_LETTERS = {"a": 1, "x": 1, "b": 2, "y": 2}
_FILLER = frozenset(words("is are was the so that because since thus therefore hence and then we have of as it to"))
_CLAUSE = re.compile(r"[,;.:\n]|\b(?:so|and|because|since|while|whereas|thus|therefore|hence)\b", re.IGNORECASE)
_MAX_TOKENS = 64


def read_relation(text: str, operands: Operands) -> Relation | None:
    """Return the relation of the first to the second operand that ``text`` states, None where it is not one.

    Operands may be named (``7 > 3``, ``Number 2 is larger``); stated the other way round the relation is
    turned round too. "At least", "not greater" and contradictions are none of the three relations.
    """
    leading = _LEADING.match(text)
    if leading:
        return ">" if leading["more"] else "<" if leading["less"] else "="
    if operands == (None, None):
        operands = _sides(text)
    text = without_denials(text)
    text = _NEITHER.sub(" ", _ARROW.sub(" ", _MODULI.sub(" ", text)))
    tokens = list(_TOKEN.finditer(text))
    if not tokens or len(tokens) > _MAX_TOKENS or any(token["bound"] for token in tokens):
        return None
    found: set[Relation] = set()
    same = False
    for place, token in enumerate(tokens):
        denied = place > 0 and tokens[place - 1]["not"] is not None and token.start() - tokens[place - 1].end() < 12
        begins = tokens[place - 1].end() if place else 0
        ends = tokens[place + 1].start() if place + 1 < len(tokens) else len(text)
        left, right = text[begins : token.start()], text[token.end() : ends]
        if denied or token["not"] or token["unlike"]:
            continue
        if token["same"] or token["sign"]:
            same = same or _states_equality(token, left, right, operands)
        else:
            oriented = _oriented(token, left, right, operands)
            found |= {oriented} if oriented else set()
    if found:
        return found.pop() if len(found) == 1 else None
    return "=" if same else None


def _sides(text: str) -> Operands:
    """Return the first two numbers of a text as the operands, where nobody knows what was compared."""
    numbers = [read_number(found.group().rstrip(".,")) for found in islice(_SIDE.finditer(text), 2)]
    values = [number.value for number in numbers if number and isinstance(number.value, int)]
    return (values[0], values[1]) if len(values) == 2 else (None, None)


def _states_equality(token: re.Match[str], left: str, right: str, operands: Operands) -> bool:
    """Return whether an equality is between the operands; ``x = …`` is only a label."""
    if token["same"]:
        return True
    sides = _mentions(left, operands), _mentions(right, operands)
    if not any(sides):
        return not right.strip(" .,;!\"'`*()[]")
    return all(sides) and all(side[0] for side in sides)


def _oriented(token: re.Match[str], left: str, right: str, operands: Operands) -> Relation | None:
    """Return what a comparing token says about the operands in their order."""
    relation: Relation = ">" if token["more"] else "<"
    before, after = _mentions(_CLAUSE.split(left)[-1], operands), _mentions(_CLAUSE.split(right)[0], operands)
    subject = before[-1] if before else None
    if token.group() in "<>" or token["more_than"] or token["less_than"]:
        other = after[0] if after else None
        if 0 in (subject, other):
            return None  # a number that was not asked about
        turned = subject == 2 or (subject is None and other == 1)
        if subject is not None and subject == other:
            return None if operands[0] != operands[1] else relation
    else:  # `the second is larger`, `the larger one is 7`
        subject = subject if subject is not None else (after[0] if after else None)
        if subject == 0:
            return None
        turned = subject == 2
    return _SWAPPED[relation] if turned else relation


def _which(value: int | Fraction | None, operands: Operands) -> int:
    """Return 1 or 2 for the operand of this value, 0 if neither has it."""
    return operands.index(value) + 1 if value in operands else 0


def _mentions(text: str, operands: Operands) -> list[int]:
    """Return which operands a phrase names, in order: 1, 2, or 0 for a number that is neither."""
    found = []
    for match in _OPERAND.finditer(text):
        if match["number"]:
            number = read_number(match["number"].rstrip(".,"))
            found.append(_which(number.value if number else None, operands))
        else:
            found.append(1 if match["first"] else 2)
    if found:
        return found
    rest = [word for word in text.lower().split() if word not in _FILLER]
    return [_LETTERS[rest[0]]] if len(rest) == 1 and rest[0] in _LETTERS else []
