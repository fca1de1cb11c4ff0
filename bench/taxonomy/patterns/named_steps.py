"""Named steps, at least three: ``Step 1 … Step 2 …``, ``1. … 2. …``, ``First … Finally``; or a grouping."""

from __future__ import annotations

import re
from itertools import islice

from bench.taxonomy.findings import Pattern, Span
from bench.taxonomy.rules import PatternRule
from bench.taxonomy.trace import MAX_SPANS, Trace

_NUMBERED = re.compile(
    r"(?:^|\n)[ \t>*#-]{0,6}(?P<name>(?:step|part) (?P<step>\d{1,2})\b"
    r"|(?P<item>\d{1,2})[.)](?= ))(?P<rest>[^\n]{0,200})"
)
_WORDS = (
    re.compile(r"\bfirst(?:ly)?\b"),
    re.compile(r"\b(?:then|next|second(?:ly)?|after that)\b"),
    re.compile(r"\b(?:finally|lastly|third(?:ly)?|at the end)\b"),
)
_GROUPING = re.compile(
    r"\b(?:(?:re)?group(?:ing)?\b|rearrang(?:e|ing)\b|pair (?:them|the)|split|break (?:this|it"
    r"|the \w{1,12}|them) (?:down|into|up)|by place value|separately)\b"
)
_DIGIT = re.compile(r"\d")
_MIN_STEPS = 3
_MIN_WORKED = 2  # steps that work something out
_REACH = 400


def _find(trace: Trace) -> list[Span]:
    spans = [*_numbered(trace.low), *_in_words(trace.low)]
    if spans and any(not step.holds for step in trace.steps if step.span > min(spans)):
        spans = []  # steps that lead astray are no help
    return [*spans, *_grouped(trace)]


def _numbered(text: str) -> list[Span]:
    """Return the heads of steps numbered from 1 on, none where fewer than three say different things with numbers."""
    heads: list[Span] = []
    said: list[str] = []
    for match in islice(_NUMBERED.finditer(text), 10 * MAX_SPANS):
        number = int(match["step"] or match["item"])
        if number == len(heads) + 1:
            heads.append(match.span("name"))
            said.append(match["rest"].strip())
    worked = sum(bool(_DIGIT.search(one)) for one in said)
    return heads if len(heads) >= _MIN_STEPS and len(set(said)) == len(said) and worked >= _MIN_WORKED else []


def _in_words(text: str) -> list[Span]:
    """Return the words that number three steps, none where one is missing or fewer than two hold a number."""
    spans: list[Span] = []
    for pattern in _WORDS:
        match = pattern.search(text, spans[-1][1] if spans else 0)
        if match is None:
            return []
        spans.append(match.span())
    ends = [start for start, _ in spans[1:]] + [spans[-1][1] + _REACH]
    worked = sum(bool(_DIGIT.search(text, span[1], end)) for span, end in zip(spans, ends, strict=True))
    return spans if worked >= _MIN_WORKED else []


def _grouped(trace: Trace) -> list[Span]:
    """Return groupings after which two right steps follow."""
    spans = []
    for match in islice(_GROUPING.finditer(trace.low), MAX_SPANS):
        near = [step for step in trace.steps if match.end() <= step.span[0] < match.end() + _REACH and step.holds]
        if len(near) >= _MIN_WORKED:
            spans.append(match.span())
    return spans


RULE = PatternRule("named_steps", Pattern.HELPFUL_DECOMPOSITION, _find, order=52)
