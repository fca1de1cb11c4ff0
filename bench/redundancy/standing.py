"""Whether a number in a plain sentence stands there as a value: not as an operand, a label, or an item of a list."""

from __future__ import annotations

import re

_NEAR = 40  # characters that are looked at on each side
_LABEL = re.compile(
    r"(?:^|[^a-z])(?:steps?|cases?|examples?|options?|parts?|problems?|questions?|equations?|eqs?\.?|lines?|items?|figures?|"
    r"tables?|chapters?|sections?|methods?|attempts?|approach|no\.|nos\.|mod|modulo|point|rows?|columns?|page|theorem|"
    r"lemma)[ #:(]*$",
    re.IGNORECASE,
)
_BINARY_LEFT = re.compile(r"(?:[\d)\]%°]|(?:^|[^a-z])[a-z])$", re.IGNORECASE)  # a value or a variable before a minus
_SAID = re.compile(r"(?:=|:|->|\b(?:is|are|equals|be|get|gives|of))$", re.IGNORECASE)
_LISTED_LEFT = re.compile(r"(?:\d\)?\s?(?:[,;]|,? and)|\.\.\.,?)$")
_LISTED_RIGHT = re.compile(r"\s?(?:[,;](?: and)?|and) ?[-+(]*\d")
_MINUS_RIGHT = re.compile(r"\s?-\s?(?:[\d(]|[a-z]\b)|-\w", re.IGNORECASE)
_FACTORIAL = re.compile(r"\s?!\s?[-/*+=)(^]")


def stands_alone(plain: str, start: int, end: int, negative: bool, *, spaced_sign: bool = False) -> bool:
    """Return whether the digits at a place are a value with this sign, in a text of ``bench.grading.normalise``.

    Args:
        plain: The sentence.
        start: Where the digits begin.
        end: One past their end, a unit or percent sign included.
        negative: Whether the value that is looked for is below 0.
        spaced_sign: Whether a minus may stand apart from its digits, as before a fraction.
    """
    before, after = plain[max(0, start - _NEAR) : start], plain[end : end + _NEAR]
    first = start < _NEAR  # whether `before` is all that stands before
    return _right_of(after, _SAID.search(before.rstrip(" (\"'*")) is not None) and _left_of(
        before, first, negative, spaced_sign
    )


def _right_of(after: str, said: bool) -> bool:
    """Return whether what follows leaves the number a value; ``said`` after words that state one."""
    rest = after.lstrip()
    if re.match(r"/ ?[a-z]{3}", rest, re.IGNORECASE):  # a rate: `$18/year`
        return True
    if rest[:1] in ("+", "*", "/", "^", "<", ">", "≤", "≥", "≠", "√", "%") and rest:
        return False
    if rest.startswith("->"):
        return True
    if _MINUS_RIGHT.match(after) or _FACTORIAL.match(after) or re.match(r" x \d", after):
        return False
    return said or _LISTED_RIGHT.match(after) is None


def _left_of(before: str, first: bool, negative: bool, spaced_sign: bool) -> bool:
    lead = before.rstrip()
    if re.search(r"\w\($|\\[a-zA-Z]+$|√$|(?:^|[^#])#$", lead) or _LABEL.search(lead):
        return False
    lead = lead.rstrip("([\"' ")
    last = lead[-1:]
    if re.search(r"(?:^|[^a-z])(?:negative|minus)$", lead, re.IGNORECASE):
        return negative
    if last == "-":
        sign = _sign(lead[:-1].rstrip(), len(lead) < len(before), first, spaced_sign)
        return sign == ("negative" if negative else "dash")
    if negative:
        return False
    if last == "+":
        return lead[:-1].rstrip()[-1:] in ("", "=", "(", ":")
    if last == "*":
        return first and lead == "*"
    if last in ("/", "^", "<", "≤", "≥", "≠") or (last == ">" and not lead.endswith("->")):
        return not last
    return _LISTED_LEFT.search(lead) is None


def _sign(lead: str, spaced: bool, first: bool, spaced_sign: bool) -> str:
    """Return what a minus before a number is: ``operator``, ``negative`` (its sign) or ``dash`` (a bullet, a dash)."""
    if not lead:
        return "dash" if spaced and first and not spaced_sign else "negative"
    if _BINARY_LEFT.search(lead):
        return "operator"
    if not spaced or spaced_sign or lead[-1] in "=(:,~[<>":
        return "negative"
    return "dash"
