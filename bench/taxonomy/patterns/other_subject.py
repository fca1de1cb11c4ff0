"""Sentences on another subject: many of their longer words belong neither to calculation nor to reasoning about it."""

from __future__ import annotations

from bench.taxonomy.findings import Pattern, Span
from bench.taxonomy.rules import PatternRule
from bench.taxonomy.trace import Trace
from bench.taxonomy.vocabulary import foreign_words

_LONGEST = 4  # neighbouring sentences of one line that are judged together
_MIN_FOREIGN = 6
_MIN_SHARE = 0.4


def _find(trace: Trace) -> list[Span]:
    spans: list[Span] = []
    recent: list[tuple[int, int, int]] = []  # start, foreign words and longer words of the last sentences of this line
    last_end = 0
    for start, end in trace.sentences:
        if "\n" in trace.text[last_end:start]:
            recent.clear()
        last_end = end
        recent = [*recent[1 - _LONGEST :], (start, *foreign_words(trace.text[start:end]))]
        first = _digression(recent)
        if first is not None:
            _join(spans, (first, end))
    return spans


def _digression(recent: list[tuple[int, int, int]]) -> int | None:
    """Return where the longest digression begins that ends with the last sentence, None where none does."""
    for at in range(len(recent)):
        foreign, longer = (sum(sentence[part] for sentence in recent[at:]) for part in (1, 2))
        if foreign >= _MIN_FOREIGN and foreign >= _MIN_SHARE * longer:
            return recent[at][0]
    return None


def _join(spans: list[Span], span: Span) -> None:
    """Add a span, joined to the one before where they overlap."""
    if spans and span[0] <= spans[-1][1]:
        span = (min(spans.pop()[0], span[0]), span[1])
    spans.append(span)


RULE = PatternRule("other_subject", Pattern.IRRELEVANT_EXPLORATION, _find, order=41)
