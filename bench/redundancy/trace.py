"""One trace: where the right answer first stands, and how many tokens come after it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bench.problem import Problem
from bench.redundancy.answer_form import AnswerForm, answer_form, is_ambiguous
from bench.redundancy.sentences import Span, each_sentence, sentence_spans
from bench.redundancy.thoughts import is_switch, reflections
from bench.redundancy.tokens import TokensBefore

_STATES = re.compile(
    r"\\boxed|\\fbox|final answer|<answer>|^#{2,}|\banswer\s*(?:is\b|[:=])|^\W*answer\W*$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class FirstCorrect:
    """The first sentence that holds the reference answer in answer form (FCA).

    Attributes:
        sentence: Its number, from 0. The first correct solution (FCS) are the sentences up to and with it.
        start: Where it begins in the trace, in characters.
        end: One past its end; the text before is the FCS.
    """

    sentence: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Trace:
    """What a trace says of its own redundancy.

    Attributes:
        total: Tokens of the trace.
        sentences: Sentences of it.
        first: The first correct answer, None where ``missing`` says why.
        needed: Tokens of the FCS, None without one.
        missing: ``no_form`` (the answer's kind has no one form), ``no_trace`` (nothing but a final statement) or
            ``no_first_correct``; None if it was found.
        ambiguous: Whether the answer has less than two digits or letters, so that chance may have met it.
        switches: Sentences that begin another line of thought.
        reflections: Words of reflection.
    """

    total: int
    sentences: int
    first: FirstCorrect | None
    needed: int | None
    missing: str | None
    ambiguous: bool
    switches: int
    reflections: int

    @property
    def external(self) -> int | None:
        """Tokens after the FCS."""
        return None if self.needed is None else self.total - self.needed

    @property
    def erd(self) -> float | None:
        """External redundancy degree, (T_total - T_fcs) / T_total; None without a first correct answer.

        A ratio falls, too, when the part before the answer grows, so :attr:`external` belongs beside it.
        """
        external = self.external
        return None if external is None or not self.total else external / self.total


def look_at(trace: str, problem: Problem, tokens_before: TokensBefore) -> Trace:
    """Return what a trace says of its redundancy; linear in its length, never raises on any text.

    Args:
        trace: The thinking, or of a response without any the :func:`visible_trace`.
        problem: What was asked.
        tokens_before: Counts the trace's tokens.
    """
    spans = sentence_spans(trace)
    form = answer_form(problem)
    first = None if form is None else first_correct(trace, form, spans)
    missing = "no_form" if form is None else "no_trace" if not spans else "no_first_correct" if first is None else None
    return Trace(
        total=tokens_before(len(trace)),
        sentences=len(spans),
        first=first,
        needed=None if first is None else tokens_before(first.end),
        missing=missing,
        ambiguous=is_ambiguous(problem),
        switches=sum(is_switch(trace[start : start + 200]) for start, _ in spans),
        reflections=reflections(trace),
    )


def first_correct(trace: str, form: AnswerForm, spans: tuple[Span, ...] | None = None) -> FirstCorrect | None:
    """Return the first sentence of a trace that holds the answer, None if none does."""
    for number, (start, end) in enumerate(each_sentence(trace) if spans is None else spans):
        if form(trace[start:end]):
            return FirstCorrect(number, start, end)
    return None


def visible_trace(answer: str) -> str:
    """Return the visible answer of a response without thinking up to its terminal statement of the answer.

    That is its last sentence, or from the last run of sentences on that hold a box or name the answer.
    """
    spans = sentence_spans(answer)
    stated = [
        number for number, (start, end) in enumerate(spans) if _STATES.search(answer[start : min(end, start + 500)])
    ]
    at = stated[-1] if stated else len(spans) - 1
    while at > 0 and at - 1 in stated:
        at -= 1
    return answer[: spans[at][0]].rstrip() if spans else ""
