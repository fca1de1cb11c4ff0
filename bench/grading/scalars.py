"""Reads the one number that a candidate states, with its label, unit or equation around it."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import pairwise

from bench.grading.normalise import GLUE
from bench.grading.numbers import Number, is_wrapped, read_number
from bench.grading.words import read_spelled, words

_ENDS = " \t.,;:!?*\"'#`"
_PAIRS = ("()", "[]", "<>")
_OPENERS = "([<"
_SIDES = re.compile(r" ?(->|=+|~) ?")
_OR = re.compile(r" ?\(?,? ?\bor\b(?: (?:about|approximately|roughly|equivalently))? ?~? ?", re.IGNORECASE)
_ASSIGNMENT = re.compile(r"([^,;a-zA-Z]+)(?:[,;]|\bor\b|\band\b) ?[a-zA-Z_]\w*", re.ASCII)
_START = re.compile(r"[+-]? ?\.?\d", re.ASCII)
# Everything that may belong to one number, up to the first character that can't.
_RUN = re.compile(
    rf"(?:[\d.,'_ {GLUE}/()%^*+-]|[eE](?=[+-]?\d)|[xX](?= ?10 ?\^)|and(?= \d+ ?/))+",
    re.ASCII,
)
# What a label or unit may hold. An operator or a backslash would change the value, `(` would call a function.
_LABEL = re.compile(r"[^\d\\=<>+*/^~±≤≥≠√(|]*", re.ASCII)
_UNIT = re.compile(r"(?!\^)[^\d\\=<>+*^~±≤≥≠√|]*(?:\^?[23])?[^\d\\=<>+*^~±≤≥≠√|]*", re.ASCII)
_FACTOR = re.compile(r"[ijknxyz]")  # `42x`, no unit
# Words beside a number that make it something else than the answer.
_TURNS = re.compile(
    r"\b(?:not|no|never|neither|nor|or|either|between|than|except|over|at (?:least|most)|up to|infinity|"
    r"remainder|modulo|mod|minus|plus|times|divided|multiplied|squared|cubed|sqrt|root|log|ln|sin|cos|tan|factorial|wrong|incorrect|false|doubt|unlikely)\b"
    r"|n't\b",
    re.IGNORECASE,
)
_DENIED = re.compile(r"\b(?:wrong|incorrect|false)\b", re.IGNORECASE)
_SPELLED_SIGN = re.compile(r"\b(?:negative|minus)$", re.IGNORECASE)
_AFTER_LABEL = re.compile(r"\bis\b|:", re.IGNORECASE)
_LETTER = re.compile(r"[^\W\d_]")
_REMARK = re.compile(r"[^\W\d_]|\d, ?[+-]?\d")
_GLOSS = re.compile(r"([^()]+?) ?\( ?(?:[=~]|or\b)? ?([^()]+)\)")
_WORKINGS = re.compile(r"(?<=\d) \([^()]*\)(?=[ .,;]*$)")  # `7 (3 + 4)`
_ASIDE = re.compile(r"[(\[][^()\[\]]*[)\]]")
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
    return _ASIDE.sub(lambda m: " " if remark.search(m.group()) else m.group(), text)


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
    if _SIDES.search(core):
        return _read_equation(core)
    number = _read_labelled(core) or _read_alternatives(bare(text))
    return number or (_read_labelled(_WORKINGS.sub("", core)) if _WORKINGS.search(core) else None)


def _read_bare(text: str) -> Number | None:
    """Read a number with or without closing punctuation; dots after digits may say that they go on."""
    number = read_number(text)
    if number is None and (core := bare(text)) != text:
        return read_number(core)
    return number


def _read_equation(text: str) -> Number | None:
    """Return the number on the last side, else the one that another side writes bare."""
    *parts, last = _SIDES.split(text, maxsplit=_MAX_SIDES)
    number = _read_bare(last) or _read_labelled(last)
    sides = [_read_bare(side) for side in parts[::2]]
    if number is None:
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


def _read_alternatives(text: str) -> Number | None:
    """Return the number that two or three forms, joined by "or", write: ``1/2 or 0.5``."""
    forms = [read_number(bare(form)) for form in _OR.split(text, maxsplit=3)]
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
    start = _START.search(text)
    if not start:
        return _spelled_with_label(text)
    label, rest = text[: start.start()], text[start.start() :].lstrip()
    run = _RUN.match(rest)
    if run is None or not _LABEL.fullmatch(label):
        return None
    digits = run.group().rstrip(" .,'_(/*+-")
    unit = rest[len(digits) :]
    if not _UNIT.fullmatch(unit) or _TURNS.search(unit) or _FACTOR.fullmatch(unit):
        return None
    label = label.strip()
    sign = _SPELLED_SIGN.search(label[-12:])
    if sign:
        label, digits = label[: -len(sign.group())], "-" + digits
    # After a word, a sign that stands apart is an operator or a dash.
    if _TURNS.search(label) or (_LETTER.match(label[-1:]) and digits[:2] in ("+ ", "- ")):
        return None
    return read_number(digits)


def _spelled_with_label(text: str) -> Number | None:
    """Return the number that words spell after a label's colon or ``is``."""
    spelled = _AFTER_LABEL.split(text[:400])[-1]
    value = read_spelled(bare(spelled))
    return None if value is None else Number(value, 0, len(str(value)))


