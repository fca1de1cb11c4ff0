"""Reads the one number that a candidate states, with its label, unit or equation around it."""

from __future__ import annotations

import re
from fractions import Fraction

from bench.grading.labels import is_label, scaled, turns
from bench.grading.normalise import GLUE
from bench.grading.numbers import Number, is_wrapped, read_number
from bench.grading.words import read_spelled

_ENDS = " \t.,;:!?*\"'#`"
_PAIRS = ("()", "[]", "<>")
OPENERS = "([<"
SIDES = re.compile(r" ?(->|=+|~) ?")
OR = re.compile(r" ?\(?,? ?\bor\b(?: (?:about|approximately|roughly|equivalently))? ?~? ?", re.IGNORECASE)
_ASSIGNMENT = re.compile(r"([^,;a-zA-Z]+)(?:[,;]|\bor\b|\band\b) ?[a-zA-Z_]\w*", re.ASCII)
START = re.compile(r"[+-]? ?\.?\d", re.ASCII)
# Everything that may belong to one number, up to the first character that can't.
RUN = re.compile(
    rf"(?:[\d.,'_ {GLUE}/()%^*+-]|[eE](?=[+-]?\d)|[xX](?= ?10 ?\^)|and(?= \d+ ?/))+",
    re.ASCII,
)
# What a label or unit may hold. An operator or a backslash would change the value, `(` would call a function.
_LABEL = re.compile(r"[^\d\\=<>+*/^~±≤≥≠√(|]*", re.ASCII)
_UNIT = re.compile(r"(?!\^)[^\d\\=<>+*^~±≤≥≠√|]*(?:\^?[23])?[^\d\\=<>+*^~±≤≥≠√|]*", re.ASCII)
_FACTOR = re.compile(r"[ijknxyz]")  # `42x`, no unit
_SPELLED_SIGN = re.compile(r"\b(?:negative|minus)$", re.IGNORECASE)
_AFTER_LABEL = re.compile(r"\bis\b|:", re.IGNORECASE)
_LETTER = re.compile(r"[^\W\d_]")
_REMARK = re.compile(r"[^\W\d_]|\d, ?[+-]?\d")
_GLOSS = re.compile(r"([^()]+?) ?\( ?(?:[=~]|or\b)? ?([^()]+)\)")
WORKINGS = re.compile(r"(?<=\d) \([^()]*\)(?=[ .,;]*$)")  # `7 (3 + 4)`
ASIDE = re.compile(r"[(\[][^()\[\]]*[)\]]")
_MAX_SIDES = 64


def bare(text: str) -> str:
    """Return the text without quotes, closing punctuation and brackets around all of it."""
    for _ in range(4):  # brackets in brackets; deeper nesting is no way to write an answer
        text = text.rstrip(_ENDS) if text.startswith(".") else text.strip(_ENDS)
        if not any(is_wrapped(text, pair) for pair in _PAIRS):
            break
        text = text[1:-1]
    return text


def without_asides(text: str, remark: re.Pattern[str] = _REMARK) -> str:
    """Return the text without remarks in brackets, those that hold a letter or several numbers; linear."""
    if "(" not in text and "[" not in text:
        return text
    return ASIDE.sub(lambda m: " " if remark.search(m.group()) else m.group(), text)


def read_scalar(text: str) -> Number | None:
    """Return the one number that all of ``text`` states, None where it states none or several.

    Read are ``7``, ``x = 7``, ``3 + 4 = 7``, ``7 = 3 + 4``, ``Sum: 7``, ``7 apples``, ``[7]`` and ``seven``.
    """
    number = _read_bare(text)
    if number is not None:
        return number
    core = without_asides(bare(text)).strip()
    if core.endswith(")") and (number := _read_glossed(core)):
        return number
    if SIDES.search(core):
        return _read_equation(core)
    number = _read_labelled(core) or read_alternatives(bare(text))
    return number or (_read_labelled(WORKINGS.sub("", core)) if WORKINGS.search(core) else None)


