"""Reads one number from plain text, exactly: integers, decimals, fractions, percents, powers of ten, words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from bench.grading.normalise import GLUE

# Longer numbers are no answers of ours (a 64-fold product of three-digit factors has 192 digits), and both
# int() and Fraction() cost more than linear time in the digits.
MAX_DIGITS = 1000
# Less for the parts of a fraction, whose products have to stay short enough to be written out.
_MAX_PART = 300


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
_POWER_OF_TEN = re.compile(r"10 ?\^ ?\(?([+-]?\d{1,4})\)?", re.ASCII)
_MIXED = re.compile(r"(\d+)(?: and)? (.+)", re.ASCII)
_SIGN = re.compile(r"(?:([+-])|(negative|minus|positive|plus)\b) ?", re.IGNORECASE)
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


def _read_unsigned(text: str) -> Number | None:
    """Read a number without its sign: digits, a fraction, a mixed number or words."""
    if not text:
        return None
    if "/" in text:
        return _read_fraction(text)
    match = _DECIMAL.fullmatch(text)
    if match:
        return _read_decimal(match)
    power = _POWER_OF_TEN.fullmatch(text)
    if power:
        return _scaled(1, 0, int(power.group(1)), 1)
    if text[0] == "(" and text[-1] == ")" and "(" not in text[1:]:
        return read_number(text[1:-1].strip())
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
    exponent = re.sub(r"^(?:[eE]| ?[*xX] ?10 ?\^ ?)|[() ]", "", match["exponent"] or "")
    number = _scaled(digits, len(part), int(exponent or 0), len((whole + part).lstrip("0")))
    if number and match["open"]:
        return Number(number.value, number.decimals, number.digits, open_ended="." in body)
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
    if text.startswith("(") and text.endswith(")") and "(" not in text[1:]:
        text = text[1:-1].strip()
    return None if any(mark in text for mark in "/(%eE^") else read_number(text)


def _quotient(whole: int, numerator: Number | None, denominator: Number | None) -> Number | None:
    if numerator is None or denominator is None or denominator.value == 0:
        return None
    return Number(_simplest(whole + Fraction(numerator.value) / denominator.value), None)


def _simplest(value: int | Fraction) -> int | Fraction:
    return int(value) if value.denominator == 1 else value


# --- Words ----------------------------------------------------------------------------------------------------

_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_WORDS = {word: value for value, word in enumerate(_SMALL)} | {
    word: 10 * value for value, word in enumerate(_TENS, 2)
}
_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_FIRST_WORD = re.compile(r"[a-z]+", re.IGNORECASE)
_FIRST_WORDS = frozenset({*_WORDS, "minus", "negative", "a", "an"})
_MAX_WORDS = 40


def read_spelled(text: str) -> int | None:
    """Return the integer that English words spell, e.g. ``forty-two`` or ``minus one hundred and five``."""
    first = _FIRST_WORD.match(text)
    if first is None or first.group().lower() not in _FIRST_WORDS:
        return None
    words = text[:1000].lower().replace("-", " ").replace(",", " ").split()
    sign = -1 if words[0] in ("minus", "negative") else 1
    words = [word for word in (words[1:] if sign < 0 else words) if word != "and"]
    if not words or len(words) > _MAX_WORDS:
        return None
    total = group = 0
    scale = 10**15
    for word in ["one", *words[1:]] if words[0] in ("a", "an") and len(words) > 1 else words:
        value = _WORDS.get(word)
        if value is not None and _may_follow(group, value):
            group += value
        elif word == "hundred" and 0 < group < 10:
            group *= 100
        elif group and _SCALES.get(word, scale) < scale:
            scale = _SCALES[word]
            total, group = total + group * scale, 0
        else:
            return None
    return sign * (total + group)


def _may_follow(group: int, value: int) -> bool:
    """Return whether a number word may follow what its group of three digits holds already."""
    rest = group % 100
    if value == 0:
        return group == 0
    return rest == 0 or (rest >= 20 and rest % 10 == 0 and value < 10)
