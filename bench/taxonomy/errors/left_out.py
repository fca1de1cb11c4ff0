"""Partial: a part of the answer, of the data or of the steps is missing, or the response was cut."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

from bench.taxonomy.answer import places
from bench.taxonomy.counted import counted_lists
from bench.taxonomy.findings import ErrorKind, Span
from bench.taxonomy.methods import partial_results
from bench.taxonomy.rules import ErrorRule, WrongAnswer


def _find(wrong: WrongAnswer) -> list[Span] | None:
    answer, gold = wrong.answer, wrong.problem.gold
    if answer is None:
        return [] if not wrong.complete and wrong.trace.whole.strip() else None
    if answer.listed and isinstance(gold, tuple):
        return [] if Counter(answer.listed) < Counter(map(Fraction, gold)) else None
    if answer.number is None:
        return None
    if any(result == answer.number for _, result in partial_results(wrong.problem)):
        return places(wrong.trace.text, answer.number)[:1] if _right_before(wrong) else None
    return _counted(wrong, answer.number)


def _right_before(wrong: WrongAnswer) -> bool:
    """Return whether no step that leads to the answer is wrong; one that is explains the answer by itself."""
    return all(step.holds for step in wrong.trace.steps)


def _counted(wrong: WrongAnswer, answer: Fraction) -> list[Span] | None:
    """Return the list of odd or even items that the text counts, where it lacks some."""
    for span, items, meant in counted_lists(wrong.trace.text, wrong.problem):
        if items < meant and items.total() == answer:
            return [span]
    return None


RULE = ErrorRule("left_out", ErrorKind.PARTIAL, _find, order=20)
