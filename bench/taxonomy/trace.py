"""A text with what all rules read in it, read once."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from bench.taxonomy.claims import Claim, read_claims
from bench.taxonomy.findings import Span
from bench.taxonomy.repetition import failure_start
from bench.taxonomy.steps import Step, read_steps

# About what models write within 25,000 tokens. Beyond it only the end is looked at, for a failure to stop.
MAX_READ = 100_000
MAX_SPANS = 50
_MAX_SENTENCES = 3_000

_SENTENCE = re.compile(r"[^\s](?:[^.!?\n]|[.](?=[\w)]))*[.!?]*")
# What opens another look at something that stands already.
_CUE = re.compile(
    r"\b(?:wait|hmm|hold on|check(?:ing)?|verify(?:ing)?|re-?(?:check|count|comput|calculat|add|do"
    r"|verify|examin)(?:e|ing)?|"
    r"again|make sure|to be sure|confirm|once more|one more time|just in case|is it|let me try"
    r"|alternatively|another way|"
    r"other way|or i could)\b"
)


@dataclass(frozen=True)
class Trace:
    """One text.

    Attributes:
        whole: All of it.
    """

    whole: str

    @cached_property
    def failure(self) -> int | None:
        """Where the text begins to fail to stop, None where it does not."""
        return failure_start(self.whole)

    @cached_property
    def text(self) -> str:
        """What the rules read: the beginning, up to where a failure to stop begins."""
        return self.whole[: MAX_READ if self.failure is None else min(self.failure, MAX_READ)]

    @cached_property
    def low(self) -> str:
        """The same in lower case, character by character, which patterns pass faster than they ignore case."""
        low = self.text.lower()
        if len(low) == len(self.text):
            return low
        return "".join(char.lower() if len(char.lower()) == 1 else char for char in self.text)

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """Its equations."""
        return read_steps(self.text)

    @cached_property
    def claims(self) -> tuple[Claim, ...]:
        """Its comparisons and parities."""
        return read_claims(self.text)

    @cached_property
    def cues(self) -> tuple[Span, ...]:
        """Where another look at something begins."""
        return tuple(match.span() for match in islice(_CUE.finditer(self.low), _MAX_SENTENCES))

    @cached_property
    def sentences(self) -> tuple[Span, ...]:
        """Its sentences; a line ends one."""
        return tuple(match.span() for match in islice(_SENTENCE.finditer(self.text), _MAX_SENTENCES))

    @cached_property
    def thinking_end(self) -> int:
        """Where the thinking ends; the end of the text where nothing says so."""
        close = self.text.rfind("</think")
        return len(self.text) if close < 0 else close

    def lines(self) -> Iterator[tuple[int, str]]:
        """Yield the lines with the places where they begin, those of a failure to stop included."""
        start = 0
        for line in self.whole[:MAX_READ].split("\n"):
            yield start, line
            start += len(line) + 1

    def cue_between(self, start: int, end: int) -> bool:
        """Return whether another look begins in a stretch."""
        at = bisect_left(self.cues, (start, 0))
        return at < len(self.cues) and self.cues[at][0] < end
