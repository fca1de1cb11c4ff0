"""Takes out of a text the reasons and checks that follow an answer; they are no answer of their own."""

from __future__ import annotations

import re

_WHO = "we|you|i|let us|let's|let me|one"
_MAY = "(?:(?:can|may|will|now) )?"
_CHECK = "double[- ]?check|check|checking|verify|verifying|verification|proof|confirm|sanity check"
_BEGIN = (
    r"(?:because|since|where(?= the| we|as| there)|given that|for(?= \d+ ?[-+*/])|(?:as )?verified by|"
    r"as(?= (?:\d+|the|there|we|it|both|they|this|that|you|each|all|adding|subtracting|multiplying|dividing)\b))\b"
)
# After a value: a reason up to its end or up to what follows from it.
_AFTER = re.compile(
    rf"(?<![ ,;:.(*-])[ ,;:.(*-]{{1,8}}(?:(?:this|that|it) is |which is )?(?:{_BEGIN}"
    rf"|(?:(?:to|{_WHO}) )?{_MAY}(?:{_CHECK})\b).*?"
    r"(?=,? (?:so|thus|therefore|hence|giving|which (?:gives|makes|means|is|yields)|we (?:get|have|find))\b"
    r"|[.!?](?= |$)|$)",
    re.IGNORECASE,
)
_DIGIT = re.compile(r"\d")
# An equation in brackets after a value; `1/8 (= 0.125)` writes the value anew.
_EQUATION = re.compile(r"(?<=\d) \((?! ?[=~])[^()]{1,200}?[=≠<>][^()]{1,200}\)")
_EXPLAINED = re.compile(r"(\W{0,8}\d[\d.,/]{0,300}\W{0,4}?): (?=[\d(\[+-][^:]{0,400}=)")
# A line or sentence that only gives a reason or a check.
_ONLY = re.compile(
    r"[\s*_>-]*(?:(?:this|that|it)(?:'s| is) (?:because|since)\b|(?:because|since)\b|the reason is\b)(?!.*, )",
    re.IGNORECASE,
)
# A line or sentence that checks an answer.
_CHECKS = re.compile(rf"[\s*_(]*(?:(?:{_WHO}) )?{_MAY}(?:to )?(?:as a check|{_CHECK})\b", re.IGNORECASE)
_BRACKETED = re.compile(r"[\s*_]*\(([^()\[\]]*)\)[\s*_.]*")
_SIGN = re.compile("[=≠<>]")


def without_reasons(text: str) -> str:
    """Return a plain text without the reason or the check that follows a value in it; linear.

    ``The answer is 4, because 2 * 4 = 8`` becomes ``The answer is 4``; a text that begins with its reason stays.
    """
    text = _EQUATION.sub("", text) if " (" in text else text
    first = _DIGIT.search(text)
    if first is None:
        return text
    return text[: first.end()] + _AFTER.sub(" ", text[first.end() :])


def without_explanation(text: str) -> str:
    """Return a plain statement that begins with its value without the equation after a colon: ``4: 2 * 4 = 8``."""
    explained = _EXPLAINED.match(text)
    return explained[1] if explained else text


def is_reason(line: str) -> bool:
    """Return whether a plain line only says why something before it holds."""
    bracketed = _BRACKETED.fullmatch(line)
    return _SIGN.search(bracketed[1]) is not None if bracketed else _ONLY.match(line) is not None


def is_check(line: str) -> bool:
    """Return whether a line begins with words of a check: ``To verify: 42 - 30 = 12``."""
    return _CHECKS.match(line) is not None
