"""Finds claims that can be checked without an equation: ``-5 < 3``, ``12 is greater than 7``, ``17 is odd``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice

from bench.taxonomy.findings import Span

MAX_CLAIMS = 600

_NUMBER = r"[-−–]?\d{1,18}(?:,\d{3})*(?:\.\d{1,9})?"
_COMPARED = re.compile(
    rf"(?<![\w.,=<>^-])(?<![-−–] )(?P<one>{_NUMBER})[ \t$]{{0,3}}(?P<sign>[<>]|\\[lg]t\b)[ \t$]{{0,3}}"
    rf"(?=(?P<other>{_NUMBER})(?![\w%^]|[ \t]*[+*/×·]|[ \t]+[-−–][ \t]))"
)
_COMPARED_IN_WORDS = re.compile(
    rf"(?<![\w.,=^-])(?P<one>{_NUMBER}) (?:is|was) (?P<word>less|smaller|lower|greater|larger|bigger"
    rf"|higher|more) than "
    rf"(?=(?P<other>{_NUMBER})(?![\w%^]))"
)
_PARITY = re.compile(
    r"(?<![\w.,])(?:[a-h](?=-?\d+ (?:even|odd)\b)(?P<lettered>))?[-−–]?(?P<number>\d{1,18})"
    r"(?: is| =| →| ->| –| -|:| \(|\()? ?(?P<denied>not )?(?P<article>an? )?(?P<parity>even"
    r"|odd)\b(?(article)|(?! (?:number|value|integer|count|one|entr|elem)))"
)
_SEPARATED = re.compile(r"is|=|→|->|–| - |:|\(")
_ASKED = re.compile(r"[ )*$]{0,4}\?")
_SUPPOSED = re.compile(r"\b(?:if|whether|suppose|assume|say|does|did|not)\s+\**$", re.IGNORECASE)
_ABOVE = frozenset({">", "\\gt", "greater", "larger", "bigger", "higher", "more"})


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim about numbers that was asserted.

    Attributes:
        span: Where it stands.
        about: What it is about, the same text for the same question.
        says: What it says of it.
        truth: What would be right.
    """

    span: Span
    about: str
    says: str
    truth: str

    @property
    def holds(self) -> bool:
        """Whether it is right."""
        return self.says == self.truth


def read_claims(text: str) -> tuple[Claim, ...]:
    """Return the comparisons and parities that a text asserts, in order; linear, at most 1,800 of them.

    Claims that are asked (``is 5 > 7?``) or supposed are left out.
    """
    found = [claim for read in (_comparisons, _parities) for claim in read(text)]
    return tuple(sorted(found, key=lambda claim: claim.span))


def _comparisons(text: str) -> Iterator[Claim]:
    for pattern in (_COMPARED, _COMPARED_IN_WORDS):
        for match in islice(pattern.finditer(text), MAX_CLAIMS):
            one, other = (_read(match[name]) for name in ("one", "other"))
            above = (match["sign"] if pattern is _COMPARED else match["word"]) in _ABOVE
            span = (match.start(), match.end("other"))
            if not _open(text, span):
                yield _comparison(span, one, other, ">" if above else "<")


def _comparison(span: Span, one: Fraction, other: Fraction, sign: str) -> Claim:
    truth = "=" if one == other else ">" if one > other else "<"
    if one > other:  # the smaller one first, so that `7 > 5` and `5 < 7` say the same
        one, other = other, one
        sign, truth = _TURNED[sign], _TURNED[truth]
    return Claim(span, f"{one} ? {other}", sign, truth)


_TURNED = {"<": ">", ">": "<", "=": "="}


def _parities(text: str) -> Iterator[Claim]:
    for match in islice(_PARITY.finditer(text), MAX_CLAIMS):
        between = text[match.end("number") : match.start("parity")]
        if match["lettered"] is None and not _SEPARATED.search(between):
            continue  # `4 odd ones`
        truth = ("even", "odd")[int(match["number"]) % 2]
        says = match["parity"]
        if match["denied"]:
            says = "even" if says == "odd" else "odd"
        if not _open(text, match.span()):
            yield Claim(match.span(), f"parity of {match['number']}", says, truth)


def _open(text: str, span: Span) -> bool:
    """Return whether a claim is asked or supposed, not made."""
    before, after = text[max(0, span[0] - 14) : span[0]], text[span[1] : span[1] + 6]
    return bool(_ASKED.match(after) or _SUPPOSED.search(before))


def _read(number: str) -> Fraction:
    return Fraction(number.replace(",", "").replace("−", "-").replace("–", "-"))
