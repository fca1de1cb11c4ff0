"""Splits a plain text into its sentences; a decimal point ends none."""

from __future__ import annotations

import re
from itertools import pairwise

from bench.grading.assertions import is_taken_back

# The mark comes first, so that the engine looks for it alone.
_END = re.compile(r"[.!?](?:(?<=[^\s\d].)(?=\s|$)|(?<=\d\?)(?=\s)|(?<=\d.)(?=\s+[^\W\d(]|\s+\(|\s*$))")
_MAX_SENTENCES = 32


def first_sentence(text: str) -> str:
    """Return the text up to the end of its first sentence.

    A sentence that what follows takes back or, after a question mark, answers states nothing: ``""``.
    """
    end = _END.search(text)
    if end is None:
        return text
    answered = end.group() == "?" and text[end.end() :].strip()
    return "" if answered or is_taken_back(text[end.start() :]) else text[: end.start()]


def last_sentences(text: str) -> list[str]:
    """Return the non-empty sentences of a text with their closing marks, the last one first, at most 32."""
    ends = [0, *(match.end() for match in _END.finditer(text)), len(text)]
    sentences = [text[begin:end].strip() for begin, end in pairwise(ends[-_MAX_SENTENCES - 1 :])]
    return [sentence for sentence in reversed(sentences) if sentence]
