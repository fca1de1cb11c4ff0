"""How the published code reads one number; see :mod:`bench.released_code` for what was seen of it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

LONGEST = 400  # characters of a piece that is searched for a number

BOX = re.compile(r"\\boxed\{([^{}]+)\}|\[boxed\{([^{}]+)\}\]")
LOOSE_BOX = re.compile(r"\\?\[?boxed\s{0,8}\{((?:[^{}]|\{[^{}]*\}){1,2000})\}|\\boxed[(\[]([^()\[\]]{1,200})[)\]]")
_ANSWER = re.compile(r"answer(?![\">}])(?:\s{0,4}is|\*{0,2}\s{0,4}[:=])?[\s*:]{0,8}([^\n.]{1,200})", re.IGNORECASE)
_MEAN_IS = re.compile(
    r"(?:answer(?![\">}])(?:\s{0,4}is|\*{0,2}\s{0,4}[:=])?|(?:mean|average)\s(?:value\s)?is)[\s*:]{0,8}([^\n.]{1,200})",
    re.IGNORECASE,
)
_ANSWER_NUMBER = re.compile(
    r"answer(?![\">}])(?:\s{0,4}is|\*{0,2}\s{0,4}[:=])[\s*:$]{0,8}(-?\d+(?:\.\d+)?)", re.IGNORECASE
)
_SAYS = re.compile(r"\bis:?\s{1,4}\**\$?(-?\d+(?:\.\d+)?)|(?<![\d.])(-?\d+(?:\.\d+)?)\s{1,4}is\sthe\b", re.ASCII)
DOLLARS = re.compile(r"\$([^$\n]{1,200})\$|\\\(([^\n]{1,200}?)\\\)|\\\[([^\n]{1,200}?)\\\]")
BLOCK = re.compile(r"```[a-z]*\n(.{1,4000}?)```", re.DOTALL)
BOLD = re.compile(r"\*{1,2}([^*\n]{1,200})\*{1,2}|__([^_\n]{1,200})__")
PLAIN = re.compile(r"-?\d+(?:\.\d+)?", re.ASCII)
_POWER = re.compile(r"(?<![\d.])-?\d+(?:\.\d+)?[eE][-+]?\d{1,3}", re.ASCII)
_DIVIDED = re.compile(r"(?<![\d.])(-?\d+(?:\.\d+)?)/(\d+(?:\.\d+)?)", re.ASCII)
_LATEX_FRACTION = re.compile(r"(-?)\\frac\{(-?\d+)\}\{(-?\d+)\}", re.ASCII)
_LINE_END = re.compile(r"(?<![\d.])(-?\d+(?:\.\d+)?)[.)\]$`]?\s*$", re.ASCII)


@dataclass(frozen=True, slots=True)
class Habits:
    """How the published code reads the numbers of one group of tasks.

    Attributes:
        loose_box: Whether boxes with a level of braces or without backslash count.
        box_ends: Whether a box without a number ends the search.
        commas: Whether a comma between digits is dropped.
        powers: Whether ``1e3`` is 1000.
        ratio: Whether ``1/2`` is a half.
        after_equals: Whether what stands behind the last ``=`` counts.
        last: Whether the last number counts, not the first.
        says: Whether ``is 5`` and ``5 is the`` are looked for.
        integers: Whether a line's last number is what stands behind its decimal point.
        whole: Whether decimals are cut off.
        cents: Whether both sides are rounded to two decimals before they are compared.
        tolerance: By how much an answer may be off.
        noun: What is asked, looked for as ``5 odd numbers`` and ``the mean is 5``.
    """

    loose_box: bool = False
    box_ends: bool = False
    commas: bool = True
    powers: bool = True
    ratio: bool = False
    after_equals: bool = True
    last: bool = False
    says: bool = False
    integers: bool = False
    whole: bool = False
    cents: bool = False
    tolerance: float = 0.0
    noun: str = ""


_TOTAL = Habits(box_ends=True, powers=False, after_equals=False)
_EXTREME = Habits(commas=False, powers=False, after_equals=False, says=True, integers=True)
HABITS = {
    "sum": _TOTAL,
    "odd_count": Habits(box_ends=True, powers=False, last=True, noun="odd"),
    "even_count": Habits(box_ends=True, powers=False, last=True, noun="even"),
    "subtraction": Habits(),
    "absolute_difference": Habits(loose_box=True, says=True),
    "division": Habits(loose_box=True, says=True, cents=True),
    "multiplication": Habits(loose_box=True, says=True, whole=True),
    "find_max": _EXTREME,
    "find_min": _EXTREME,
    "mean": Habits(ratio=True, tolerance=1e-6, noun="mean"),
    "median": Habits(ratio=True, tolerance=1e-6),
}


def read_number(text: str, task: str) -> tuple[float | None, bool]:
    """Return the number and whether the instruction counts as followed."""
    habits = HABITS[task]
    content = _chosen_box(text, habits)
    if content is not None:
        number = _boxed_number(content, habits)
        if task == "even_count" and "." in content:
            number = None
        if number is not None or habits.box_ends:
            return number, True
    for candidate in _candidates(text, habits):
        number = _number(candidate, habits)
        if number is not None:
            return number, habits.ratio
    return None, False


def _chosen_box(text: str, habits: Habits) -> str | None:
    """Return what the last box holds; a negative number in an earlier one is preferred."""
    for pattern in (BOX, LOOSE_BOX)[: 1 + habits.loose_box]:
        boxes = [content for content in groups(pattern, text) if content.strip()]
        if boxes:
            plain = habits.box_ends or habits.integers
            negative = [] if plain else [content for content in boxes if content.startswith("-")]
            return (negative or boxes)[-1]
    return None


def _candidates(text: str, habits: Habits) -> Iterator[str]:
    """Yield the pieces of a text without a box that may hold the number, in order."""
    if habits.box_ends:
        yield from _counted(text, habits.noun)
        yield from _last_sentence(text)
        yield from reversed(groups(DOLLARS, text))
        yield from _line_ends(text, habits)
        yield from reversed(groups(BOLD, text))
        yield from _anything(text)
        return
    statement = _MEAN_IS if habits.noun else _ANSWER_NUMBER if habits.cents else _ANSWER
    yield from groups(statement, text)[-1:]
    for pattern in (DOLLARS,) if habits.ratio else (BOLD, BLOCK, DOLLARS):
        yield from reversed(groups(pattern, text))
    if habits.says:
        yield from reversed(groups(_SAYS, text))
    yield from _line_ends(text, habits)


def groups(pattern: re.Pattern[str], text: str) -> list[str]:
    """Return what each match holds in its group."""
    return [match.group(match.lastindex or 1) for match in pattern.finditer(text)]


def _counted(text: str, noun: str) -> list[str]:
    found: list[str] = re.findall(rf"(\d{{1,20}})\s{noun}\snumber", text) if noun else []
    return found[-1:]


def _last_sentence(text: str) -> list[str]:
    """Return what follows the first mention of an answer in the last sentence that has one."""
    sentences = [part for part in text.split(".") if "answer" in part.lower()]
    return [match.group(1) for match in map(_ANSWER.search, sentences[-1:]) if match]


def _line_ends(text: str, habits: Habits) -> Iterator[str]:
    for line in reversed(text.split("\n")):
        match = _LINE_END.search(line[-LONGEST:])
        if match:
            number = match.group(1)
            yield number.rpartition(".")[2] if habits.integers else number


def _anything(text: str) -> Iterator[str]:
    for line in reversed(text.split("\n")):
        match = PLAIN.search(line)
        if match and not line.endswith("."):
            yield match.group()


def _boxed_number(text: str, habits: Habits) -> float | None:
    """Return the number that a box holds, None where it holds none that a float can be."""
    text = _behind_equals(text[:LONGEST], habits)
    fraction = _LATEX_FRACTION.search(text) if habits.loose_box else None
    if fraction is None:
        return _number(text, habits)
    number = _quotient(*fraction.groups())
    return float(int(number)) if habits.whole and number is not None else number


def _number(text: str, habits: Habits) -> float | None:
    """Return the number that a piece of text holds, None where it holds none that a float can be."""
    text = _behind_equals(text[:LONGEST], habits)
    if habits.commas:
        text = re.sub(r"(?<=\d),(?=\d{3})", "", text)
    if not habits.box_ends:
        text = re.sub(r"-\s{1,8}(?=\d)", "-", text)
    fraction = _DIVIDED.search(text) if habits.ratio else None
    if fraction:
        return _quotient("", *fraction.groups())
    power = _POWER.search(text) if habits.powers else None
    numbers = [power.group()] if power else PLAIN.findall(text)
    number = float(numbers[-1 if habits.last else 0]) if numbers else math.inf
    if math.isinf(number):
        return None
    return float(int(number)) if habits.whole else number


def _behind_equals(text: str, habits: Habits) -> str:
    return text.rpartition("=")[2] or text if habits.after_equals else text


def _quotient(sign: str, above: str, below: str) -> float | None:
    try:
        found = float(f"{sign}1") * float(above) / float(below)
    except ZeroDivisionError:
        return None
    return found if math.isfinite(found) else None
