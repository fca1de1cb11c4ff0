"""Reads which of ``>``, ``<`` and ``=`` holds between two given numbers, from signs or words."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import islice
from typing import Literal

from bench.grading.assertions import without_unasserted
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
    rf"|(?P<unlike>≠|![<=>]|=[/\\]=|[/~]=|\b(?:not|n't) (?:the )?(?:equal|same)(?: to)?|\bunequal\b|\bdifferent\b)"
    rf"|(?P<not>\b(?:not|isn't|never|cannot|hardly|barely|scarcely|rarely|no longer|by no means|in no way|"
    r"anything but|fails? to|far from|nowhere near)\b|n't\b"
    rf"|\bno(?= (?:{_MORE}|{_LESS}|equal)\b))"
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
# Neither more nor less is the same.
_NEITHER_NOR = re.compile(
    rf"\b(?:neither|not) (?:(?:{_MORE}) (?:than )?(?:\S{{1,20}} )?n?or (?:{_LESS})|"
    rf"(?:{_LESS}) (?:than )?(?:\S{{1,20}} )?n?or (?:{_MORE}))"
    r"(?: than)?(?!\w)",
    re.IGNORECASE,
)
# The sign that is not meant: `> rather than <`.
_RATHER = re.compile(r"\b(?:rather than|instead of|as opposed to|and not)\b[^,.;\n]{0,40}", re.IGNORECASE)
_HYPHEN = re.compile(r"(?<=[a-z])-(?=(?:than|to)\b)", re.IGNORECASE)
_NEGATIVE = re.compile(r"\b(more|less) negative\b", re.IGNORECASE)
_MODULI = re.compile(r"\|[^|]{1,40}\| ?[<>=] ?\|[^|]{1,40}\|")  # says something of the absolute values
_NAMED = re.compile(
    r"(?:^|[^\w\d])(?:[a-z]|[a-z]_?\d|(?:first|second|number \d|num\d?|value)(?: number)?) *$", re.IGNORECASE
)
_ARROW = re.compile(r"[-=]>")
# A way to name one of the two numbers.
_OPERAND = re.compile(
    r"\b(?P<first>first|1st|former|(?:number|num|value|integer|no\.) ?_?(?:1|one|a)|[a-z]_?1)\b"
    r"|\b(?P<second>second|2nd|latter|(?:number|num|value|integer|no\.) ?_?(?:2|two|b)|[a-z]_?2)\b"
    r"|(?P<number>[+-]?\d[\d,.]*)",
    re.IGNORECASE,
)
# Around a sign without operands: what says that it is the answer, and a reason or nothing.
_BEFORE_SIGN = re.compile(
    r"(?:(?:\b|')(?:is|s|are|be|use|uses|sign|symbol|operator|relation|answer|choose|insert|write|get|so|therefore|thus|hence|then)|"
    r"[:=?_>'\"`.,(])[\s\"'`*(]*$",
    re.IGNORECASE,
)
_AFTER_SIGN = re.compile(
    r"[\s\"'`)*.!;:]*(?:$|\(|,? ?\b(?:since|because|as|for|and not|not|so|sign|symbol|makes|holds)\b)|, ", re.IGNORECASE
)
_BEGINS_WITH_OPERAND = re.compile(
    r"[\s\"'`($*]*(?:[+-]? ?\d|[abxy]\b|[a-z]_?\d|(?:the )?(?:number|num|value|integer|first|second)\b)", re.I
)
# Around a comparing word without operands: what it may be said of, and what does not go on with another subject.
_SUBJECT = re.compile(
    r"(?:\b(?:is|are|'s|be|was|were|it|both|they|numbers|values|integers)|[:=]|->)[\s\"'`*(]*"
    r"(?:(?:the|exactly|indeed|also|clearly|precisely|numerically|actually|therefore|thus|in fact|all|"
    r"not equal,)[\s\"'`*(]*)*$"
    r"|;[\s\"'`*(]*(?:they are |both are |it is )?$|,[\s\"'`*(]*$",
    re.IGNORECASE,
)
_ABOUT_BOTH = re.compile(
    r"\b(?:it|they|both|these|those|two|numbers?|values?|integers?|sides|sign|symbol|relation|comparison|answer|result|so)\b|[:=>]",
    re.IGNORECASE,
)
_AFTER_WORD = re.compile(
    r"[\s\"'`)*.!?;:,]*(?:$|\(|\b(?:since|because|as|for|and|but|so|to each other|to one another|in value|value|number|"
    r"sign|one)\b|(?:than|to)(?:\W*$| each other| one another| the (?:first|second|other)\b))",
    re.IGNORECASE,
)
Place = Literal["answer", "statement", "claim"]  # a box or its like; after a marker; in a sentence of prose
_WEAK: dict[Place, frozenset[str]] = {
    "answer": frozenset(),
    "statement": frozenset(words("more fewer above below")),
    "claim": frozenset(words("more fewer above below higher lower same identical equivalent equality")),
}
_LETTERS = {"a": 1, "x": 1, "b": 2, "y": 2}
_FILLER = frozenset(words("is are was the so that because since thus therefore hence and then we have of as it to"))
_CLAUSE = re.compile(r"[,;.:\n]|\b(?:so|and|because|since|while|whereas|thus|therefore|hence)\b", re.IGNORECASE)
_MAX_TOKENS = 64


def read_relation(text: str, operands: Operands, place: Place) -> Relation | None:
    """Return the relation of the first to the second operand that ``text`` states, None where it is not one.

    Operands may be named (``7 > 3``, ``Number 2 is larger``); stated the other way round the relation is
    turned round too. "At least", "not greater" and contradictions are none of the three relations; neither is a
    comparing word of which nothing is the subject, unless it is all that stands in a place of answers.
    """
    text = _RATHER.sub(" ", _HYPHEN.sub(" ", text))
    text = _NEGATIVE.sub(lambda found: "less" if found[1].lower() == "more" else "greater", text)
    leading = _LEADING.match(text)
    if leading and leading.group().strip(" \"'`(*").lower().split()[0].rstrip(".,;:)\"'`*") not in _WEAK[place]:
        return ">" if leading["more"] else "<" if leading["less"] else "="
    if operands == (None, None):
        operands = _sides(text)
    text = without_unasserted(text)
    text = _NEITHER_NOR.sub("equal to", text)
    text = _NEITHER.sub(" ", _ARROW.sub(" ", _MODULI.sub(" ", text)))
    tokens = list(_TOKEN.finditer(text))
    if not tokens or len(tokens) > _MAX_TOKENS or any(token["bound"] for token in tokens):
        return None
    found: set[Relation] = set()
    same = False
    for number, token in enumerate(tokens):
        denied = number > 0 and tokens[number - 1]["not"] is not None and token.start() - tokens[number - 1].end() < 12
        begins = tokens[number - 1].end() if number else 0
        ends = tokens[number + 1].start() if number + 1 < len(tokens) else len(text)
        left, right = text[begins : token.start()], text[token.end() : ends]
        if denied or token["not"] or token["unlike"]:
            continue
        if token["same"] or token["sign"]:
            same = same or _states_equality(token, left, right, operands, place)
        else:
            oriented = _oriented(token, left, right, operands, place)
            found |= {oriented} if oriented else set()
    if found:
        return found.pop() if len(found) == 1 else None
    return "=" if same else None


def _sides(text: str) -> Operands:
    """Return the first two numbers of a text as the operands, where nobody knows what was compared."""
    numbers = [read_number(found.group().rstrip(".,")) for found in islice(_SIDE.finditer(text), 2)]
    values = [number.value for number in numbers if number and isinstance(number.value, int)]
    return (values[0], values[1]) if len(values) == 2 else (None, None)


def _states_equality(token: re.Match[str], left: str, right: str, operands: Operands, place: Place) -> bool:
    """Return whether an equality is between the operands; ``x = …`` is only a label."""
    sides = _mentions(left, operands), _mentions(right, operands)
    if not token["same"] and _assigns(left, right):
        return False
    if token["same"]:
        return any(sides) or _stands_bare(token, left, right, place)
    if _stands_alone(left, right):
        return not sides[0] or len(sides[0]) == 2
    if len(sides[0]) == 2 and not right.strip(" .,;!\"'`*()"):
        return all(sides[0])  # `6 ? 6 -> =`
    return all(sides) and all(side[0] for side in sides)


def _assigns(left: str, right: str) -> bool:
    """Return whether a sign stands between a name and its number: ``Let a = 6``."""
    name, value = _CLAUSE.split(left)[-1], _CLAUSE.split(right)[0].strip()
    return _NAMED.search(name) is not None and _SIDE.fullmatch(value.rstrip(".")) is not None


def _oriented(token: re.Match[str], left: str, right: str, operands: Operands, place: Place) -> Relation | None:
    """Return what a comparing token says about the operands in their order."""
    relation: Relation = ">" if token["more"] else "<"
    before, after = _mentions(_CLAUSE.split(left)[-1], operands), _mentions(_CLAUSE.split(right)[0], operands)
    subject = before[-1] if before else None
    sign = token.group() in "<>"
    if not sign and left.strip().lower() in _LETTERS:  # `a greater concern`
        before, subject = [], None
    if sign and sorted(before) == [1, 2] and not after:  # `9 ? 5 -> >`
        return relation if before[0] == 1 else _SWAPPED[relation]
    if not before and not (_BEGINS_WITH_OPERAND.match(right) if sign else after):
        bare = _stands_alone(left, right) if sign else _stands_bare(token, left, right, place)
        return relation if bare else None
    if sign or token["more_than"] or token["less_than"]:
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


def _stands_alone(left: str, right: str) -> bool:
    """Return whether a sign between these texts is no part of a relation written out: ``The sign is >, because …``."""
    return _AFTER_SIGN.match(right) is not None and (not left.strip(" \"'`*(") or _BEFORE_SIGN.search(left) is not None)


def _stands_bare(token: re.Match[str], left: str, right: str, place: Place) -> bool:
    """Return whether a comparing word without operands is an answer: the whole of one, or said of a subject."""
    if place != "answer" and token.group().lower() in ("above", "below"):
        return False  # `The answer is above.`
    named = left.strip(" \"'`*(").lower()
    if named in ("", "the", "a"):
        return token.group().lower().split()[0] not in _WEAK[place] and _AFTER_WORD.match(right) is not None
    if _SUBJECT.search(left) is None or (place == "claim" and not _ABOUT_BOTH.search(left)):
        return False
    return _AFTER_WORD.match(right) is not None


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