# --- Statements -----------------------------------------------------------------------------------------------

_SENTENCE_END = re.compile(r"(?<=[^\s\d])[.!?](?=\s|$)|(?<=\d)\?(?=\s)|(?<=\d)[.!?](?=\s+[^\W\d]|\s*$)")
# What stands between a subject and the value that a sentence gives it; `to`, `of` and `in` only after some words.
_CLAIM_WORDS = frozenset(
    words(
        "is are was be equal equals give gives make makes yield yields total totals become becomes get gets obtain "
        "have has return returns found find counted count contains i.e. namely therefore thus hence 等于 等於 是 "
        "为 為 は"
    )
)
_CLAIM_PAIRS = frozenset(
    words(
        "sum total up amount amounts come comes evaluate evaluates simplify simplifies round rounds reduce reduces "
        "equal lead leads result results out average mean median difference product quotient value maximum minimum"
    )
)
_WORD_OR_MARK = re.compile(r"i\.e\.|[a-z]+|等于|等於|是|为|為|は|->|=+>?|~|(?<!\d):|:(?!\d)", re.IGNORECASE)
_FOLLOWED_BY_OPERATOR = re.compile(
    r" ?(?:[+*/^<>=~±≤≥≠|]|-(?! [a-z]{2})|, ?[+-]?\d|; ?[+-]?\d|(?:and|or|plus|minus|times|divided|multiplied|over|to|"
    r"mod|modulo|remainder|x|through|out of)\b(?! the\b)|[-,;.]? ?(?:no,|no wait|wait|sorry)\b)",
    re.IGNORECASE,
)
_BEFORE_VALUE = re.compile(
    r"(?:(?:about|approximately|roughly|exactly|just|simply|therefore|thus|also|then|indeed|now|only|equal to|"
    r"the number|the value|the integer)\b|[\s:,\"'€£¥₹])*",
    re.IGNORECASE,
)
_NOT_BUT = re.compile(r"\bnot [^,.;]{1,40}? but (?:rather )?", re.IGNORECASE)
_DOUBT = re.compile(
    r"(?:\bnot|n't|\bcannot|\bnever|\bdoubt(?: that)?(?: it)?|\bunlikely(?: that it)?) *$", re.IGNORECASE
)
_NAMED = re.compile(
    r"(?<![\w.,/^*+-])([+-]?\d[\d.,/]{0,300}) is (?:(?:therefore|thus|indeed|clearly|also|then) )?(?:the|our|your) "
    r"(?:\w+ ){0,2}?(?:largest|greatest|biggest|highest|maximum|max|smallest|least|lowest|minimum|min|median|mean|"
    r"average|sum|total|difference|product|quotient|count|answer|result|solution)\b",
    re.IGNORECASE,
)
_FIRST_PHRASE = re.compile(r"[,;(]|\b(?:because|since|as)\b")
_MAX_SENTENCES = 32
_MAX_CLAIMS = 32


