"""Reads the one number that a candidate states, with its label, unit or equation around it."""

from __future__ import annotations

import re
from itertools import pairwise

from bench.grading.normalise import GLUE
from bench.grading.numbers import Number, read_number, read_spelled

_ENDS = " \t.,;:!?*\"'#`"
_OPENERS, _CLOSERS = "([{<", ")]}>"
_SIDES = re.compile(r" ?(=+|~) ?")
_START = re.compile(r"[+-]? ?\.?\d", re.ASCII)
# Everything that may belong to one number, up to the first character that can't.
_RUN = re.compile(
    rf"(?:[\d.,'_ {GLUE}/()%^*+-]|[eE](?=[+-]?\d)|[xX](?= ?10 ?\^)|and(?= \d+ ?/))+",
    re.ASCII,
)
# What a label or unit may hold. An operator or a backslash would change the value, `(` would call a function.
_LABEL = re.compile(r"[^\d\\=<>+*/^~±≤≥≠√(|]*", re.ASCII)
_UNIT = re.compile(r"(?!\^)[^\d\\=<>+*^~±≤≥≠√|]*(?:\^?[23])?[^\d\\=<>+*^~±≤≥≠√|]*", re.ASCII)
# Words beside a number that make it something else than the answer.
_TURNS = re.compile(
    r"\b(?:not|no|never|neither|nor|or|either|between|than|except|over|at (?:least|most)|up to|infinity|"
    r"remainder|modulo|mod|minus|plus|times|divided|multiplied|squared|cubed|sqrt|root|log|ln|sin|cos|tan|factorial)\b"
    r"|n't\b",
    re.IGNORECASE,
)
_LETTER = re.compile(r"[^\W\d_]")
_ASIDE = re.compile(r"[(\[][^()\[\]]*[)\]]")
_MAX_SIDES = 64


def bare(text: str) -> str:
    """Return the text without quotes, closing punctuation and brackets around all of it."""
    for _ in range(4):  # brackets in brackets; deeper nesting is no way to write an answer
        text = text.rstrip(_ENDS) if text.startswith(".") else text.strip(_ENDS)
        if not _is_wrapped(text):
            break
        text = text[1:-1]
    return text


def _is_wrapped(text: str) -> bool:
    """Return whether the first and the last character are a pair that holds no bracket of its kind."""
    kind = _OPENERS.find(text[:1]) if text else -1
    if kind < 0 or text[-1] != _CLOSERS[kind]:
        return False
    inner = text[1:-1]
    return _OPENERS[kind] not in inner.lstrip(_OPENERS[kind]) and _CLOSERS[kind] not in inner.rstrip(_CLOSERS[kind])


def without_asides(text: str) -> str:
    """Return the text without remarks in brackets, those that hold a letter; linear."""
    if "(" not in text and "[" not in text:
        return text
    return _ASIDE.sub(lambda m: " " if _LETTER.search(m.group()) else m.group(), text)


def read_scalar(text: str) -> Number | None:
    """Return the one number that all of ``text`` states, None where it states none or several.

    Read are ``7``, ``x = 7``, ``3 + 4 = 7``, ``7 = 3 + 4``, ``Sum: 7``, ``7 apples``, ``[7]`` and ``seven``.
    """
    number = _read_bare(text)
    if number is not None:
        return number
    core = bare(text)
    if "=" in core or "~" in core:
        return _read_equation(core)
    return _read_labelled(without_asides(core).strip())


def _read_bare(text: str) -> Number | None:
    """Read a number with or without closing punctuation; dots after digits may say that they go on."""
    number = read_number(text)
    if number is None and (core := bare(text)) != text:
        return read_number(core)
    return number


def _read_equation(text: str) -> Number | None:
    """Return the number on the last side, else the one that another side writes bare."""
    *parts, last = _SIDES.split(text, maxsplit=_MAX_SIDES)
    number = _read_bare(last) or _read_labelled(without_asides(last).strip())
    sides = [_read_bare(side) for side in parts[::2]]
    if number is None:
        known = [side for side in sides if side is not None]
        return known[0] if known and all(side.value == known[0].value for side in known) else None
    exact = sides[-1] if sides else None
    if parts and parts[-1] == "~" and exact and exact.decimals is None and _rounds_to(exact, number):
        return exact  # `10/3 ≈ 3.3` gives the value and then says how large it is
    return number


def _rounds_to(exact: Number, number: Number) -> bool:
    return number.decimals is not None and abs(exact.value - number.value) * 2 * 10**number.decimals <= 1


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
    if not _UNIT.fullmatch(unit) or _TURNS.search(unit):
        return None
    label = label.strip()
    sign = re.search(r"\b(?:negative|minus)$", label, re.IGNORECASE)
    if sign:
        label, digits = label[: sign.start()], "-" + digits
    # After a word, a sign that stands apart is an operator or a dash.
    if _TURNS.search(label) or (_LETTER.match(label[-1:]) and re.match(r"[+-] ", digits)):
        return None
    return read_number(digits)


def _spelled_with_label(text: str) -> Number | None:
    """Return the number that words spell after a label's colon or ``is``."""
    words = re.split(r"\bis\b|:", text[:400])[-1].strip()
    value = read_spelled(bare(words))
    return None if value is None else Number(value, 0, len(str(value)))


# --- Statements -----------------------------------------------------------------------------------------------

_SENTENCE_END = re.compile(r"(?<=[^\s\d])[.!?](?=\s|$)|(?<=\d)[.!?](?=\s+[^\W\d]|\s*$)")
# What stands between a subject and the value that a sentence gives it; `to`, `of` and `in` only after some words.
_CLAIM_WORDS = frozenset(
    "is are was be equal equals give gives make makes yield yields total totals become becomes get gets obtain have "
    "has return returns i.e. namely therefore thus hence".split()
)
_CLAIM_PAIRS = frozenset(
    "sum total up amount amounts come comes evaluate evaluates simplify simplifies round rounds reduce reduces equal "
    "lead leads result results out average mean median difference product quotient value maximum minimum".split()
)
_WORD_OR_MARK = re.compile(r"i\.e\.|[a-z]+|->|=+>?|[~:]", re.IGNORECASE)
_FOLLOWED_BY_OPERATOR = re.compile(
    r" ?(?:[+*/^<>=~±≤≥≠|]|-(?! [a-z]{2})|, ?[+-]?\d|; ?[+-]?\d|(?:and|or|plus|minus|times|divided|multiplied|over|to|mod|modulo|"
    r"remainder|x|through|out of)\b(?! the\b))",
    re.IGNORECASE,
)
_BEFORE_VALUE = re.compile(
    r"(?:(?:about|approximately|roughly|exactly|just|simply|therefore|thus|also|then|indeed|now|only|equal to|the number|"
    r"the value|the integer)\b|[\s:,\"'€£¥₹])*",
    re.IGNORECASE,
)
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
    sentence = without_asides(first_sentence(text)).strip()
    return read_scalar(sentence) or _read_leading(sentence) or read_scalar_claim(sentence)


def read_scalar_claim(sentence: str) -> Number | None:
    """Return the number that a sentence says something is, e.g. 7 in ``3 and 4 add up to 7``."""
    sentence = without_asides(sentence).strip()
    whole = read_scalar(sentence)
    if whole is not None:
        return whole
    for piece in reversed(_claimed(sentence)[-_MAX_CLAIMS:]):
        number = _read_leading(piece.strip())
        if number is not None:
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
