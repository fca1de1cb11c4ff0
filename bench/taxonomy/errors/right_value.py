"""Format: the right value was given too coarsely, as arithmetic to be done, or where it could not be read."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import pairwise

from bench.grading.boxes import boxes_from_the_end
from bench.grading.words import read_spelled
from bench.problem import AnswerKind
from bench.taxonomy.answer import places
from bench.taxonomy.findings import ErrorKind, Span
from bench.taxonomy.rules import ErrorRule, WrongAnswer
from bench.taxonomy.steps import read_steps

_LAST = 4_000  # characters at the end in which an answer is given
_POWER_OF_TEN = re.compile(r"10\s?\^|\d[eE][+-]?\d")
_INTEGER = re.compile(r"(?<![\w.])[-−–]?\d{1,30}(?![\d]|\.\d)")
_BETWEEN = re.compile(r"[\s,;<≤&\[\]()]*(?:and |then )?")
_SAID = re.compile(
    r"(?P<one>-?\d{1,18}) (?:is|was|comes) (?:the )?(?P<word>smaller|less|lower|larger|greater|bigger|higher)\b"
)
_LIST_GOES_ON = re.compile(r", ?-?\d")
_LIST_BEFORE = re.compile(r"\d, ?$|\[$")
_CLAIMED = re.compile(r"\b(?:is|are|was|equals|gives|get|keep|answer|result|value)\b|=|:", re.IGNORECASE)
_NOT_VALUES = re.compile(r"\b(?:\w+ )*?(?:gives|is|are|equals|to|of|they)\b", re.IGNORECASE)


def _find(wrong: WrongAnswer) -> list[Span] | None:
    if wrong.answer is not None and _too_coarse(wrong):
        return []
    boxed = _boxed_arithmetic(wrong)
    if boxed or wrong.answer is not None or not wrong.complete:
        return boxed
    return _standing(wrong) or None


def _too_coarse(wrong: WrongAnswer) -> bool:
    """Return whether the answer is the truth to fewer digits than are asked for."""
    gold, answer = wrong.problem.gold, wrong.answer
    if answer is None or answer.number is None or not isinstance(gold, int | Fraction):
        return False
    off = abs(answer.number - gold)
    if answer.decimals:
        return off * Fraction(10**answer.decimals) < 1
    scientific = _POWER_OF_TEN.search(wrong.trace.text[wrong.visible :][-_LAST:])
    return bool(scientific) and gold != 0 and off * 20 < abs(Fraction(gold))


def _boxed_arithmetic(wrong: WrongAnswer) -> list[Span] | None:
    """Return the last box where it holds arithmetic that comes to the truth."""
    gold = wrong.problem.gold
    visible = wrong.trace.text[wrong.visible :]
    box = next(boxes_from_the_end(visible), None)
    if box is None or not isinstance(gold, int | Fraction) or len(box.content) > 1_000:
        return None
    steps = read_steps(f"{box.content} = {gold}")
    return [(wrong.visible + box.start, wrong.visible + box.end)] if steps and steps[-1].holds else None


def _standing(wrong: WrongAnswer) -> list[Span]:
    """Return where the truth stands in a response of which nothing was read."""
    gold, text = wrong.problem.gold, wrong.trace.text
    start = max(0, len(text) - _LAST)
    if isinstance(gold, str):
        return _relation_said(text, start, wrong)
    if isinstance(gold, tuple):
        return _list_standing(text, start, gold, wrong.problem.answer_kind)
    stated = [step.span for step in wrong.trace.steps if step.stated == gold and not step.right.signs]
    said = [span for span in places(text, gold, start) if _is_said(text, span)]
    return stated[-1:] or said[-1:] or _spelled(text, start, (gold,))


def _is_said(text: str, span: Span) -> bool:
    """Return whether a value is claimed and does not only stand in a list."""
    listed = _LIST_GOES_ON.match(text, span[1]) or _LIST_BEFORE.search(text[max(0, span[0] - 6) : span[0]])
    return not listed and _CLAIMED.search(text[max(0, span[0] - 30) : span[0]]) is not None


def _relation_said(text: str, start: int, wrong: WrongAnswer) -> list[Span]:
    first, second = wrong.problem.data
    for match in _SAID.finditer(text, start):
        below = match["word"] in ("smaller", "less", "lower")
        other = {first: second, second: first}.get(int(match["one"]))
        if other is not None and (int(match["one"]) < other) == below:
            return [match.span()]
    return []


def _list_standing(text: str, start: int, gold: tuple[int, ...], kind: AnswerKind) -> list[Span]:
    """Return where the numbers of a list stand one after the other."""
    found = [(match.span(), int(re.sub("[−–]", "-", match.group()))) for match in _INTEGER.finditer(text, start)]
    size = len(gold)
    for at in range(len(found) - size, -1, -1):
        values = tuple(value for _, value in found[at : at + size])
        same = values == gold or (kind is AnswerKind.INTEGER_SET and set(values) == set(gold))
        if same and _in_a_row(text, [span for span, _ in found[at : at + size]]):
            return [(found[at][0][0], found[at + size - 1][0][1])]
    return _spelled(text, start, gold)


def _in_a_row(text: str, spans: list[Span]) -> bool:
    pairs = pairwise(spans)
    return all(_BETWEEN.fullmatch(text[one[1] : other[0]][:40]) for one, other in pairs)


def _spelled(text: str, start: int, gold: tuple[int | Fraction, ...]) -> list[Span]:
    """Return the line of words that spells the truth."""
    for match in reversed(list(_WORDS_LINE.finditer(text, start))):
        parts = (
            re.split(r", (?:and )?| and ", _NOT_VALUES.sub("", match.group()).strip(" .,")) if len(gold) > 1 else None
        )
        values = [read_spelled(part.strip(" .,")) for part in parts] if parts else [_last_spelled(match.group())]
        if gold and tuple(values) == gold:
            return [match.span()]
    return []


_WORDS_LINE = re.compile(r"[^\n.!?\\]{3,300}")
_MAX_SPELLED = 8  # words
_PARTS = {"half": Fraction(1, 2), "quarter": Fraction(1, 4), "third": Fraction(1, 3)}


def _last_spelled(line: str) -> int | Fraction | None:
    """Return the number that the last words of a line spell."""
    said = line.strip(" .,*").split()
    for first in range(max(0, len(said) - _MAX_SPELLED), len(said)):
        value = _read_words(" ".join(said[first:]))
        if value is not None:
            return value
    return None


def _read_words(said: str) -> int | Fraction | None:
    """Return the number that words spell: ``forty-two``, ``two and a half``."""
    whole, _, part = said.lower().rpartition(" and a ")
    value = read_spelled(whole) if part in _PARTS else read_spelled(said)
    return value if value is None or part not in _PARTS else value + _PARTS[part]


RULE = ErrorRule("right_value", ErrorKind.FORMAT, _find, order=10)