def first_sentence(text: str) -> str:
    """Return the text up to the end of its first sentence; a decimal point is none."""
    end = _SENTENCE_END.search(text)
    return text[: end.start()] if end else text


def last_sentences(text: str) -> list[str]:
    """Return the non-empty sentences of a text with their closing marks, the last one first, at most 32."""
    ends = [0, *(match.end() for match in _SENTENCE_END.finditer(text)), len(text)]
    sentences = [text[begin:end].strip() for begin, end in pairwise(ends[-_MAX_SENTENCES - 1 :])]
    return [sentence for sentence in reversed(sentences) if sentence]


def read_scalar_statement(text: str) -> Number | None:
    """Return the number with which a statement begins or, failing that, the last one that it claims."""
    sentence = _WORKINGS.sub("", without_asides(first_sentence(text))).strip()
    head, more, _ = sentence.partition(";")
    if more and (number := read_scalar(head.strip())):
        return number  # `7; check: 7 - 4 = 3`
    number = read_scalar(sentence) or _read_leading(sentence) or read_scalar_claim(sentence)
    return number or _spelled_with_label(_FIRST_PHRASE.split(sentence, maxsplit=1)[0])


def read_scalar_claim(sentence: str) -> Number | None:
    """Return the number that a sentence says something is, e.g. 7 in ``3 and 4 add up to 7``."""
    sentence = _NOT_BUT.sub("", without_asides(sentence)).strip()
    return read_scalar(sentence) or _read_claimed(sentence) or _read_named(sentence)


def _read_named(sentence: str) -> Number | None:
    """Return the number that a sentence says is what was asked for: ``of the three, 17 is the largest``."""
    found = _NAMED.findall(sentence)
    return read_number(found[-1]) if found and not _TURNS.search(sentence) else None


def read_scalar_in_words(text: str) -> Number | None:
    """Return the number that a sentence in a box claims, None for an equation, a choice or mere words."""
    text = without_asides(text)
    told = len(_claimed(text)) > 1 and not _SIDES.search(text) and not _OR.search(text) and not _DENIED.search(text)
    return _read_claimed(text) if told else None


def _read_claimed(sentence: str) -> Number | None:
    pieces = _claimed(sentence)[-_MAX_CLAIMS:]
    for before, piece in zip(reversed(["", *pieces[:-1]]), reversed(pieces), strict=True):
        number = _read_leading(piece.strip()) or _read_alternatives(bare(piece))
        if number is not None and not _DOUBT.search(before[-40:]):
            return number
    return None


def _claimed(sentence: str) -> list[str]:
    """Return the pieces of a sentence between its verbs, colons and equals signs."""
    pieces, begin, before = [], 0, ""
    for match in _WORD_OR_MARK.finditer(sentence):
        word = match.group().lower()
        linked = word in ("to", "of", "in") and before in _CLAIM_PAIRS
        if linked or word in _CLAIM_WORDS or not word[0].isalpha():
            pieces.append(sentence[begin : match.start()])
            begin = match.end()
        before = word
    return [*pieces, sentence[begin:]]


def _read_leading(text: str) -> Number | None:
    """Return the number at the beginning of a phrase, unless what follows makes it an operand."""
    skipped = _BEFORE_VALUE.match(text)
    text = text[skipped.end() if skipped else 0 :]
    if text[:1] in _OPENERS and (inner := _ASIDE.match(text)):
        text = inner.group()[1:-1] + text[inner.end() :]
    run = _RUN.match(text)
    if not run or not _START.match(text):
        return None
    digits = run.group().rstrip(" .,'_(/*+-")
    after = text[len(digits) :]
    if _FOLLOWED_BY_OPERATOR.match(after):
        return None
    return read_number(digits)
