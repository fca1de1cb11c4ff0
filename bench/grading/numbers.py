"""Reads one number from plain text, exactly: integers, decimals, fractions, percents, powers of ten, words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from bench.grading.normalise import GLUE
from bench.grading.words import read_spelled

# Longer numbers are no answers of ours (a 64-fold product of three-digit factors has 192 digits), and both
# int() and Fraction() cost more than linear time in the digits.
MAX_DIGITS = 1000
# Less for the parts of a fraction, whose products have to stay short enough to be written out.
_MAX_PART = 300
_MAX_BRACKETS = 8


@dataclass(frozen=True, slots=True)
class Number:
    """A number as written.

    Attributes:
        value: Its exact value.
        decimals: Digits written after the point, 0 for an integer, None for a form that is exact by nature
            (a fraction, a mixed number, a repeating decimal).
        digits: Significant digits written, closing zeros included; 0 where ``decimals`` is None.
        open_ended: Whether an ellipsis says that the digits go on.
    """

    value: int | Fraction
    decimals: int | None = 0
    digits: int = 0
    open_ended: bool = False


_INTEGER = re.compile(r"[+-]?\d+", re.ASCII)
_DECIMAL = re.compile(
    rf"(?P<body>[\d.,'_ {GLUE}]*\d\.?)(?:\((?P<repeat>\d+)\))?(?P<open> ?\.\.\.)?"
    r"(?P<exponent>(?:[eE]| ?[*xX] ?10 ?\^ ?)\(?[+-]? ?\d{1,5}\)?)?",
    re.ASCII,
)
_EXPONENT_MARK = re.compile(r"^(?:[eE]| ?[*xX] ?10 ?\^ ?)|[() ]")
_POWER_OF_TEN = re.compile(r"10 ?\^ ?\(?([+-]?\d{1,4})\)?", re.ASCII)
_MIXED = re.compile(r"(\d+)(?: and)? (.+)", re.ASCII)
# A mixed number with its sign written out: `3 + 1/3`, `-3 - 1/3`.
_ADDED_FRACTION = re.compile(r"\A(?:\+?|(-))(\d+) ?(?(1)-|\+) ?(?=\(?\d+\)?/)", re.ASCII)
_SIGN = re.compile(r"(?:([+-])|(negative|minus|positive|plus)\b) ?", re.IGNORECASE)
_REPEATED = re.compile(rf"(\d+)(?:\. |[,{GLUE}] ?)(\d*)(\(\d+\))", re.ASCII)  # a decimal comma, or a stray space
_SPOKEN_REPEAT = re.compile(r"(\d+)\.(?P<repeat>(\d)\3*),? \(?(?:repeating|recurring)\)?", re.ASCII)
_RATIO = re.compile(r"(\d+)( ?):\2(\d+)", re.ASCII)
_PERCENT = re.compile(r" ?(?:%|percent|per cent)$", re.IGNORECASE)

# Ways to write digits in groups: the pattern, the group mark to drop, the decimal mark to turn into a point.
# The first that fits is the reading, so a decimal comma counts only where the comma can't be a group mark.
_WRITINGS = [
    (re.compile(r"\d*(?:\.\d*)?"), "", ""),
    (re.compile(r"[1-9]\d{0,2}(?:,\d{3})+(?:\.\d*)?"), ",", ""),
    (re.compile(r"[1-9]\d{0,2}(?:, \d{3})+(?:\.\d*)?"), ", ", ""),
    (re.compile(r"[1-9]\d?(?:,\d{2})+,\d{3}(?:\.\d*)?"), ",", ""),
    (re.compile(r"[1-9]\d{0,2}(?: \d{3})+(?:[.,]\d+)?"), " ", ","),
    (re.compile(r"[1-9]\d{0,2}(?:'\d{3})+(?:[.,]\d+)?"), "'", ","),
    (re.compile(r"[1-9]\d{0,2}(?:_\d{3})+(?:\.\d+)?"), "_", ""),
    (re.compile(rf"[1-9]\d{{0,2}}(?:{GLUE}\d{{3}})+(?:\.\d*)?"), GLUE, ""),
    (re.compile(r"[1-9]\d{0,2}(?:\.\d{3}){2,}"), ".", ""),
    (re.compile(r"[1-9]\d{0,2}(?:\.\d{3})+,\d+"), ".", ","),
    (re.compile(r"\d+,\d+"), "", ","),
    (re.compile(rf"\d+{GLUE}\d+"), "", GLUE),
]


def read_number(text: str) -> Number | None:
    """Return the number that the whole of ``text`` writes, None if it does not write exactly one.

    Limit: no more than 1,000 digits on either side of the point, 300 characters in a fraction.
    """
    if len(text) > 2 * MAX_DIGITS:
        return None
    if _INTEGER.fullmatch(text):
        return _integer(text)
    text = _ADDED_FRACTION.sub(r"\1\2 ", text) if "/" in text else text
    sign, unsigned = _split_sign(text)
    percent = _PERCENT.search(unsigned[-12:])
    if percent:
        unsigned = unsigned[: -len(percent.group())]
    found = _read_unsigned(unsigned)
    if found is None:
        return None
    value, decimals = found.value * sign, found.decimals
    if percent:
        value, decimals = Fraction(value, 100), None if decimals is None else decimals + 2
    return Number(_simplest(value), decimals, found.digits, found.open_ended)


def _integer(text: str) -> Number | None:
    digits = text.lstrip("+-")
    return Number(int(text), 0, len(digits)) if len(digits) <= MAX_DIGITS else None


def _split_sign(text: str) -> tuple[int, str]:
    match = _SIGN.match(text)
    if not match:
        return 1, text
    negative = match.group().strip().lower() in ("-", "negative", "minus")
    return (-1 if negative else 1), text[match.end() :]


def is_wrapped(text: str, pair: str = "()") -> bool:
    """Return whether the first and the last character are a pair of brackets around all of the text."""
    if not (len(text) > 1 and text[0] == pair[0] and text[-1] == pair[1]):
        return False
    depth = 0
    for place, char in enumerate(text):
        depth += (char == pair[0]) - (char == pair[1])
        if depth == 0:
            return place == len(text) - 1
    return False


def _read_unsigned(text: str) -> Number | None:
    """Read a number without its sign, in whatever form."""
    if not text:
        return None
    if is_wrapped(text):
        return read_number(text[1:-1].strip()) if text.count("(") <= _MAX_BRACKETS else None
    if "/" in text:
        return _read_fraction(text)
    text = _REPEATED.sub(r"\1.\2\3", text) if text.endswith(")") else text
    match = _DECIMAL.fullmatch(text)
    if match:
        return _read_decimal(match)
    return _read_spoken(text)


def _read_spoken(text: str) -> Number | None:
    """Read a ratio, a power of ten or words."""
    ratio = _RATIO.fullmatch(text)
    if ratio:
        return _read_fraction(f"{ratio[1]}/{ratio[3]}")
    repeated = _SPOKEN_REPEAT.fullmatch(text)
    if repeated:
        return read_number(f"{repeated[1]}.({repeated[3]})")
    power = _POWER_OF_TEN.fullmatch(text)
    if power:
        return _scaled(1, 0, int(power.group(1)), 1)
    spelled = read_spelled(text)
    return None if spelled is None else Number(spelled, 0, len(str(spelled)))


def _read_decimal(match: re.Match[str]) -> Number | None:
    body = _without_groups(match["body"])
    if body is None:
        return None
    whole, _, part = body.partition(".")
    if max(len(whole), len(part)) > MAX_DIGITS:
        return None
    digits = int((whole + part) or "0")
    if match["repeat"]:
        return _repeating(digits, part, match["repeat"]) if "." in body and not match["exponent"] else None
    exponent = _EXPONENT_MARK.sub("", match["exponent"] or "")
    number = _scaled(digits, len(part), int(exponent or 0), len((whole + part).lstrip("0")))
    if number and match["open"]:
        return Number(number.value, number.decimals, number.digits, open_ended=True) if "." in body else None
    return number


def _without_groups(text: str) -> str | None:
    """Return the digits with nothing but a decimal point between them, None where the grouping is not legal."""
    for pattern, group, point in _WRITINGS:
        if pattern.fullmatch(text):
            text = text.replace(group, "") if group else text
            return text.replace(point, ".") if point else text
    return None


def _scaled(digits: int, decimals: int, exponent: int, significant: int) -> Number | None:
    """Return digits · 10^(exponent − decimals), None where the power is beyond the limit."""
    if abs(exponent) > MAX_DIGITS:
        return None
    power = exponent - decimals
    value = digits * 10**power if power >= 0 else Fraction(digits, 10**-power)
    return Number(_simplest(value), max(0, -power), significant)


def _repeating(digits: int, part: str, repeat: str) -> Number | None:
    """Return the value of digits whose last ones, ``repeat``, go on for ever."""
    if max(len(part), len(repeat)) > _MAX_PART:
        return None
    shift = 10 ** len(repeat)
    whole = digits * shift + int(repeat)
    return Number(_simplest(Fraction(whole - digits, 10 ** len(part) * (shift - 1))), None)


def _read_fraction(text: str) -> Number | None:
    """Read ``a/b``, ``(a)/(b)`` or a mixed number ``n a/b``."""
    if len(text) > _MAX_PART:
        return None
    left, _, right = text.partition("/")
    left, right = left.strip(), right.strip()
    if "/" in right:
        return None
    denominator = _read_part(right)
    mixed = _MIXED.fullmatch(left)
    if mixed and denominator:
        return _read_mixed(mixed[1], _read_part(mixed[2]), denominator, left)
    return _quotient(0, _read_part(left), denominator)


def _read_mixed(whole: str, numerator: Number | None, denominator: Number, left: str) -> Number | None:
    proper = numerator and 0 < numerator.value < denominator.value
    if proper:
        return _quotient(int(whole), numerator, denominator)
    return _quotient(0, _read_part(left), denominator)  # `1 234/5` groups the digits of one numerator


def _read_part(text: str) -> Number | None:
    """Read the numerator or denominator: one number, in brackets or not, that is no fraction itself."""
    if is_wrapped(text):
        text = text[1:-1].strip()
    return None if any(mark in text for mark in "/(%eE^") else read_number(text)


def _quotient(whole: int, numerator: Number | None, denominator: Number | None) -> Number | None:
    if numerator is None or denominator is None or denominator.value == 0:
        return None
    return Number(_simplest(whole + Fraction(numerator.value) / denominator.value), None)


def _simplest(value: int | Fraction) -> int | Fraction:
    return int(value) if value.denominator == 1 else value
