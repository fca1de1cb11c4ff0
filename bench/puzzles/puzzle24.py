"""Make 24 out of four numbers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement
from typing import Any, ClassVar

from bench.problem import AnswerKind
from bench.puzzles.gym import statement
from bench.seeding import Stream, permuted
from bench.task import Category, Task
from bench.verdict import Unreadable

_TARGET = 24
_MOST_VALUE = 99
_UNSOLVED = 0.01  # what the package gives an expression that is no solution

_TOKEN = re.compile(r"\s*(?:(\d{1,4})|([-+*/()]))")
_STRENGTH = {"+": 1, "-": 1, "*": 2, "/": 2}
_MAX_TOKENS = 60
# A number out of a box's prose is none of the expression's.
_EXPRESSION = re.compile(r"[\d(][\d\s()+*/-]*")


@dataclass(frozen=True)
class Puzzle24(Task):
    """Four numbers from ``min_value`` to ``max_value`` and + - * / make 24; each number is used once.

    Published with 8 to 10, where a single set of four can be solved, {8, 8, 8, 10}: all 50 questions are that one, in
    another order. The default, 1 to 13, has 1,362. The package's generator takes no number above 10 and its scorer
    evaluates the answer as code, asks for four numbers in the range and not for the given ones: neither is used.
    """

    problems: int = 50
    min_value: int = 1
    max_value: int = 13

    name: ClassVar[str] = "puzzle24"
    category: ClassVar[Category] = "puzzles"
    suite: ClassVar[str] = "optimal_thinking"
    answer_kind: ClassVar[AnswerKind] = AnswerKind.CHECKED
    order: ClassVar[int] = 116

    def __post_init__(self) -> None:
        """Check the range.

        Raises:
            ValueError: a bound is no integer from 1 to 99, they are in the wrong order, or nothing can be solved.
        """
        if type(self.problems) is not int or self.problems < 1:
            raise ValueError(f"puzzle24: problems has to be an integer of at least 1, not {self.problems!r}")
        for name in ("min_value", "max_value"):
            value = getattr(self, name)
            if type(value) is not int or not 1 <= value <= _MOST_VALUE:
                raise ValueError(f"puzzle24: {name} has to be an integer from 1 to {_MOST_VALUE}, not {value!r}")
        if self.min_value > self.max_value:
            raise ValueError(f"puzzle24: min_value ({self.min_value}) has to be at most max_value ({self.max_value})")

    def length(self) -> int:
        """Return ``problems``."""
        return self.problems

    def draw(self, seed: int, position: int) -> tuple[int, ...]:
        """Return four numbers: every set that can be solved comes up before one comes again.

        Raises:
            ValueError: no set of this range can be solved.
        """
        sets = solvable(self.min_value, self.max_value)
        if not sets:
            raise ValueError(f"puzzle24: no four numbers from {self.min_value} to {self.max_value} make {_TARGET}")
        drawn = sets[permuted(position, len(sets), seed, self.name)]
        return tuple(Stream(seed, self.name, "order", position).shuffled(drawn))

    def question(self, data: Any) -> str:
        """Return the question."""
        return (
            f"Make {_TARGET} out of the numbers {', '.join(map(str, data))}. Use each of them exactly once, and no "
            "other number. You may use +, -, *, / and brackets. Answer with the expression alone, without "
            "an equals sign."
        )

    def gold(self, data: Any) -> str:
        """Return a solution."""
        found = solution(tuple(sorted(data)))
        assert found is not None
        return found

    def read_data(self, data: Any) -> tuple[int, ...]:
        """Return four numbers.

        Raises:
            ValueError: they are no four integers from 1 to 99, or make no 24.
        """
        values = tuple(data) if isinstance(data, list | tuple) else ()
        if len(values) != 4 or not all(type(value) is int and 1 <= value <= _MOST_VALUE for value in values):
            raise ValueError(f"puzzle24: data has to be four integers from 1 to {_MOST_VALUE}, not {data!r:.60}")
        if solution(tuple(sorted(values))) is None:
            raise ValueError(f"puzzle24: {', '.join(map(str, values))} do not make {_TARGET}")
        return values

    def check(self, data: Any, answer: str) -> float:
        """Return 1 for an expression of exactly these numbers that is 24.

        Raises:
            Unreadable: the answer is no expression.
        """
        text = statement(answer).replace("{", "(").replace("}", ")")
        text = re.sub(r"=\s*24\s*$", "", text).rpartition("=")[2]
        runs = _EXPRESSION.findall(text)
        if not runs:
            raise Unreadable("no expression")
        value, numbers = evaluate(max(runs, key=len))
        return 1.0 if value == _TARGET and Counter(numbers) == Counter(data) else _UNSOLVED


def evaluate(text: str) -> tuple[Fraction | None, list[int]]:
    """Return the value of an expression of numbers, None if it divides by 0, and its numbers; nothing is executed.

    Raises:
        Unreadable: it is no expression, or has more than 60 parts.
    """
    values: list[Fraction | None] = []
    pending: list[str] = []
    numbers: list[int] = []
    after_value = False
    for number, sign in _tokens(text):
        negated = sign == "-" and not after_value
        if negated or after_value != (bool(sign) and sign != "("):
            raise Unreadable("no expression")
        if number:
            numbers.append(int(number))
            values.append(Fraction(int(number)))
        elif sign == ")":
            _apply(1, pending, values)
            if not pending:
                raise Unreadable("a bracket too many")
            pending.pop()
        else:
            if sign != "(":
                _apply(_STRENGTH[sign], pending, values)
            pending.append(sign)
        after_value = bool(number) or sign == ")"
    if not after_value:
        raise Unreadable("no expression")
    _apply(1, pending, values)
    if pending:
        raise Unreadable("a bracket too few")
    return values[0], numbers


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    text, at, count = text.strip(), 0, 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        count += 1
        if match is None or count > _MAX_TOKENS:
            raise Unreadable("no expression")
        yield match[1] or "", match[2] or ""
        at = match.end()


def _apply(strength: int, pending: list[str], values: list[Fraction | None]) -> None:
    """Work out pending operators that bind at least so strongly, down to the last opening bracket."""
    while pending and _STRENGTH.get(pending[-1], 0) >= strength:
        right, left = values.pop(), values.pop()
        values.append(_combined(pending.pop(), left, right))


def _combined(sign: str, left: Fraction | None, right: Fraction | None) -> Fraction | None:
    if left is None or right is None or (sign == "/" and not right):
        return None
    if sign in "+-":
        return left + right if sign == "+" else left - right
    return left * right if sign == "*" else left / right


@cache
def solvable(low: int, high: int) -> tuple[tuple[int, ...], ...]:
    """Return all sets of four numbers of a range that make 24, in rising order."""
    return tuple(four for four in combinations_with_replacement(range(low, high + 1), 4) if _makes_target(four))


def _makes_target(four: tuple[int, ...]) -> bool:
    """Return whether four numbers in rising order make 24: the last operation joins two parts of them."""
    for parts in ((0, 1, 2, 3), (1, 0, 2, 3), (2, 0, 1, 3), (3, 0, 1, 2)):
        single, triple = four[parts[0]], tuple(four[place] for place in parts[1:])
        if any(partner in _values(triple) for partner in _partners(Fraction(single))):
            return True
    for other in (1, 2, 3):
        pair = (four[0], four[other])
        left = tuple(four[place] for place in (1, 2, 3) if place != other)
        if any(partner in _values(left) for value in _values(pair) for partner in _partners(value)):
            return True
    return False


def _partners(value: Fraction) -> Iterator[Fraction]:
    """Yield what makes 24 with a value in one operation."""
    yield from (_TARGET - value, _TARGET + value, value - _TARGET)
    if value:
        yield from (_TARGET / value, value / _TARGET, _TARGET * value)


@cache
def _values(numbers: tuple[int, ...]) -> frozenset[Fraction]:
    """Return all that two or three numbers in rising order make."""
    if len(numbers) == 1:
        return frozenset({Fraction(numbers[0])})
    found: set[Fraction] = set()
    for place, number in enumerate(numbers):
        for other in _values(numbers[:place] + numbers[place + 1 :]):
            for first, second in (((Fraction(number), ""), (other, "")), ((other, ""), (Fraction(number), ""))):
                found.update(value for value, _ in _made(first, second, True))
    return frozenset(found)


@cache
def solution(numbers: tuple[int, ...]) -> str | None:
    """Return an expression of these numbers that is 24, None where there is none."""
    return _solution([(Fraction(number), str(number)) for number in numbers])


def _solution(terms: Sequence[tuple[Fraction, str]]) -> str | None:
    """Return the first solution: two of the terms become one, until one is left."""
    if len(terms) == 1:
        return terms[0][1] if terms[0][0] == _TARGET else None
    for i, first in enumerate(terms):
        for j, second in enumerate(terms):
            if i != j:
                rest = [term for place, term in enumerate(terms) if place not in (i, j)]
                for made in _made(first, second, i < j):
                    if (found := _solution([*rest, made])) is not None:
                        return found
    return None


def _made(first: tuple[Fraction, str], second: tuple[Fraction, str], once: bool) -> Iterator[tuple[Fraction, str]]:
    """Yield what two terms make; sums and products once for both orders."""
    (a, left), (b, right) = first, second
    if once:
        yield a + b, f"({left} + {right})"
        yield a * b, f"({left} * {right})"
    yield a - b, f"({left} - {right})"
    if b:
        yield a / b, f"({left} / {right})"
