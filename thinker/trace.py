"""What a worked-out problem looks like: its lines at three lengths, and its answer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Detail(StrEnum):
    """How much of the working is written down."""

    BRIEF = "brief"  # one line of intermediate results
    SHORT = "short"  # every step, but not how it was done
    FULL = "full"  # every digit


@dataclass(frozen=True, slots=True)
class Trace:
    """One problem worked out.

    Attributes:
        full: Lines with every digit.
        short: The same without the digits.
        brief: Intermediate results alone.
        answer: What goes into the box.
        check: The result said again, for a habit of checking what stands already.
        slip: A wrong answer that is near, for a claim that is then taken back; None where there is no good one.
    """

    full: tuple[str, ...]
    short: tuple[str, ...]
    brief: str
    answer: str
    check: str
    slip: str | None = None

    def lines(self, detail: Detail) -> tuple[str, ...]:
        """Return the lines at one length."""
        if detail is Detail.BRIEF:
            return (self.brief,)
        return self.short if detail is Detail.SHORT else self.full


def lettered(values: Iterable[int]) -> list[str]:
    """Return the items of a list, each behind its letter: ``a47``, ``b-3``."""
    return [f"{letter}{value}" for letter, value in zip("abcdefgh", values, strict=False)]
