r"""Finds the reference answer of a problem in a sentence, in answer form.

``42`` is in ``(42)``, ``\boxed{42}``, ``**Answer:** 42`` and ``6 × 7 = 42``; it is not in ``42.5``, ``142``, ``-42``,
``step 42``, ``42 + 1`` or ``[3, 42, 7]``: there it is part of another number, a label, an operand or an item.

Limits: numbers in words are not found; an expression is found as it is written (spacing, ``\dfrac`` and ``\text``
aside), not in an equal form; a relation as one sentence asserts it. Kinds with no one reference answer have no form:
``checked``, ``executed``, ``judged``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache

from bench.grading.compare import is_right
from bench.grading.normalise import GLUE, normalise
from bench.grading.numbers import read_number
from bench.grading.reading import read_claim
from bench.problem import AnswerKind, Problem, write_gold
from bench.redundancy.standing import stands_alone

# Tells of a sentence whether it holds the answer; linear in its length, never raises.
AnswerForm = Callable[[str], bool]

_UNITS = r"(?:(?:[cmk]?m|[mk]?g|m?l|s|h|ft|in|mph|hrs?|mins?|secs?|USD)\b)?"
_BEGIN = r"(?<![\w.,^:\\√])"
_END = rf"(?:\.0+)?{_UNITS}(?![\w^]|\(\w|[.,:]\d| ?\\[a-zA-Z])"
_MARK = rf"[,' _{GLUE}]"
_CANDIDATE = re.compile(
    rf"{_BEGIN}(?:\d|\.(?=\d))(?:[\d{GLUE}]|[.,'](?=\d))*(?:\(\d+\))?(?: \d+)?(?:\s?/\s?(?:\(\d+\)|\d+))?\s?%?"
    r"(?![\w^]| ?\\[a-zA-Z])",
    re.ASCII,
)
_PERCENTAGE = re.compile(r"percent|%", re.IGNORECASE)
_BRACKETED = re.compile(r"\((\d+)\)/\((\d+)\)", re.ASCII)
_RUN = re.compile(r"(?<![\w.])-?\d+(?:(?:\s?[,;]\s?(?:and\s)?|\sand\s|\s)-?\d+)*(?![\w.]\w)", re.ASCII)
_RELATED = re.compile(r"[<>=≤≥]|greater|larger|bigger|less|smaller|equal|more|same|\\[gl][te]", re.IGNORECASE)


def answer_form(problem: Problem) -> AnswerForm | None:
    """Return what finds the problem's answer in a sentence, None for kinds without one reference answer."""
    kind, gold = problem.answer_kind, problem.gold
    if kind is AnswerKind.EXPRESSION:
        return _expression(problem)
    if kind is AnswerKind.CHOICE:
        return _choice(str(gold))
    if kind is AnswerKind.RELATION:
        return lambda sentence: bool(_RELATED.search(sentence)) and read_claim(normalise(sentence), problem) == gold
    if isinstance(gold, tuple):
        return _integers(gold, problem.question, ordered=kind is AnswerKind.INTEGER_LIST)
    if isinstance(gold, int | Fraction):
        return _integer(int(gold), problem.question) if gold.denominator == 1 else _rational(problem)
    return None


def is_ambiguous(problem: Problem) -> bool:
    """Return whether the answer has less than two digits or letters, so that it is easily met by chance."""
    return sum(map(str.isalnum, write_gold(problem.gold))) < 2


def _plain(sentence: str) -> str:
    """Return the sentence in the plain alphabet, fractions without the brackets that a full stop behind them keeps."""
    return _BRACKETED.sub(r"\1/\2", normalise(sentence))


def _integer(gold: int, question: str) -> AnswerForm:
    percent = r"(?:\s?%)?" if _PERCENTAGE.search(question) else ""  # who asks for a percentage is told 25 %
    digits = str(abs(gold))
    head = len(digits) % 3 or 3
    groups = [digits[:head], *(digits[at : at + 3] for at in range(head, len(digits), 3))]
    negative = gold < 0

    @cache  # most traces are asked by their digits alone, and compiling takes longer than searching one
    def pattern() -> re.Pattern[str]:
        return re.compile(_BEGIN + f"{_MARK}?".join(groups) + percent + _END)

    def holds(sentence: str) -> bool:
        if sentence.isascii() and not all(group in sentence for group in groups):
            return False
        plain = _plain(sentence)
        return any(stands_alone(plain, *found.span(), negative) for found in pattern().finditer(plain))

    return holds


