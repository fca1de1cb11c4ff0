"""Computational: the right items are listed and then counted wrongly."""

from __future__ import annotations

from bench.taxonomy.counted import counted_lists
from bench.taxonomy.findings import ErrorKind, Span
from bench.taxonomy.rules import ErrorRule, WrongAnswer


def _find(wrong: WrongAnswer) -> list[Span] | None:
    if wrong.answer is None:
        return None
    lists = counted_lists(wrong.trace.text, wrong.problem)
    return next(([span] for span, items, meant in lists if items == meant), None)


RULE = ErrorRule("miscount", ErrorKind.COMPUTATIONAL, _find, order=45)
