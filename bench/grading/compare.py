"""Compares what was read with the exact answer, and writes it in canonical text."""

from __future__ import annotations

from fractions import Fraction

from bench.grading.numbers import MAX_DIGITS, Number
from bench.grading.reading import Value
from bench.problem import AnswerKind, Problem

# A decimal stands for a fraction only if it was written to so many decimals and significant digits.
MIN_DECIMALS = 2
MIN_DIGITS = 2
# A double printed in full is right to 15 significant digits, its 16th and 17th are not those of the truth.
_DOUBLE_DIGITS = 15


def is_right(value: Value, problem: Problem) -> bool:
    """Return whether a value is the problem's answer.

    Integers are exact: 42.0 is 42, 42.5 is not. A fraction must be equal, or be met by a decimal of at least two
    decimals and two significant digits that is the truth rounded (half up or half even) to the decimals written.
    """
    if isinstance(value, Number):
        return isinstance(problem.gold, int | Fraction) and _is_number(value, problem.gold)
    if isinstance(value, str):
        return value == problem.gold
    if not isinstance(problem.gold, tuple):
        return False
    if problem.answer_kind is AnswerKind.INTEGER_SET:
        return set(value) == set(problem.gold)
    return value == problem.gold


def _is_number(number: Number, gold: int | Fraction) -> bool:
    if number.value == gold:
        return True
    if gold.denominator == 1 or number.decimals is None:
        return False
    if number.decimals < MIN_DECIMALS or number.digits < MIN_DIGITS:
        return False
    value, truth = Fraction(number.value), Fraction(gold)
    off = abs(value - truth) * 10**number.decimals
    if 2 * off < 1:
        return True
    if 2 * off == 1:  # a tie: half up takes the value away from zero, half even an even last digit
        return abs(value) > abs(truth) or int(value * 10**number.decimals) % 2 == 0
    if number.open_ended:  # `0.666...`: the digits go on, so they are cut, not rounded
        return off < 1 and abs(value) < abs(truth)
    extra = number.digits - _DOUBLE_DIGITS
    return 0 < extra <= 2 and 2 * off <= 10**extra


def canonical(value: Value) -> str:
    """Return one text for each value: ``-3``, ``0.5``, ``1/3``, ``[1, 2]``, ``>``."""
    if isinstance(value, str):
        return value
    if isinstance(value, Number):
        return _number_text(value.value)
    if set(map(type, value)) <= {int}:
        return str(list(value))
    return f"[{', '.join(map(_number_text, value))}]"


def _number_text(value: int | Fraction) -> str:
    """Return an integer, a terminating decimal or a reduced fraction."""
    if isinstance(value, int):
        return str(value)
    decimals = _decimals(value.denominator)
    if decimals is None or decimals > MAX_DIGITS:
        return f"{value.numerator}/{value.denominator}"
    sign = "-" if value < 0 else ""
    whole, part = divmod(abs(value.numerator) * 10**decimals // value.denominator, 10**decimals)
    return f"{sign}{whole}.{part:0{decimals}d}"


def _decimals(denominator: int) -> int | None:
    """Return how many decimals a fraction with this denominator has, None where they never end."""
    twos = (denominator & -denominator).bit_length() - 1
    rest = denominator >> twos
    fives = 0
    while rest % 5 == 0:
        rest //= 5
        fives += 1
    return max(twos, fives) if rest == 1 else None
