"""Reads a list of numbers, in whatever brackets, separators or order marks it is written."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import pairwise

from bench.grading.assertions import is_taken_back, without_unasserted
from bench.grading.numbers import MAX_DIGITS, read_number
from bench.grading.scalars import bare, without_asides
from bench.grading.sentences import first_sentence
from bench.grading.words import read_spelled

Elements = tuple[int | Fraction, ...]

_SIMPLE = re.compile(r"\[?[\d\s,-]*\]?", re.ASCII)
_TIGHT_ZEROS = re.compile(r",0\d", re.ASCII)
_MARKS = re.compile(r" ?(?:;|->|<=?|>=?|≤|≥|\|) ?")
_ORDER = re.compile(r"<=?|>=?|≤|≥")
_AND = re.compile(r",? (?:and|then|followed by) |(?<=\d), ?and ", re.IGNORECASE)
_LABEL = re.compile(r"^[^\d\[\]()+-]*(?:[+-](?! ?\.?\d)[^\d\[\]()+-]*)*")
_LETTER = re.compile(r"[^\W\d_]")
_DIGIT = re.compile(r"\d", re.ASCII)
_GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}", re.ASCII)
_TRIPLE = re.compile(r"\d{3}", re.ASCII)
_REFUSED = re.compile(
    r"\b(?:not|or|no|none|never|neither|nor|except|and so (?:on|forth)|etc|wrong|incorrect|false|unsorted)\b|n't\b|"
    r"\.\.\.|[\\^±√]",
    re.IGNORECASE,
)
_LEADING = re.compile(r"(?:[\d\s,;.'+<&-]|->|\band\b(?= *[+-]?\d))+", re.ASCII)
_CLAIM = re.compile(
    r"\b(?:is|are|be|gives?|yields?|becomes?|get|order|list|number|values?|modes?)\b|:|=|->", re.IGNORECASE
)
# After a list: that it is the input, from which another one comes; or that it is the answer itself.
_GOES_ON = re.compile(
    r"(?!,? (?:which|where|since|because|as)\b)\)? ?"
    r"(?:->|=|:|[a-z ,]{0,60}?\b(?:is|are|gives?|yields?|becomes?|results in|get|as)\b)"
    r"[^\[\]]{0,60}?(?:\[|(?=[-+]?\d))",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"(\[[^\[\]]{1,16000}\]),? is (?:(?:(?:therefore|thus|indeed|also|then) )?(?:the|our|your|my) "
    r"(?:\w+ ){0,3}?(?:sorted|ordered|answer|result|solution|modes?|list)|\[[^\[\]]{1,16000}\],? (?:sorted|in ))\b",
    re.IGNORECASE,
)
# After a list or the numbers of one: that another may be meant, or that it goes on.
_OTHERWISE = re.compile(
    r"[\s,;\"'*_)]*(?:\b(?:or|nor|and so (?:on|forth)|etc|instead of)\b|\.\.\.|\?(?=\s*\S))", re.IGNORECASE
)
_OR_BEFORE = re.compile(r"\b(?:or|nor) *$", re.IGNORECASE)
_PARENTHESIS = re.compile(r"\([^()]*\)")
_EITHER = re.compile("[;,]")
_APART_SIGN = re.compile(r"^([+-]) (?=\d)")
_INTEGER = re.compile(r"[+-]?\d+", re.ASCII)
# After a list: that it is meant as a column, or where it comes from.
_AFTERWORD = re.compile(
    r" ?\^ ?\(?T\)?[ .]*$|(?<=\]),? (?:with|each|which|where|because|since|as|appear(?:s|ing)?)\b.*$"
)
_CHAIN = re.compile(r"(?=[^<≤]*[<≤])[\d\s.,+-]+(?:(?:<=?|≤|=)[\d\s.,+-]+)+", re.ASCII)  # `1 < 2 = 2`
_ASSIGNED = re.compile(r" ?[a-zA-Z]\w* ?= ?([+-]? ?[\d.]+) ?", re.ASCII)
_BETWEEN = re.compile(r"[,;]? and |[,;]")
_DOUBLED = re.compile(r",(?:\s*,)+")
_NUMBERED = re.compile(r"\s*(\d{1,4})[.)]\s+(\S.*)", re.ASCII)
_BULLETED = re.compile(r"\s*[-*•+]\s+(\S.*)")
_MAX_ROWS = 1_000
_MAX_LABELLED = 1_000
# Elements that are no plain integers; more of them than this are not worth their cost.
_MAX_WRITTEN_OUT = 300
_ARITHMETIC = re.compile(r"[\\^*/=<>|~+±]|\d[eE]| - ")
_NUMBERS = re.compile(r"(?<![\w.^])[+-]?\d+(?:\.\d+)?(?![\w^])", re.ASCII)


def read_simple_list(text: str) -> Elements | None:
    """Return the integers of a plain comma-separated list, quickly, None for every other form."""
    if not _SIMPLE.fullmatch(text) or _TIGHT_ZEROS.search(text):
        return None
    text = text.strip("[] \n\t")
    parts = text.split(",")
    spaced = text.count(", ") + text.count(",\n")
    if 0 < spaced < len(parts) - 1:  # a comma without space may group digits
        return None
    if len(text) > MAX_DIGITS and len(max(parts, key=len)) > MAX_DIGITS:
        return None
    try:
        return tuple(map(int, parts))
    except ValueError:
        return None


def read_list(text: str) -> Elements | None:
    """Return the numbers of the one list that all of ``text`` states, None where it states no list."""
    simple = read_simple_list(text)
    if simple is not None:
        return simple
    text = _AFTERWORD.sub("", without_asides(text, _LETTER))
    if _REFUSED.search(text):
        return None
    if not _DIGIT.search(text):
        return _spelled(text)
    if _CHAIN.fullmatch(text):
        text = text.replace("=", "≤")  # `1 < 2 = 2 < 5`
    inner = _list_part(_without_labels(text))
    inner = inner.replace("[", " ").replace("]", " ").strip(" .,;:")
    if "/" not in inner:
        inner = inner.replace("(", " ").replace(")", " ").strip(" .,;:")
    elements = () if not inner and "[" in text else _elements(inner)
    return elements if elements is None or _may_be_ordered(elements, _ORDER.findall(inner.replace("->", " "))) else None


def _may_be_ordered(elements: Elements, signs: list[str]) -> bool:
    """Return whether signs between the elements may be read as a list; a chain that falls has to be true.

    One that rises but is false, `3 < 1`, is a list in a wrong order.
    """
    if not signs or all(sign[0] in "<≤" for sign in signs):
        return True
    falls = len(signs) == len(elements) - 1 and all(sign[0] in ">≥" for sign in signs)
    return falls and all(left >= right for left, right in pairwise(elements))


def _without_labels(text: str) -> str:
    """Return the values of a list whose every element has a label, as in ``x = 1, x = 2``."""
    if text.count("=") < 2 or len(text) > _MAX_LABELLED:
        return text
    parts = [_ASSIGNED.fullmatch(part) for part in _BETWEEN.split(text)]
    return ", ".join(part[1] for part in parts if part) if all(parts) else text


def _spelled(text: str) -> Elements | None:
    """Return the integers of a list written in words: ``minus three, zero and eight``."""
    if len(text) > _MAX_LABELLED:
        return None
    values = [read_spelled(bare(part)) for part in _BETWEEN.split(bare(text))]
    return tuple(value for value in values if value is not None) if None not in values else None


def _list_part(text: str) -> str:
    """Return the list itself: without label and closing words, of several steps or sides the last one."""
    for mark in ("->", "="):
        before, _, after = text.rpartition(mark)
        several = before.rstrip().endswith("]") or mark == "="
        if several and _DIGIT.search(after):
            text = after
    text = _LABEL.sub("", text.strip(), count=1)
    return text[: max(map(text.rfind, "0123456789])")) + 1]


def _elements(text: str) -> Elements | None:
    """Split at the strongest separator that occurs and read every element."""
    text = _DOUBLED.sub(",", _AND.sub(", ", _MARKS.sub(";", text)))
    if ";" in text:
        elements = _read_all(text.split(";"))
        return elements if elements is not None else _read_all(_EITHER.split(text))
    if "," in text:
        return _read_all(_split_at_commas(text))
    return _read_all(_APART_SIGN.sub(r"\1", text).split())


def _split_at_commas(text: str) -> list[str]:
    """Split at commas, but keep digit groups together.

    A comma groups digits where a space follows the other commas (``10, 1,500``) or where the digits after it
    could not be an element (``1,000``).
    """
    parts = text.strip(", ").split(",")
    mixed = any(part[:1] == " " for part in parts[1:]) and any(part[:1] != " " for part in parts[1:])
    elements = parts[:1]
    for part in parts[1:]:
        groups = _TRIPLE.fullmatch(part.rstrip()) and _GROUPED.fullmatch(elements[-1].strip().split(",")[0])
        if groups and (mixed or part[0] == "0"):
            elements[-1] += "," + part
        else:
            elements.append(part)
    return elements


def _read_all(parts: list[str]) -> Elements | None:
    elements: list[int | Fraction] = []
    written_out = 0
    for part in map(str.strip, parts):
        if len(part) <= MAX_DIGITS and _INTEGER.fullmatch(part):
            elements.append(int(part))
            continue
        written_out += 1
        number = read_number(bare(part)) if written_out <= _MAX_WRITTEN_OUT else None
        if number is None:
            return None
        elements.append(number.value)
    return tuple(elements) or None


def without_bullets(paragraph: str) -> str:
    """Return a list with an element a line, bulleted or numbered from 1 on, as elements between commas."""
    lines = paragraph.strip().split("\n")
    if not 1 < len(lines) <= _MAX_ROWS:
        return paragraph
    numbered = [_NUMBERED.fullmatch(line) for line in lines]
    if all(row and int(row[1]) == place for place, row in enumerate(numbered, 1)):
        return ", ".join(row[2] for row in numbered if row)
    bulleted = [_BULLETED.fullmatch(line) for line in lines[1:]]
    if not all(bulleted):
        return paragraph
    first = _BULLETED.fullmatch(lines[0])  # its bullet may be gone with the marker
    return ", ".join([first[1] if first else lines[0], *(row[1] for row in bulleted if row)])


def read_list_statement(text: str) -> Elements | None:
    """Return the list that a statement gives: after an arrow or a verb, else in the first brackets or up to a word."""
    text = without_unasserted(text)
    begins = text.find("[")
    if begins >= 0 and not _DIGIT.search(text[:begins]):
        ends = text.find("]", begins)
        if ends < 0:
            return None
        if _GOES_ON.match(text, ends + 1):  # the first brackets hold the input
            found = read_list_claim(first_sentence(text))
            if found is not None:
                return found
        otherwise = _OTHERWISE.match(text, ends + 1) or is_taken_back(text[ends + 1 :])
        return None if otherwise else read_list(text[begins : ends + 1])
    return read_list(first_sentence(text)) or _read_leading_list(first_sentence(text))


def read_list_claim(sentence: str) -> Elements | None:
    """Return the last list in brackets of a sentence, else the one that it says something is.

    A list of which the sentence says that it is what was asked for goes first: ``[1, 3] is [3, 1] in order``.
    """
    sentence = without_unasserted(_without_remarks(sentence))
    named = _NAMED.search(sentence)
    if named:
        return read_list(named[1])
    ends = sentence.rfind("]")
    if ends >= 0 and _DIGIT.search(sentence, ends):  # `sorting [3, 1] gives 1, 3`
        return read_list_claim(sentence[ends + 1 :])
    begins = sentence.rfind("[", 0, ends) if ends >= 0 else -1
    if begins >= 0:
        otherwise = _OTHERWISE.match(sentence, ends + 1) or _OR_BEFORE.search(sentence, max(0, begins - 20), begins)
        return None if otherwise else read_list(sentence[begins : ends + 1])
    whole = read_list(sentence)
    if whole is not None:
        return whole
    for piece in reversed(_CLAIM.split(sentence)[-32:]):
        found = _read_leading_list(piece.strip())
        if found is not None:
            return found
    return None


def _without_remarks(sentence: str) -> str:
    """Return a sentence without what stands in round brackets and holds words, unless that is all it holds."""
    if "(" not in sentence:
        return sentence
    rest = _PARENTHESIS.sub(lambda m: " " if _LETTER.search(m.group()) else m.group(), sentence)
    return rest if _DIGIT.search(rest) else sentence


def read_list_in_words(text: str) -> Elements | None:
    """Return the list in brackets with which a sentence in a box ends."""
    begins = text.rfind("[")
    prose = text.endswith("]") and begins > 0 and not _REFUSED.search(text)
    return read_list(text[begins:]) if prose and _LETTER.search(text, 0, begins) else None


def _read_leading_list(text: str) -> Elements | None:
    run = _LEADING.match(text)
    if not run or not _DIGIT.search(run.group()) or _OTHERWISE.match(text, run.end()):
        return None
    return read_list(run.group().strip(" .,;"))


def read_several(text: str) -> Elements | None:
    """Return the numbers of a text that names two or more where one was asked for, else None."""
    if len(text) > MAX_DIGITS or _ARITHMETIC.search(text):
        return None
    found = _NUMBERS.findall(text)
    return _read_all(found) if len(found) > 1 else None
