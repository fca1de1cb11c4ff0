"""Reads sentences that give an answer only because of what was asked: how many are odd, which one is the largest."""

from __future__ import annotations

import re

from bench.grading.assertions import without_unasserted
from bench.grading.numbers import Number, read_number
from bench.grading.quantities import asked_family

# What a count is of: `How many integers in this list are odd`.
_CONDITION = re.compile(r"\bhow many\b[^?:]{0,60}? (?:is|are) ([a-z]{2,20})\b", re.IGNORECASE)
# `2 are odd`, `2 of them are odd`; not `5 and 7 are odd`, which names them.
_FULFIL = re.compile(
    r"(?<![\w.,/-])(\d{1,6})(?P<of>(?: out)? of (?:them|these|those|which|\d{1,6}|the(?: \d{1,6})?[a-z ]{0,30}?))?"
    r"(?: (?:numbers?|integers?|elements?|values?))? (?P<verb>are|is|were) "
    r"(?:the )?([a-z]{2,20})\b",
    re.IGNORECASE,
)
_BEFORE_ELEMENT = re.compile(r"\d(?:,| and|, and|;)? *$")
_IN_TOTAL = re.compile(r"(?:\(|[=:>] ?|\b(?:is|are) )(\d{1,6})(?: in)? total\b", re.IGNORECASE)
# `17 is greater than 4 and 2`, `-9 is smaller than all the others`.
_EXTREME = re.compile(
    r"(?<![\w.,/-])([+-]?\d{1,300}) is "
    r"(?:(?P<maximum>greater|larger|bigger|higher)|(?P<minimum>less|smaller|lower)) than "
    r"(?:all\b|both\b|every\b|each\b|any other\b|the (?:others|rest)\b|[+-]?\d+(?:,|,? and) ?(?:and )?[+-]?\d)",
    re.IGNORECASE,
)


def read_phrase(sentence: str, question: str) -> Number | None:
    """Return the count or the extreme value that a plain sentence gives in words of its own, else None."""
    asked = asked_family(question)
    if asked == "count":
        return _count(without_unasserted(sentence), question)
    if asked in ("maximum", "minimum"):
        found = _EXTREME.search(without_unasserted(sentence))
        return read_number(found[1]) if found and found[asked] else None
    return None


def _count(sentence: str, question: str) -> Number | None:
    condition = _CONDITION.search(question)
    wanted = condition[1].lower() if condition else ""
    for found in _FULFIL.finditer(sentence):
        listed = _BEFORE_ELEMENT.search(sentence[max(0, found.start() - 20) : found.start()])
        several = found["verb"].lower() != "is" or found["of"]
        if found[4].lower() == wanted and several and not listed:
            return read_number(found[1])
    total = _IN_TOTAL.search(sentence)
    return read_number(total[1]) if total else None
