"""Finds the boxes of a text, the last one first."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from bench.grading.normalise import MAX_LENGTH

# What a text may hold: how many words like "box" are looked at, how many braces are counted for one box and in
# all. A text beyond is no answer but an attack or a loop; the limits keep it linear.
_MAX_HEADS = 256
_MAX_BRACES = 10_000
_MAX_BRACES_IN_ALL = 40_000

# From the `b` of `box` on. TeX takes a space or a line break before the brace.
_HEAD = re.compile(r"box(?:ed)?[ \t\r\n]{0,8}(?:\[[^\[\]{}]{0,20}\]){0,2}\\?\{")
# `\boxed 42`, which TeX would box as 4 alone.
_BRACELESS = re.compile(r"boxed[ \t]{1,8}\$?([-+]?\d[\d.,/]{0,999})")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)


@dataclass(slots=True)
class Box:
    r"""A box in a text.

    Attributes:
        start: Where its command begins.
        end: Where it ends, its closing brace included.
        content: What it holds; of a box without closing brace, the rest of its line. Cut where it is longer than
            any answer, so that it is not read.
        closed: Whether it is complete.
        instructed: Whether it is written as models are told to, ``\boxed{...}``.
    """

    start: int
    end: int
    content: str
    closed: bool
    instructed: bool


def boxes_from_the_end(text: str) -> Iterator[Box]:
    r"""Yield ``\boxed``, ``\fbox`` and ``\framebox``, also ``boxed{`` without its backslash, last one first."""
    end = len(text)
    budget = _MAX_BRACES_IN_ALL
    for _ in range(_MAX_HEADS):
        place = text.rfind("box", 0, end)
        if place < 0:
            return
        end = place
        begins = _command_start(text, place)
        if begins < 0:
            continue
        head = _HEAD.match(text, place)
        if head is None:
            yield from _braceless(text, begins, place)
            continue
        starts = head.end()
        if text[starts - 2] != "\\":
            closing, counted = _closing_brace(text, starts, budget)
            budget -= counted
            ends = closing
        else:  # `\\boxed\\{7\\}`: its end is escaped too
            ends = text.find("\\}", starts)
            closing = ends + 1 or -1
        yield _closed(text, begins, starts, ends, closing) if closing >= 0 else _unclosed(text, begins, starts)


def _command_start(text: str, place: int) -> int:
    """Return where the command around ``box`` begins, -1 where it is a word of prose."""
    if text[place - 1 : place] == "\\":
        return place - 1
    for before in ("\\f", "\\frame"):
        if text.endswith(before, 0, place):
            return place - len(before)
    return place if text.startswith("boxed{", place) and not text[place - 1 : place].isalpha() else -1


def _braceless(text: str, begins: int, place: int) -> Iterator[Box]:
    match = _BRACELESS.match(text, place)
    if match and begins < place:
        content = match.group(1).rstrip(".,/")
        yield Box(begins, match.end(), content, match.end() < len(text), instructed=False)


def _closed(text: str, begins: int, starts: int, ends: int, closing: int) -> Box:
    content = text[starts:ends] if ends - starts <= MAX_LENGTH else text[starts : starts + MAX_LENGTH + 1]
    return Box(begins, closing + 1, content, True, text.startswith("\\boxed", begins))


def _unclosed(text: str, begins: int, starts: int) -> Box:
    line_end = text.find("\n", starts)
    end = min(len(text) if line_end < 0 else line_end, starts + MAX_LENGTH + 1)
    content = text[starts:end]
    mistaken = content.rstrip(" .$")
    for left, right in (("(", ")"), ("[", "]")):  # closed by a wrong bracket
        if mistaken.endswith(right) and mistaken.count(left) < mistaken.count(right):
            content = mistaken[:-1]
    return Box(begins, end, content, False, text.startswith("\\boxed", begins))


def _closing_brace(text: str, start: int, budget: int) -> tuple[int, int]:
    """Return the place of the brace that closes the group begun before ``start``, or -1, and the braces counted."""
    first = text.find("}", start)
    if first < 0:
        return -1, 0
    if text.find("{", start, first) < 0 and text[first - 1] != "\\":
        return first, 0
    depth, counted = 1, 0
    for match in islice(_BRACE.finditer(text, start), max(0, min(budget, _MAX_BRACES))):
        counted += 1
        if match.group() == "{":
            depth += 1
        elif match.group() == "}":
            depth -= 1
            if not depth:
                return match.start(), counted
    return -1, counted
