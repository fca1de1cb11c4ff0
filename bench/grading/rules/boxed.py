r"""The last box that holds an answer: ``\boxed{7}``, ``\fbox``, ``\framebox``; for lists also a row of boxes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from bench.grading.assertions import denies_box
from bench.grading.boxes import Box, boxes_from_the_end
from bench.grading.compare import canonical
from bench.grading.corrections import corrected
from bench.grading.lists import Elements
from bench.grading.normalise import normalise
from bench.grading.numbers import Number
from bench.grading.reading import read_box
from bench.grading.response import Found, Response, Rule
from bench.grading.statements import last_statement
from bench.grading.words import words
from bench.problem import LIST_KINDS

# A box of nothing but these words quotes the instruction.
_PLACEHOLDERS = frozenset(
    words(
        "a an and ans answer correct equation expression final goes here in insert integer its list my n number "
        "numbers of only or order placeholder put relation result s sign solution sorted sum symbol the this to value "
        "values write x xx xxx y your"
    )
)
_DIGIT = re.compile(r"\d")
_WORD = re.compile(r"[^\W\d_]+")
# Normalised, what may stand between boxes in a row: separators, order marks, a short aside in brackets.
_IN_A_ROW = re.compile(
    r"(?:[ ,;:<≤*•|-]|->|and|then|next|finally|followed by|\d{1,3}[.)] ?|\d{1,3}(?:st|nd|rd|th)|\([a-z ]{1,30}\)|"
    r"modes?(?: (?:\d{1,2}|[a-d]))?\b|\((?:appears|occurs|frequency:?|count:?) \d{1,4}(?: times)?\)|"
    r"(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last)\b)*",
    re.IGNORECASE,
)
# A minus right before the box, with no operand to its left; a space or a bullet would make it a dash.
_MINUS = re.compile(r"(?:^|[\n:=(]|[a-z]{2,} |[$*] ?|\\[(\[] ?)[ $*]{0,4}(?:\\[(\[] ?)?[-−]\$?$", re.IGNORECASE)
_OPERAND = re.compile(r"[\d)\]}][ $*]{0,4}[-−]\$?$")
_REACH = 20
_DENIAL_REACH = 60
_MAX_GAP = 60
_MAX_EARLIER = 8  # boxes that are read only to see whether one is readable
_LONGEST_PLACEHOLDER = 200
# No later statement is shorter.
_SHORTEST_STATEMENT = len("答案:1")


def is_placeholder(content: str) -> bool:
    """Return whether a box holds nothing, dots or a word in place of an answer."""
    if len(content) > _LONGEST_PLACEHOLDER or _DIGIT.search(content):
        return False
    plain = normalise(content).strip(" .?_()[]*-'\":")
    if not plain:
        return True
    rest = _WORD.sub("", plain).strip(" .,?_()[]*-'\"/")
    return not rest and all(word.lower() in _PLACEHOLDERS for word in _WORD.findall(plain))


def _find(response: Response) -> Found | None:
    boxes = _answering_boxes(response)
    last = next(boxes, None)
    if last is None:
        return None
    value = read_box(last.content, response.problem)
    if isinstance(value, Number) and _is_negated(response.text, last):
        value = Number(-value.value, value.decimals, value.digits, value.open_ended)
    name = RULE.name if last.closed else "boxed_unclosed"
    followed = value is not None and last.closed and last.instructed
    if isinstance(value, tuple) and len(value) == 1 and response.problem.answer_kind in LIST_KINDS:
        row = _row(response, last, boxes, value)
        if len(row) > 1:
            value, name = row, "boxed_row"
    followed = followed or any(_is_followed(box, response) for box in islice(boxes, _MAX_EARLIER))
    if len(response.text) - last.end >= _SHORTEST_STATEMENT:
        later = last_statement(response, last.end, explicit=True)
        if later is None:
            return _with_correction(Found(value, name, followed), response, last)
        if value is None or later.value is None or canonical(later.value) != canonical(value):
            return Found(later.value, "marker", followed)
    return Found(value, name, followed)


def _with_correction(found: Found, response: Response, last: Box) -> Found:
    """Return what was found in the last box, or what the text after it puts in its place."""
    correction = corrected(response.text[last.end :], response.problem)
    if correction is None or (
        correction.value is not None
        and found.value is not None
        and canonical(correction.value) == canonical(found.value)
    ):
        return found
    return Found(correction.value, "claim", found.followed)


def _answering_boxes(response: Response) -> Iterator[Box]:
    """Yield the boxes that may hold the answer, last one first; a box that was cut can't."""
    for box in boxes_from_the_end(response.text):
        may_answer = (box.closed or response.ended) and not is_placeholder(box.content)
        if may_answer and not denies_box(response.text[max(0, box.start - _DENIAL_REACH) : box.start]):
            yield box


def _is_followed(box: Box, response: Response) -> bool:
    return box.closed and box.instructed and read_box(box.content, response.problem) is not None


def _is_negated(text: str, box: Box) -> bool:
    """Return whether a minus sign stands before the box as part of its number, not as an operator or a dash."""
    near = text[max(0, box.start - 2) : box.start]
    if "-" not in near and "−" not in near:
        return False
    before = text[max(0, box.start - _REACH) : box.start]
    return near.strip("$")[-1:] in ("-", "−") and not _OPERAND.search(before) and bool(_MINUS.search(before))


def _row(response: Response, last: Box, boxes: Iterator[Box], value: Elements) -> Elements:
    """Return the elements of boxes that stand in a row, each holding one, with the last of them given."""
    elements, first = list(value), last
    for box in boxes:
        gap = response.text[box.end : min(first.start, box.end + _MAX_GAP + 1)]
        if box.end > first.start or len(gap) > _MAX_GAP or not _IN_A_ROW.fullmatch(normalise(gap)):
            break
        element = read_box(box.content, response.problem)
        if not isinstance(element, tuple) or len(element) != 1:
            break
        elements.append(element[0])
        first = box
    return tuple(reversed(elements))


RULE = Rule("boxed", _find, order=10, when_cut=True)
