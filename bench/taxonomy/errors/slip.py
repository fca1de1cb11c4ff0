"""Computational: a wrong value for which nothing else accounts; the last rule."""

from __future__ import annotations

from bench.taxonomy.answer import places
from bench.taxonomy.findings import ErrorKind, Span
from bench.taxonomy.rules import ErrorRule, WrongAnswer


def _find(wrong: WrongAnswer) -> list[Span] | None:
    if wrong.answer is None:
        return None
    return [] if wrong.answer.number is None else places(wrong.trace.text, wrong.answer.number)[-1:]


RULE = ErrorRule("slip", ErrorKind.COMPUTATIONAL, _find, order=90)
