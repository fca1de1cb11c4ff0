r"""Grades as the published code, llmthinkbench 0.1.6, does, to tell how much of a gap to a published row is the grader.

Written from what that package answered when it was asked (tests/bench/released_code), not from its code, and so not
the same in every corner: docs/benchmarks.md says how often the two agree. What was seen:

1. Thinking is never removed: tags are text like any other, and an answer inside the thinking counts. Whether a text
   was cut makes no difference.
2. A box is ``\boxed{...}`` without braces inside, so ``\boxed{\text{5}}`` and ``\boxed{\frac{1}{2}}`` are none. Where
   there is none, multiplication, division, absolute difference, sorting and mode also take one level of braces,
   ``\boxed {5}`` and ``boxed{5}``.
3. Of several boxes the last counts, but in comparison and mode the first; and in subtraction, multiplication,
   division, absolute difference, mean and median one that holds a negative number beats a later one.
4. A box without a number is passed over and the text searched, except in sum and counts: there it ends the search.
5. Comparison reads a box alone, as the first of "greater", "less", "equal" or their signs in it.
6. Numbers: commas of thousands are dropped (in the extremes a comma ends the number); ``1e3`` is 1000 except in sum,
   counts and extremes; ``3 + 4 = 7`` is 7, but 3 in sum and extremes; ``1/2`` is a half in mean and median, else 1. The
   typographic minus is not seen: ``−5`` is 5. Counts take the last number, the others the first.
7. Numbers pass through a float, so a product of over 15 digits is met only by luck; multiplication drops decimals
   (42.9 is 42), and a boxed even count with decimals is no answer.
8. Division compares both sides rounded to two decimals; mean and median may be off by 0.000001; the rest is exact.
9. Without a box: what follows ``answer`` in its sentence (a decimal point ends a sentence too, so 2.5 is 2; not in
   division), of several the last; then bold text, code blocks, formulas, ``is 5`` and ``5 is the``, in an order
   that differs by task; then the number that a line ends with, the last such line. Sum and counts at last take any
   number. ``5 odd numbers`` is a count.
10. Sorting takes the last list with commas, mode the first list or number. Decimals are cut off.
11. "Followed the instruction" means that a box was found, with a number (but in sum and counts without one, too); in
    mean, median, mode and sorting that an answer was read at all.
12. An answer that equals an input is accepted, though it was reported of the code that sum and median refuse it.
"""

from __future__ import annotations

import re
from fractions import Fraction

from bench.problem import Problem
from bench.released_numbers import (
    BLOCK,
    BOLD,
    BOX,
    DOLLARS,
    HABITS,
    LONGEST,
    LOOSE_BOX,
    PLAIN,
    Habits,
    groups,
    read_number,
)
from bench.verdict import Outcome, Verdict

# Part of the grading fingerprint: raised whenever a response may get another verdict than before.
RELEASED_VERSION = "0.1.6-1"

# Of a longer text only the end is graded, so that no text takes long. Numbers begin behind no other digit for the same
# reason: a search that starts at each of a million digits never ends.
_MAX_LENGTH = 200_000

_BRACKETS = re.compile(r"[\[{]([^\[\]{}]{1,4000}?)\\?[\]}]|`([^`\n]{1,200})`")
_LIST_END = re.compile(r"(?<!\d)(-?\d+(?:(?:,\s{0,4}(?:and\s)?|\sand\s)-?\d+)*)\s{0,4}[.)\]$}]?\s*$", re.ASCII)
_LIST = re.compile(
    r"(?:(?<![^\s\[(])|(?<=\\\{))-?\d+(?:\.\d+)?(?:\s{0,4}[,;]\s{0,4}(?:and\s)?-?\d+(?:\.\d+)?)+", re.ASCII
)


def grade_as_released(problem: Problem, response: str | None) -> Verdict:
    """Return what one response is worth to the published code; never raises on any text, linear in its length.

    The rule is ``released_code``; the answer is what was read, and nothing read is ``unparsed`` with the reason
    ``no_candidate``.

    Args:
        problem: One of the 14 basic-math tasks; of another task the verdict is ``ungraded``.
        response: What the model wrote, thinking included.
    """
    text = (response or "")[-_MAX_LENGTH:]
    found = _read(text, problem.task)
    if found is None:
        return Verdict(Outcome.UNGRADED, None, None, False, "not_in_released_code")
    read, followed = found
    if read is None:
        return Verdict(Outcome.UNPARSED, None, None, followed, "no_candidate")
    outcome = Outcome.CORRECT if _is_right(read, problem) else Outcome.INCORRECT
    answer = str(int(read)) if isinstance(read, float) and read.is_integer() else str(read)
    return Verdict(outcome, answer, "released_code", followed)


def _read(text: str, task: str) -> tuple[float | str | list[int] | None, bool] | None:
    """Return the answer and whether the instruction counts as followed; None for a task that is not theirs."""
    if task == "comparison":
        return _relation(text)
    if task in ("sorting", "mode"):
        return _elements(text, last=task == "sorting")
    return read_number(text, task) if task in HABITS else None


def _is_right(read: float | str | list[int], problem: Problem) -> bool:
    gold = problem.gold
    if isinstance(read, list) and isinstance(gold, tuple):
        return sorted(set(read)) == sorted(gold) if problem.task == "mode" else tuple(read) == gold
    if isinstance(read, float) and isinstance(gold, int | Fraction):
        return _is_number(read, gold, HABITS[problem.task])
    return read == gold


def _is_number(read: float, gold: int | Fraction, habits: Habits) -> bool:
    try:
        truth = float(gold)
    except OverflowError:
        return False
    if habits.cents:
        return round(read, 2) == round(truth, 2)
    return abs(read - truth) < habits.tolerance if habits.tolerance else read == gold


_RELATION = re.compile(r"(greater|larger|bigger|more|>)|(less|smaller|lower|<)|(equal|same|=)", re.IGNORECASE)


def _relation(text: str) -> tuple[str | None, bool]:
    box = BOX.search(text)
    found = _RELATION.search(box.group()) if box else None
    relation = None if found is None else "><="[(found.lastindex or 1) - 1]
    return relation, relation is not None


def _elements(text: str, *, last: bool) -> tuple[list[int] | None, bool]:
    """Return the numbers of a list, of several the last or the first, and whether there are any."""
    for found in (_list_boxes(text, last), _lists(text) if last else _modes(text)):
        chosen = [numbers for numbers in map(_whole_numbers, found) if numbers]
        if chosen:
            return chosen[-1 if last else 0], True
    return None, False


def _list_boxes(text: str, last: bool) -> list[str]:
    found = groups(LOOSE_BOX, text)
    return found if last else [re.split(r"(?<=\d)\s{1,8}(?=-?\d|<)|\n", content, maxsplit=1)[0] for content in found]


def _lists(text: str) -> list[str]:
    return [match.group() for match in _LIST.finditer(text)] or groups(BLOCK, text)


def _modes(text: str) -> list[str]:
    found = [group for pattern in (_BRACKETS, BOLD, DOLLARS, BLOCK) for group in groups(pattern, text)]
    ends = [match.group(1).lstrip("-") for line in text.split("\n") if (match := _LIST_END.search(line[-LONGEST:]))]
    return [*found, *reversed(ends)]


def _whole_numbers(text: str) -> list[int]:
    return [int(float(number)) for number in PLAIN.findall(text) if len(number) < 300]
