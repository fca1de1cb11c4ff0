"""What was said is taken back: ``that's not right``, ``50 is wrong``, ``the answer is 7`` after ``the answer is 8``."""

from __future__ import annotations

import re
from itertools import islice

from bench.taxonomy.findings import Pattern, Span
from bench.taxonomy.rules import PatternRule
from bench.taxonomy.trace import MAX_SPANS, Trace

_DENIED = re.compile(
    r"\b(?:that's|that is|this is|that was|which is|it's|it is) (?:not (?:right|correct|true)|wrong"
    r"|incorrect|a mistake|an error)\b"
    r"|\b(?:that|this|it) (?:can't|cannot|can not) be (?:right|correct|true)\b"
    r"|\b(?:doesn't|does not|can't) (?:seem|look|sound) right\b|\bscratch that\b|\boops\b|\bmy mistake\b"
    r"|\bi (?:(?:made|must have made) (?:a|an) (?:\w{1,12} )?(?:mistake|error|slip)|mis(?:counted|read"
    r"|calculated|added))\b"
)
_VALUE_DENIED = re.compile(
    r"(?<![\w.])(?P<value>-?\d{1,30}(?:\.\d{1,9})?) (?:is|was) (?:wrong|incorrect|not (?:right|correct"
    r"|it)|a mistake)\b"
    r"|\b(?:is|it's) not (?P<other>-?\d{1,30})(?![\d\w]|\.\d)|, not (?P<instead>-?\d{1,30})(?![\d\w]|\.\d)"
)
_NO = re.compile(r"(?:\bis|\bare|\bbe|=) \**-?\d[\d.,]{0,30}\**\s{1,2}(?:wait, |hmm, |oh, |oh )?no\b[,:.;]")
_REACH = 2_000  # characters before a denial
_SAYS = re.compile(
    r"\bthe (?P<subject>(?:final |correct )?answer|mode|median|mean|average|maximum|minimum|max|min"
    r"|largest|smallest|product)"
    r"(?: value| number)? (?:is|=) \**(?P<value>-?\d{1,30}(?:\.\d{1,9})?)(?P<after>\**[ )]{0,2}[?]| so far| or\b)?"
)


def _find(trace: Trace) -> list[Span]:
    text = trace.low
    spans = {match.span() for match in _DENIED.finditer(text)}
    spans |= {match.span() for match in islice(_NO.finditer(text), MAX_SPANS)}
    spans |= {match.span() for match in islice(_VALUE_DENIED.finditer(text), MAX_SPANS) if _was_claimed(text, match)}
    return sorted(spans | _said_otherwise(text))


def _was_claimed(text: str, match: re.Match[str]) -> bool:
    """Return whether a value that is denied stands before; where ``not`` alone denies it, as a claim."""
    claimed = r"(?:\bis|\bbe|=) \**" if match["instead"] else r"(?<![\d.-])"
    value = re.escape(match["value"] or match["other"] or match["instead"])
    before = text[max(0, match.start() - _REACH) : match.start()]
    return re.search(rf"{claimed}{value}(?!\d|\.\d|\**\?)", before) is not None


def _said_otherwise(text: str) -> set[Span]:
    """Return where the same thing is given another value than before."""
    first: dict[str, tuple[str, Span]] = {}
    spans: set[Span] = set()
    for match in _SAYS.finditer(text):
        if match["after"]:
            continue
        subject = match["subject"].removeprefix("final ").removeprefix("correct ")
        value, earlier = first.setdefault(subject, (match["value"], match.span()))
        if value != match["value"]:
            spans |= {earlier, match.span()}
    return spans


RULE = PatternRule("taken_back", Pattern.SELF_CONTRADICTION, _find, order=31)
