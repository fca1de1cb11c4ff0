"""After a cue such as ``let me verify``, another way leads to a result that stands already."""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import islice

from bench.taxonomy.findings import Pattern, Span
from bench.taxonomy.rules import PatternRule
from bench.taxonomy.trace import MAX_SPANS, Trace

_REACH = 350  # characters after the cue
_RESULT = re.compile(
    r"\b(?:so|yes|thus|therefore|hence|answer|sum|total|product|mean|median|modes?|maximum|minimum|max"
    r"|min|count|difference|"
    r"result|still|gives|get|that's|it's)\b"
    r"[ ,:]{0,2}(?:(?:the|is|it|it's|that's|are|still|final|answer|result|sum|total|mean|median|mode"
    r"|maximum|minimum|count"
    r"|there|also|again|gives|indeed|again,) ){0,5}\**(?P<value>-?\d{1,30}(?:\.\d{1,9})?)(?![\d\w]"
    r"|[.,]\d| ?[+*/×=<>-])"
)
_SAID_AGAIN = re.compile(r"(?<![\w.])(?P<value>-?\d{1,30}(?:\.\d{1,9})?) (?:once )?(?:again|once more|as before)\b")
_LONG_REACH = 2_000
_MAX_CUES = 200
_MAX_RESULTS = 2_000
_NEVER = 1 << 60
_STRONG = re.compile(
    r"\b(?:(?:double|cross)[- ]?check(?:ing)?|sanity check|verify(?:ing)?|re-?(?:check|count|comput"
    r"|calculat|add|do|verify|examin)(?:e|ing)?|"
    r"(?:count|add|check|compute|go through) (?:it |that |them |this |all |everything "
    r"|the list )?(?:again|once more)|"
    r"check (?:my|this|the|that) (?:work|answer|result|calculation|sum)|one more time|once more"
    r"|make sure|to be sure|"
    r"another way|(?:the )?other way|or i could|alternatively|let me also|in (?:another"
    r"|a different) (?:order|way))\b"
)


def _find(trace: Trace) -> list[Span]:
    """Return the results derived again; a check that turns the operation round (``20 * 3 = 60``) is none."""
    results = _results(trace)
    first: dict[str, int] = {}
    for (_, end), value in results:
        first.setdefault(value, end)
    inverse = {step.span: [first.get(str(value), _NEVER) for value in step.left.operands] for step in trace.steps}
    again: set[Span] = set()
    for cue in islice(_STRONG.finditer(trace.low), _MAX_CUES):
        start = cue.start()
        for span, value in _between(results, cue.end(), cue.end() + _REACH):
            turned_round = any(end <= start for end in inverse.get(span, ()))
            if first[value] <= start and not turned_round and span[0] < trace.thinking_end:
                again.add(span)
    said = islice(_SAID_AGAIN.finditer(trace.low), MAX_SPANS)
    return sorted(again | {match.span("value") for match in said if _stood(trace.low, match)})


def _results(trace: Trace) -> list[tuple[Span, str]]:
    """Return the values that a text comes to, in order."""
    said = [(match.span("value"), match["value"]) for match in islice(_RESULT.finditer(trace.low), _MAX_RESULTS)]
    return sorted(said + [(step.span, str(step.stated)) for step in trace.steps])


def _between(results: list[tuple[Span, str]], start: int, end: int) -> list[tuple[Span, str]]:
    """Return the results that begin in a stretch."""
    return results[bisect_left(results, ((start, 0), "")) : bisect_left(results, ((end, 0), ""))]


def _stood(text: str, match: re.Match[str]) -> bool:
    """Return whether a value that comes out again was written before."""
    before = text[max(0, match.start() - _LONG_REACH) : match.start()]
    return re.search(rf"(?<![\d.]){re.escape(match['value'])}(?![\d]|\.\d)", before) is not None


RULE = PatternRule("result_again", Pattern.REDUNDANT_VERIFICATION, _find, order=22)
