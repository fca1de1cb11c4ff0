"""Lists of odd or even items that a text counts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from bench.problem import Problem
from bench.taxonomy.findings import Span

_PARITIES = {"odd_count": 1, "even_count": 0}
_LISTED = re.compile(
    r"\b(?:odd|even|ones|numbers|values|are"
    r"|they)\b[^\d\n-]{0,30}(?P<items>-?\d{1,9}(?:,? (?:and )?-?\d{1,9}){1,200})",
    re.IGNORECASE,
)
_ITEM = re.compile(r"-?\d+")


def counted_lists(text: str, problem: Problem) -> Iterator[tuple[Span, Counter[int], Counter[int]]]:
    """Yield each list of a text with its items and those that are to be counted; none for other tasks."""
    parity = _PARITIES.get(problem.task)
    if parity is None:
        return
    meant = Counter(value for value in problem.data if value % 2 == parity)
    for match in _LISTED.finditer(text):
        yield match.span("items"), Counter(int(item) for item in _ITEM.findall(match["items"])), meant