def _read_bare(text: str) -> Number | None:
    """Read a number with or without closing punctuation; dots after digits may say that they go on."""
    number = read_number(text)
    if number is None and (core := bare(text)) != text:
        return read_number(core)
    return number


def _read_equation(text: str) -> Number | None:
    """Return the number on the last side, else the one that another side writes bare."""
    *parts, last = SIDES.split(text, maxsplit=_MAX_SIDES)
    number = _read_bare(last) or _read_labelled(last)
    sides = [_read_bare(side) for side in parts[::2]]
    if number is None:
        if turns(last):  # `7 / 2 = 3 remainder 1` gives another value than its left side
            return None
        known = [side for side in sides if side is not None]
        return known[0] if known and all(side.value == known[0].value for side in known) else None
    if any(_assigns_another(side, number) for side in parts[2::2]):
        return None
    exact = sides[-1] if sides else None
    if parts and parts[-1] == "~" and exact and exact.decimals is None and _rounds_to(exact, number):
        return exact  # `10/3 ≈ 3.3` gives the value and then says how large it is
    return number


def _read_glossed(text: str) -> Number | None:
    """Return the number that stands with another form of it in brackets: ``1/8 (= 0.125)``."""
    match = _GLOSS.fullmatch(text)
    forms = [read_number(form.strip()) for form in match.groups()] if match else []
    numbers = [number for number in forms if number is not None]
    return _one_of_equal(numbers) if len(numbers) == 2 else None


def _one_of_equal(numbers: list[Number]) -> Number | None:
    """Return the exact one of several forms of a number, None where they are several numbers."""
    exact = next((number for number in numbers if number.decimals is None), numbers[0])
    same = all(number.value == exact.value or _rounds_to(exact, number) for number in numbers)
    return exact if same else None


def read_alternatives(text: str) -> Number | None:
    """Return the number that two or three forms, joined by "or", write: ``1/2 or 0.5``."""
    forms = [read_number(bare(form)) for form in OR.split(text, maxsplit=3)]
    numbers = [number for number in forms if number is not None]
    if not 1 < len(numbers) == len(forms) < 4:
        return None
    return _one_of_equal(numbers)


def _assigns_another(side: str, number: Number) -> bool:
    """Return whether a middle side, as in ``x = 7 or x = 8``, gives a label another number."""
    match = _ASSIGNMENT.fullmatch(side)
    other = read_number(match.group(1).strip()) if match else None
    return other is not None and other.value != number.value


def _rounds_to(exact: Number, number: Number) -> bool:
    return number.decimals is not None and abs(Fraction(exact.value) - number.value) * 2 * 10**number.decimals <= 1


def _read_labelled(text: str) -> Number | None:
    """Return the number in ``label number unit`` if label and unit leave its value alone."""
    start = START.search(text)
    if not start:
        return spelled_with_label(text)
    label, rest = text[: start.start()], text[start.start() :].lstrip()
    run = RUN.match(rest)
    if run is None or not _LABEL.fullmatch(label):
        return None
    digits = run.group().rstrip(" .,'_(/*+-")
    unit = rest[len(digits) :]
    if not _UNIT.fullmatch(unit) or turns(unit) or _FACTOR.fullmatch(unit):
        return None
    label = label.strip()
    if label.endswith("-") and label.rstrip("- ") == "":
        return None  # `--7`
    sign = _SPELLED_SIGN.search(label[-12:])
    if sign:
        label, digits = label[: -len(sign.group())], "-" + digits
    # After a word, a sign that stands apart is an operator or a dash.
    if turns(label) or not is_label(label) or (_LETTER.match(label[-1:]) and digits[:2] in ("+ ", "- ")):
        return None
    return scaled(read_number(digits), unit)


def spelled_with_label(text: str) -> Number | None:
    """Return the number that words spell after a label's colon or ``is``."""
    spelled = _AFTER_LABEL.split(text[:400])[-1]
    value = read_spelled(bare(spelled))
    return None if value is None else Number(value, 0, len(str(value)))
