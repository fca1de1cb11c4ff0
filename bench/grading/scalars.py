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
# A letter that is no unit, `42x`, or a sign that nothing follows, `42/`.
_FACTOR = re.compile(r"[a-fijkn-rt-z]|\s*[/-]\s*|[^\w\s]?_.*", re.DOTALL)
_GOES_ON = re.compile(r"(?<![\d.,])\d+ ?\.\.\.$", re.ASCII)  # `42...`: an integer has all of its digits
_DOTS = re.compile(r"\.\d+ ?\.\.\.[\s*_$]*$", re.ASCII)
_GLUED = re.compile(r"\w$")
_MOST_UNIT_WORDS = 3
_LAST_WORD = re.compile(r"[^\W\d_]+$")
_VERB = re.compile(
    r" (?:is|are|was|were|has|have|had|can|will|would|does|do|did|must|should|may|might|comes?|"
    r"appears?|occurs?|lies|stands)\b",
    re.IGNORECASE,
)
_UNIT_GOES_ON = re.compile(
    r"[,;(]|\b(?:in|as|for|of|by|because|since|when|after|if|from|with|to|on|at|is|are|which|between|altogether|"
    r"total|overall|so|and|here|there)\b",
    re.IGNORECASE,
)
_SPELLED_SIGN = re.compile(r"\b(?:negative|minus)$", re.IGNORECASE)
_AFTER_LABEL = re.compile(r"\bis\b|:", re.IGNORECASE)
_LETTER = re.compile(r"[^\W\d_]")
_REMARK = re.compile(r"[^\W\d_]|\d, ?[+-]?\d")
# Remarks in brackets that change what stands before them.
TURNING = re.compile(
    r"\b(?:wrong|incorrect|false|mistaken?|not (?:right|correct|true|the answer)|mod|modulo|base(?! (?:10|ten)\b)|hex|"
    r"hexadecimal|octal|binary|repeating|recurring|reverse[sd]?|unsorted|descending)\b",
    re.IGNORECASE,
)
_GLOSS = re.compile(r"([^()]+?) ?\( ?(?:[=~]|or\b)? ?([^()]+)\)")
WORKINGS = re.compile(r"(?<=\d) \([^()a-zA-Z]*\)(?=[ .,;]*$)")  # `7 (3 + 4)`
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
    """Return the text without remarks in brackets, those that hold a letter or several numbers; linear.

    A remark that changes what it is about stays: ``42 (mod 50)``, ``42 (wrong)``.
    """
    if "(" not in text and "[" not in text:
        return text
    return ASIDE.sub(lambda m: " " if remark.search(m.group()) and not TURNING.search(m.group()) else m.group(), text)


def read_scalar(text: str) -> Number | None:
    """Return the one number that all of ``text`` states, None where it states none or several.

    Read are ``7``, ``x = 7``, ``3 + 4 = 7``, ``7 = 3 + 4``, ``Sum: 7``, ``7 apples``, ``[7]`` and ``seven``.
    """
    if _GOES_ON.search(text):
        return None
    number = _read_bare(text)
    if number is not None:
        return number
    core = without_asides(bare(text)).strip()
    if core.endswith(")") and (number := _read_glossed(core)):
        return number
    if SIDES.search(core):
        return _read_equation(core + "..." if _DOTS.search(text) else core)
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
    if _contradicts(sides, parts[1::2], _read_bare(last)):
        return None
    if number is None:
        if turns(last):  # `7 / 2 = 3 remainder 1` gives another value than its left side
            return None
        known = [side for side in sides if side is not None]
        return known[0] if known and all(side.value == known[0].value for side in known) else None
    if any(_assigns_another(side, number) for side in parts[2::2]):
        return None
    exact = sides[-1] if sides else None
    if exact and _is_finer(exact, number) and (parts[-1] != "=" or exact.decimals is not None):
        return exact  # `10/3 ≈ 3.3` gives the value and then says how large it is
    return number


def _contradicts(sides: list[Number | None], signs: list[str], last: Number | None) -> bool:
    """Return whether a sign stands between two bare numbers that contradict it, as in ``43 = 42``."""
    for sign, left, right in zip(signs, sides, [*sides[1:], last], strict=True):
        written = left is not None and right is not None and None not in (left.decimals, right.decimals)
        if left is None or right is None or not written or sign == "->":
            continue
        if left.value != right.value and not (_is_finer(left, right) or _is_finer(right, left)):
            return True
    return False


def _is_finer(exact: Number, number: Number) -> bool:
    """Return whether the first is written to more decimals and the second is its rounding."""
    if number.decimals is None or (exact.decimals is not None and exact.decimals <= number.decimals):
        return False
    return _rounds_to(exact, number)


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
    if (
        not _UNIT.fullmatch(unit)
        or turns(unit)
        or (_FACTOR.fullmatch(unit.strip()) and not _is_thousands(digits, unit))
    ):
        return None
    if is_predicated(unit) or (_GLUED.search(label) and not _ends_in_word(label)):
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


def _is_thousands(digits: str, unit: str) -> bool:
    """Return whether a ``k`` means thousands, as after a decimal; ``42k`` may be a multiple of k."""
    return unit.strip() == "k" and "." in digits


def is_predicated(unit: str) -> bool:
    """Return whether more than a unit follows a number, a verb of which it is the subject: ``42 is odd``."""
    head = _UNIT_GOES_ON.split(unit, maxsplit=1)[0]
    return len(head.split()) > _MOST_UNIT_WORDS or _VERB.match(unit) is not None


def _ends_in_word(label: str) -> bool:
    """Return whether what is glued to a number is a word that names it, ``is42``, and no part of a name, ``A42``."""
    word = _LAST_WORD.search(label)
    return word is not None and len(word.group()) > 1 and is_label(word.group())


def spelled_with_label(text: str) -> Number | None:
    """Return the number that words spell after a label's colon or ``is``."""
    spelled = _AFTER_LABEL.split(text[:400])[-1]
    value = read_spelled(bare(spelled))
    return None if value is None else Number(value, 0, len(str(value)))
