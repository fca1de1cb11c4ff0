"""Lists of words, and the integers that English words spell."""

from __future__ import annotations

import re


def words(line: str) -> tuple[str, ...]:
    """Return the words of a line; so a list of them reads as text."""
    return tuple(line.split())


_SMALL = words(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
)
_TENS = words("twenty thirty forty fifty sixty seventy eighty ninety")
_VALUES = dict(zip(_SMALL, range(20), strict=True)) | dict(zip(_TENS, range(20, 100, 10), strict=True))
_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_FIRST_WORD = re.compile(r"[a-z]+", re.IGNORECASE)
_FIRST_WORDS = frozenset({*_VALUES, "minus", "negative", "a", "an"})
_MAX_WORDS = 40


def read_spelled(text: str) -> int | None:
    """Return the integer that English words spell, e.g. ``forty-two`` or ``minus one hundred and five``."""
    first = _FIRST_WORD.match(text)
    if first is None or first.group().lower() not in _FIRST_WORDS:
        return None
    spoken = text[:1000].lower().replace("-", " ").replace(",", " ").split()
    sign = -1 if spoken[0] in ("minus", "negative") else 1
    spoken = [word for word in (spoken[1:] if sign < 0 else spoken) if word != "and"]
    if not spoken or len(spoken) > _MAX_WORDS:
        return None
    if spoken[0] in ("a", "an"):  # `a hundred`
        spoken[0] = "one" if len(spoken) > 1 else ""
    value = _sum_of_groups(spoken)
    return None if value is None else sign * value


def _sum_of_groups(spoken: list[str]) -> int | None:
    """Return the value of number words: groups of three digits, each with a smaller scale than the one before."""
    total = group = 0
    scale = 10**15
    for word in spoken:
        value = _VALUES.get(word)
        if value is not None and _may_follow(group, value):
            group += value
        elif word == "hundred" and _takes_hundred(group, total):
            group *= 100
        elif group and _SCALES.get(word, scale) < scale:
            scale = _SCALES[word]
            total, group = total + group * scale, 0
        else:
            return None
    return total + group


def _takes_hundred(group: int, total: int) -> bool:
    """Return whether so many hundreds are said: ``two hundred``, and alone ``twelve hundred``."""
    return 0 < group < 10 or (10 < group < 100 and group % 10 > 0 and not total)


def _may_follow(group: int, value: int) -> bool:
    """Return whether a number word may follow what its group of three digits holds already."""
    rest = group % 100
    if value == 0:
        return group == 0
    return rest == 0 or (rest >= 20 and rest % 10 == 0 and value < 10)
