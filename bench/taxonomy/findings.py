"""What the taxonomies say: kinds of error, patterns of a trace, and findings with the spans that led to them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

# From a character's place to one past another's, in the text that was given.
Span = tuple[int, int]


class ErrorKind(StrEnum):
    """Why an answer is wrong; each wrong answer has one kind."""

    COMPUTATIONAL = "computational"  # the right method, but a step of it is wrong
    PROCEDURAL = "procedural"  # another method than the one asked for, its steps right
    FORMAT = "format"  # the right value in a form that does not count
    PARTIAL = "partial"  # a part of the data, of the steps or of the answer is left out
    HALLUCINATION = "hallucination"  # values that neither the question gave nor a step produced


class Pattern(StrEnum):
    """What a trace does; a trace may show several patterns, or none."""

    REDUNDANT_VERIFICATION = "redundant_verification"  # a result already derived is derived again
    SELF_CONTRADICTION = "self_contradiction"  # an equation or claim and its negation
    IRRELEVANT_EXPLORATION = "irrelevant_exploration"  # a stretch that can't bear on the answer
    STOPPING_FAILURE = "stopping_failure"  # ends in repetition or in random tokens
    HELPFUL_DECOMPOSITION = "helpful_decomposition"  # parts are worked out and put together


@dataclass(frozen=True, slots=True)
class ErrorFinding:
    """Why an answer is wrong.

    Attributes:
        kind: The kind of error.
        rule: Name of the rule that found it.
        spans: The places in the response that triggered the rule; empty where nothing that stands there did.
    """

    kind: ErrorKind
    rule: str
    spans: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class PatternFinding:
    """One pattern of a trace.

    Attributes:
        pattern: The pattern.
        rule: Name of the rule that found it.
        spans: The places that triggered the rule, in order; at most 50 of them.
    """

    pattern: Pattern
    rule: str
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class WrongStep:
    """One wrong step: an equation, a comparison or a parity that does not hold.

    Attributes:
        span: Where it stands.
        written: How it was written.
        truth: What would be right: the value of the left side, the sign, or the parity.
    """

    span: Span
    written: str
    truth: str
