"""The functions and constants of the calculator. Values are fractions, or floats once a function leaves them."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

Number = Fraction | float

_MOST_BITS = 100_000  # of all numbers that a function takes


class CalculatorError(Exception):
    """What is wrong with an expression, said to the model."""


@dataclass(frozen=True, slots=True)
class List:
    """A list of numbers."""

    items: tuple[Number, ...]


Value = Fraction | float | List


def number(value: Value | bool, where: str) -> Number:
    """Return a value that has to be a number."""
    if isinstance(value, List):
        raise CalculatorError(f"{where} takes numbers, not a list")
    return value


def exact(value: Number) -> Number:
    """Return a whole number of any type as a fraction, anything else as it is."""
    return Fraction(value) if isinstance(value, int) else value


def power(base: Number, exponent: Number, most_bits: int) -> Number:
    """Return ``base ** exponent``, exact for a whole exponent; refused where the result would be too long."""
    if isinstance(exponent, Fraction) and exponent.denominator == 1 and isinstance(base, Fraction):
        times = abs(exponent.numerator)
        bits = max(abs(base.numerator).bit_length(), base.denominator.bit_length()) - 1  # of what is certainly reached
        if bits * times > most_bits or times.bit_length() > 64:
            if abs(base) in (0, 1) and base.denominator == 1:
                return Fraction(base.numerator ** (2 - times % 2)) if times else Fraction(1)
            raise CalculatorError("the power is too large")
        return base ** int(exponent)
    root = _exact_root(base, exponent)
    if root is not None:
        return root
    if base < 0:
        raise CalculatorError("a negative number has no real power that is not whole")
    if base == 0 and exponent < 0:
        raise ZeroDivisionError
    return math.pow(base, exponent)


def _exact_root(base: Number, exponent: Number) -> Fraction | None:
    """Return the square root of a fraction that is a square."""
    if not isinstance(base, Fraction) or exponent != Fraction(1, 2) or base < 0:
        return None
    top, bottom = math.isqrt(base.numerator), math.isqrt(base.denominator)
    return Fraction(top, bottom) if Fraction(top * top, bottom * bottom) == base else None


def _one(name: str, function: Callable[[Number], Number]) -> Callable[[Sequence[Value]], Value]:
    def call(values: Sequence[Value]) -> Value:
        if len(values) != 1:
            raise CalculatorError(f"{name} takes one number, not {len(values)}")
        try:
            return exact(function(number(values[0], name)))
        except ValueError:
            raise CalculatorError(f"{name} has no real value there") from None

    return call


def _many(name: str, function: Callable[[list[Number]], Value]) -> Callable[[Sequence[Value]], Value]:
    """Take numbers, or one list of them."""

    def call(values: Sequence[Value]) -> Value:
        items = values[0].items if len(values) == 1 and isinstance(values[0], List) else values
        numbers = [number(item, name) for item in items]
        if not numbers:
            raise CalculatorError(f"{name} needs at least one number")
        if sum(_bits(value) for value in numbers) > _MOST_BITS:
            raise CalculatorError(f"the numbers for {name} are too long")
        found = function(numbers)
        return found if isinstance(found, List) else exact(found)

    return call


def _bits(value: Number) -> int:
    return 64 if isinstance(value, float) else value.numerator.bit_length() + value.denominator.bit_length()


def _size(value: Number) -> Number:
    return value if value >= 0 else -value


def _median(numbers: list[Number]) -> Number:
    ordered, half = sorted(numbers), len(numbers) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def _whole(name: str, function: Callable[..., int], count: int, most: int) -> Callable[[Sequence[Value]], Value]:
    def call(values: Sequence[Value]) -> Value:
        numbers = [number(value, name) for value in values]
        whole = [int(value) for value in numbers if _is_whole(value) and 0 <= value <= most]
        if not len(whole) == len(numbers) == count:
            raise CalculatorError(f"{name} takes {count} whole number{'s' * (count > 1)} from 0 to {most}")
        return Fraction(function(*whole))

    return call


def _is_whole(value: Number) -> bool:
    return value % 1 == 0


def _round(values: Sequence[Value]) -> Value:
    """Round half up, as people do, to whole numbers or to some places."""
    numbers = [number(value, "round") for value in values]
    if not 1 <= len(numbers) <= 2 or (len(numbers) == 2 and not (_is_whole(numbers[1]) and -50 <= numbers[1] <= 50)):
        raise CalculatorError("round takes a number and how many places, at most 50")
    scale = Fraction(10) ** int(numbers[1] if len(numbers) == 2 else 0)
    scaled = Fraction(numbers[0]) * scale
    size = math.floor(abs(scaled) + Fraction(1, 2))
    return Fraction(size if scaled >= 0 else -size) / scale


def _log(values: Sequence[Value]) -> Value:
    numbers = [number(value, "log") for value in values]
    if len(numbers) not in (1, 2) or any(value <= 0 for value in numbers) or numbers[1:] == [1]:
        raise CalculatorError("log takes a number above 0 and, if it is not the natural one, a base above 0")
    return _logarithm(numbers[0]) / (_logarithm(numbers[1]) if len(numbers) == 2 else 1.0)


def _logarithm(value: Number) -> float:
    """Return the natural logarithm, of fractions beyond the range of a float too."""
    if isinstance(value, Fraction):
        return math.log(value.numerator) - math.log(value.denominator)
    return math.log(value)


def _base(name: str, base: int) -> Callable[[Sequence[Value]], Value]:
    def function(value: Number) -> Number:
        if value <= 0:
            raise ValueError
        for places in range(-40, 41):
            if value == Fraction(base) ** places:
                return Fraction(places)
        return _logarithm(value) / math.log(base)

    return _one(name, function)


def _pow(values: Sequence[Value]) -> Value:
    if len(values) != 2:
        raise CalculatorError("pow takes two numbers")
    return power(number(values[0], "pow"), number(values[1], "pow"), 6_000)


def _root(value: Number) -> Number:
    if value < 0:
        raise ValueError
    return power(value, Fraction(1, 2), 0)


def _gcd(function: Callable[..., int], name: str) -> Callable[[Sequence[Value]], Value]:
    def call(numbers: list[Number]) -> Value:
        if not all(_is_whole(value) for value in numbers):
            raise CalculatorError(f"{name} takes whole numbers")
        return Fraction(function(*map(int, numbers)))

    return _many(name, call)


def _product(numbers: list[Number]) -> Number:
    result: Number = Fraction(1)
    for value in numbers:
        result *= value
    return result


FUNCTIONS: Mapping[str, Callable[[Sequence[Value]], Value]] = {
    "abs": _one("abs", _size),
    "ceil": _one("ceil", math.ceil),
    "comb": _whole("comb", math.comb, 2, 2_000),
    "cos": _one("cos", math.cos),
    "count": _many("count", lambda numbers: Fraction(len(numbers))),
    "exp": _one("exp", math.exp),
    "factorial": _whole("factorial", math.factorial, 1, 800),
    "floor": _one("floor", math.floor),
    "gcd": _gcd(math.gcd, "gcd"),
    "lcm": _gcd(math.lcm, "lcm"),
    "len": _many("len", lambda numbers: Fraction(len(numbers))),
    "ln": _log,
    "log": _log,
    "log10": _base("log10", 10),
    "log2": _base("log2", 2),
    "max": _many("max", max),
    "mean": _many("mean", lambda numbers: sum(numbers, Fraction(0)) / len(numbers)),
    "median": _many("median", _median),
    "min": _many("min", min),
    "mode": _many("mode", lambda numbers: List(tuple(statistics.multimode(numbers)))),
    "perm": _whole("perm", math.perm, 2, 500),
    "pow": _pow,
    "prod": _many("prod", _product),
    "round": _round,
    "sin": _one("sin", math.sin),
    "sorted": _many("sorted", lambda numbers: List(tuple(sorted(numbers)))),
    "sqrt": _one("sqrt", _root),
    "sum": _many("sum", lambda numbers: sum(numbers, Fraction(0))),
    "tan": _one("tan", math.tan),
}
CONSTANTS: Mapping[str, float] = {"e": math.e, "pi": math.pi}
