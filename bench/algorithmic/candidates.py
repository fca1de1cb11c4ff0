"""Where a long answer may stand in a text: a box, a code block, what follows a heading, the whole."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import TypeVar

from bench.answers import program_of
from bench.grading.boxes import boxes_from_the_end
from bench.verdict import Unreadable

T = TypeVar("T")

_MAX_BOXES = 20
_HEADING = re.compile(r"\b(?:answer|solution|moves|plan|sequence|placement|board)\b[^\n:]{0,60}:", re.IGNORECASE)
_MARKUP = re.compile(r"\\(?:text|textbf|mathrm|mathbf|texttt|mathtt)\s?\{([^{}]{0,80})\}")
_ARROW = re.compile(r"\\(?:long)?(?:right)?arrow\b|\\(?:to|implies)\b|[-=]{1,3}>|[→⟶⇒➔➜➡]")


def plain(text: str) -> str:
    """Return a text without LaTeX wrappers, emphasis and quotes, every arrow as ``->``."""
    text = _ARROW.sub("->", _MARKUP.sub(r"\1", text))
    return re.sub(r"\\\\", "\n", text).translate(str.maketrans("", "", "$*`\"'\\")).replace("_", " ")


def first_solution(
    answer: str, read: Callable[[str, bool], Sequence[T]], solves: Callable[[Sequence[T]], bool]
) -> bool:
    """Return whether an answer solves a problem.

    The last box that can be read decides, then the last code block. Prose is taken from its last heading on or as a
    whole; one of the two has to solve it, since an explanation may come before the answer.

    Args:
        answer: The visible answer.
        read: From a text, and whether it holds the answer alone, to what it says; nothing where it says nothing.
        solves: Whether that is a solution.

    Raises:
        Unreadable: nothing can be read.
    """
    for alone in _alone(answer):
        if found := read(plain(alone), True):
            return solves(found)
    headings = [match.end() for match in _HEADING.finditer(answer)]
    texts = ([answer[headings[-1] :]] if headings else []) + [answer]
    readings = [found for text in texts if (found := read(plain(text), False))]
    if not readings:
        raise Unreadable("no answer in a known notation")
    return any(solves(found) for found in readings)


def _alone(answer: str) -> Iterator[str]:
    for box in islice(boxes_from_the_end(answer), _MAX_BOXES):
        if box.closed:
            yield box.content
    if (block := program_of(answer)) is not None:
        yield block
