r"""Cuts a trace into sentences: knows formulas, decimals, numbered lists, abbreviations and bare line breaks.

A sentence ends at ``.``, ``!``, ``?`` or their full-width forms before white space, and at every line break, with a
full stop or without. None ends inside a formula (``$...$``, ``$$...$$``, ``\(...\)``, ``\[...\]``), which may stand on
several lines, at a decimal point, after an abbreviation (``e.g.``, ``Eq.``), or after the number or letter that begins
a list item (``1.``).

Limits: English abbreviations alone are known; a line that a writer broke by hand is two sentences; a dollar sign
begins a formula only where it closes on the same line as TeX readers take it (no blank inside, no digit behind).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from bench.grading.words import words

Span = tuple[int, int]  # from a character's place to one past another's

# Abbreviations that never end a sentence, that do not before a number, and that do not before a small letter.
_NEVER = frozenset(words("e.g i.e vs cf resp viz al dr mr mrs ms prof st jr sr wlog w.l.o.g"))
_NUMBERED = frozenset(words("no nos fig figs eq eqs eqn eqns ch chap sec vol thm lem prop cor ex ref refs p pp def ca"))
_INNER = frozenset(words("etc a.m p.m u.s inc ltd co approx max min avg dept est const"))
# Begins with one set of characters, so that the search jumps over all others.
_END = re.compile(
    r"[\n.!?。！？](?:(?<=\n)\n*|(?<![\n。！？])[.!?]*[\"')\]}*_”’]*(?=\s|$)|(?<=[。！？])(?:[\"')\]}*_”’]*(?=\s|$)|[。！？]*))"
)
_WORD_BEFORE = re.compile(r"(?:^|[\s(\[\"'])([A-Za-z][A-Za-z.]{0,8})$")
_ITEM = re.compile(r"[\s>*_-]*(?:\d{1,3}|[A-Za-z]|[ivx]{1,5})$")
_SLACK = 16  # characters before a full stop that its abbreviation may take
_OPENERS = re.compile(r"\$\$|\$|\\\[|\\\(|\\[\\$]")
_CLOSERS = {"$$": "$$", "\\[": "\\]", "\\(": "\\)"}


def sentence_spans(text: str) -> tuple[Span, ...]:
    """Return where the sentences of a text stand, in order, without white space around them; linear, never raises."""
    return tuple(each_sentence(text))


def each_sentence(text: str) -> Iterator[Span]:
    """Yield the same spans as :func:`sentence_spans`, each as soon as it is found."""
    formulas = formula_spans(text)
    starts = [start for start, _ in formulas]
    begin = 0
    for match in _END.finditer(text):
        at = bisect_right(starts, match.start()) - 1
        if at >= 0 and match.start() < formulas[at][1]:
            continue
        if match[0][0] == "." and _goes_on(text, begin, match):
            continue
        yield from _stripped(text, begin, match.end())
        begin = match.end()
    yield from _stripped(text, begin, len(text))


def sentences(text: str) -> tuple[str, ...]:
    """Return the sentences of a text; see :func:`sentence_spans`."""
    return tuple(text[start:end] for start, end in sentence_spans(text))


def _stripped(text: str, begin: int, end: int) -> Iterator[Span]:
    while begin < end and text[begin].isspace():
        begin += 1
    while end > begin and text[end - 1].isspace():
        end -= 1
    if end > begin:
        yield begin, end


def _goes_on(text: str, begin: int, match: re.Match[str]) -> bool:
    """Tell whether a full stop ends an abbreviation, an item's number or an ellipsis in the middle of a sentence."""
    at = match.start()
    dots = len(match[0]) - len(match[0].lstrip("."))
    if dots > 1:  # an ellipsis ends a sentence only before a capital or the end of a line
        rest = text[match.end() : match.end() + 2].lstrip(" \t")
        return rest[:1].islower() or rest[:1].isdigit()
    before = text[max(begin, at - _SLACK) : at]
    if len(before) < _SLACK and _ITEM.fullmatch(before):
        first = begin == 0 or "\n" in text[begin - 1 : at]  # within a line only a short number begins an item
        return (first or len(before.strip()) == 1) and text[match.end() : match.end() + 1] in (" ", "\t")
    found = _WORD_BEFORE.search(before)
    if found is None:
        return False
    word, rest = found[1].lower(), text[match.end() : match.end() + 3].lstrip(" \t")
    return word in _NEVER or (
        rest[:1].isdigit() or rest[:1] in "(\\" if word in _NUMBERED else word in _INNER and rest[:1].islower()
    )


def formula_spans(text: str) -> list[Span]:
    """Return where the closed formulas of a text stand; linear: each closing mark is looked for once."""
    return list(_formulas(text))


def _formulas(text: str) -> Iterator[Span]:
    hopeless: set[str] = set()  # marks without a closing one in the rest of the text
    place = 0
    while (opener := _OPENERS.search(text, place)) is not None:
        mark, place = opener[0], opener.end()
        if mark in ("\\$", "\\\\") or mark in hopeless:
            continue
        end = _dollar_end(text, place) if mark == "$" else text.find(_CLOSERS[mark], place)
        if end < 0:
            if mark != "$":
                hopeless.add(mark)
            continue
        place = end + len(_CLOSERS.get(mark, "$"))
        yield opener.start(), place


_DOLLAR_END = re.compile(r"[\n$]")
_LONGEST_INLINE = 1_000  # characters of a formula between single dollars


def _dollar_end(text: str, begin: int) -> int:
    """Return where a formula between single dollars ends; -1 where the dollar before ``begin`` is money."""
    if text[begin : begin + 1].isspace():
        return -1
    found = _DOLLAR_END.search(text, begin, begin + _LONGEST_INLINE)
    if found is None or found[0] == "\n" or text[found.start() - 1].isspace():
        return -1
    return -1 if text[found.end() : found.end() + 1].isdigit() else found.start()