def _rational(problem: Problem) -> AnswerForm:
    gold = problem.gold
    assert isinstance(gold, int | Fraction)
    negative = gold < 0

    def right(written: str) -> bool:
        number = read_number(("-" if negative else "") + written.strip())
        return number is not None and is_right(number, problem)

    def holds(sentence: str) -> bool:
        plain = _plain(sentence)
        return any(
            right(found[0]) and stands_alone(plain, *found.span(), negative, spaced_sign="/" in found[0])
            for found in _CANDIDATE.finditer(plain)
        )

    return holds


def _integers(gold: tuple[int, ...], question: str, *, ordered: bool) -> AnswerForm:
    if len(gold) == 1:
        return _integer(gold[0], question)
    wanted = gold if ordered else tuple(sorted(gold))
    first = str(abs(gold[0]))

    def holds(sentence: str) -> bool:
        if first not in sentence and sentence.isascii():
            return False
        for run in _RUN.findall(normalise(sentence)):
            values = [int(digits) for digits in re.findall(r"-?\d{1,400}", run)]
            if tuple(values if ordered else sorted(values)) == wanted:
                return True
        return False

    return holds


# --- Letters and expressions ----------------------------------------------------------------------------------


def _choice(letter: str) -> AnswerForm:
    named = re.compile(
        rf"(?:option|choice|answer)s?(?: is| would be| must be|:)?:? *\(?{letter}\)?(?![\w'])", re.IGNORECASE
    )
    alone = re.compile(rf"(?<=\S )\({letter}\)|^\(?{letter}\)?[.!]?$")
    boxed = re.compile(rf"\\boxed\s?\{{\s?(?:\\text\s?\{{)?\(?{letter}\b")
    other = re.compile(rf"\((?!{letter}\))[A-Z]\)")

    def holds(sentence: str) -> bool:
        if boxed.search(sentence):
            return True
        plain = normalise(sentence)
        found = named.search(plain)
        if found is not None and letter in found[0][-2 - len(letter) :]:
            return True
        return bool(alone.search(plain)) and other.search(plain) is None

    return holds


_WRAPPED = re.compile(r"\\(?:text|textbf|mathrm|mathbf|mbox|operatorname)\s?\{([^{}]{0,200})\}")
_SILENT = re.compile(r"\\(?:left|right|displaystyle|[!,;: ])|\^\{?\\circ\}?|\\(?=[%$])|\$")
_BARE_FRACTION = re.compile(r"\\frac\s?(\d)\s?(\d)")
_GAP = re.compile(r"\s+(?![A-Za-z0-9(\\])|(?<![A-Za-z0-9])\s+|(?<=\d)\s+(?=\\)")  # all but those that part words


def _written(text: str) -> str:
    """Return LaTeX in one spelling: no silent commands, no blanks but between words."""
    text = _SILENT.sub(" ", _WRAPPED.sub(r" \1 ", text)).replace("**", " ")
    text = text.replace("\\dfrac", "\\frac").replace("\\tfrac", "\\frac")
    return _GAP.sub("", " ".join(_BARE_FRACTION.sub(r"\\frac{\1}{\2}", text).split()))


def _expression(problem: Problem) -> AnswerForm:
    gold = str(problem.gold)
    number = read_number(normalise(gold))
    if number is not None:
        form = answer_form(replace(problem, gold=number.value, answer_kind=AnswerKind.RATIONAL))
        assert form is not None
        return form
    wanted = _written(gold)
    if wanted.isascii() and wanted.isdigit():
        return _integer(int(wanted[:1000]), problem.question)
    flags = re.IGNORECASE if wanted.replace(" ", "").isalpha() and len(wanted) > 1 else 0
    signed = "" if wanted[:1] in "-+" else r"+*/-"
    pattern = re.compile(rf"(?<![\w\\.^{signed}]){re.escape(wanted)}(?![\w^(]|'s|\.\d|\s?[-+*/]\s?[\w\\(])", flags)

    def holds(sentence: str) -> bool:
        return pattern.search(_written(sentence)) is not None

    return holds
