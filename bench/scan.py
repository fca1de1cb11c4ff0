"""Finds the last of several strings, then the one before it, and so on."""

from __future__ import annotations

from collections.abc import Iterator


def from_the_end(text: str, needles: tuple[str, ...], start: int = 0) -> Iterator[tuple[int, str]]:
    """Yield the places of the needles in ``text[start:]`` from the last to the first, each with its needle.

    Linear however many places there are: each needle's part of the text is passed once. No two needles may
    begin at the same place.
    """
    last = [text.rfind(needle, start) for needle in needles]
    while (place := max(last)) >= 0:
        which = last.index(place)
        yield place, needles[which]
        needle = needles[which]
        last[which] = text.rfind(needle, start, place + len(needle) - 1)
