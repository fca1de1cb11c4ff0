"""What other methods than the right one lead to, on the same data: how a wrong answer gives its method away."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from math import prod

from bench.problem import Problem

Data = Sequence[int]
# A number, the numbers of a list in their order, or a relation, with the name of the method.
Result = int | Fraction | tuple[int, ...] | str
Methods = Callable[[Data], Iterator[tuple[str, Result]]]


def other_results(problem: Problem) -> Iterator[tuple[str, Result]]:
    """Yield what other methods give, with their names; nothing for a task whose data are no integers."""
    methods = _METHODS.get(problem.task)
    data = problem.data
    if methods is None or not isinstance(data, tuple | list) or not all(type(value) is int for value in data):
        return
    for name, result in methods(data):
        if result != problem.gold:
            yield name, result


def partial_results(problem: Problem) -> Iterator[tuple[str, Result]]:
    """Yield what comes out where the end of the data, one item, or the last step is left out, with what it was."""
    data = problem.data
    if not isinstance(data, tuple | list) or not all(type(value) is int for value in data):
        return
    for name, result in _left_out(problem.task, data):
        if result != problem.gold:
            yield name, result


def _left_out(task: str, data: Data) -> Iterator[tuple[str, Result]]:
    size = len(data)
    if task in ("sum", "multiplication") and size > 2:
        fold = sum if task == "sum" else prod
        yield from (("the end of the data", fold(data[:kept])) for kept in range(2, size))
        yield from (("one item", fold([*data[:at], *data[at + 1 :]])) for at in range(size))
    elif task == "mean":
        yield "the division", sum(data)
    elif task == "median" and size % 2 == 0:
        ordered = sorted(data)
        yield "the halving", ordered[size // 2 - 1] + ordered[size // 2]


def _pair(data: Data) -> Iterator[tuple[str, Result]]:
    first, second = data[0], data[-1]
    yield "added", first + second
    yield "subtracted the other way round", first - second
    yield "subtracted", second - first
    yield "signs ignored", abs(abs(first) - abs(second))
    yield "signs ignored, added", abs(first) + abs(second)
    yield "multiplied", first * second
    if first and second:
        yield from _quotients(first, second)


def _quotients(first: int, second: int) -> Iterator[tuple[str, Result]]:
    yield "divided the other way round", Fraction(second, first)
    yield "divided", Fraction(first, second)
    yield "signs ignored", abs(Fraction(first, second))
    yield "divided without remainder", abs(first) // abs(second) * (1 if (first < 0) == (second < 0) else -1)
    yield "divided without remainder", first // second


def _sum(data: Data) -> Iterator[tuple[str, Result]]:
    yield "signs ignored", sum(map(abs, data))
    yield "averaged", Fraction(sum(data), len(data))
    yield "multiplied", prod(data)
    if len(data) == 2:
        yield "subtracted", data[0] - data[1]
        yield "subtracted", data[1] - data[0]


def _multiplication(data: Data) -> Iterator[tuple[str, Result]]:
    yield "wrong sign", -prod(data)
    yield "added", sum(data)


def _extreme(data: Data) -> Iterator[tuple[str, Result]]:
    yield "the other end", min(data)
    yield "the other end", max(data)
    yield "by magnitude", max(data, key=abs)
    yield "by magnitude", min(data, key=abs)


def _mean(data: Data) -> Iterator[tuple[str, Result]]:
    size, total = len(data), sum(data)
    yield from ((f"divided by {divisor}", Fraction(total, divisor)) for divisor in (size - 1, size + 1) if divisor)
    yield "signs ignored", Fraction(sum(map(abs, data)), size)
    yield "the median", _median_of(sorted(data))
    yield "the mid-range", Fraction(min(data) + max(data), 2)


def _median(data: Data) -> Iterator[tuple[str, Result]]:
    size, ordered = len(data), sorted(data)
    yield "not sorted", _median_of(data)
    yield "not sorted", data[size // 2]
    yield "one of two middle values", ordered[size // 2]
    yield "one of two middle values", ordered[(size - 1) // 2]
    yield "the mean", Fraction(sum(data), size)
    yield "sorted by magnitude", _median_of(sorted(data, key=abs))
    yield "the sorted list", tuple(ordered)


def _median_of(data: Data) -> Fraction:
    size = len(data)
    return Fraction(data[(size - 1) // 2] + data[size // 2], 2)


def _mode(data: Data) -> Iterator[tuple[str, Result]]:
    counts = Counter(data)
    yield "every value", tuple(sorted(counts))
    yield "every repeated value", tuple(sorted(value for value, count in counts.items() if count > 1))
    yield "the highest count", (max(counts.values()),)


def _count(data: Data) -> Iterator[tuple[str, Result]]:
    odd = sum(value % 2 for value in data)
    yield "the other parity", odd
    yield "the other parity", len(data) - odd
    yield "all items", len(data)


def _sorting(data: Data) -> Iterator[tuple[str, Result]]:
    yield "descending", tuple(sorted(data, reverse=True))
    yield "by magnitude", tuple(sorted(data, key=abs))
    yield "not sorted", tuple(data)
    yield "as text", tuple(sorted(data, key=str))
    yield "without repeats", tuple(sorted(set(data)))


def _comparison(data: Data) -> Iterator[tuple[str, Result]]:
    first, second = abs(data[0]), abs(data[1])
    if min(data) < 0:
        yield "by magnitude", "=" if first == second else "<" if first < second else ">"


_METHODS: dict[str, Methods] = {
    "sum": _sum,
    "multiplication": _multiplication,
    "subtraction": _pair,
    "absolute_difference": _pair,
    "division": _pair,
    "find_max": _extreme,
    "find_min": _extreme,
    "mean": _mean,
    "median": _median,
    "mode": _mode,
    "odd_count": _count,
    "even_count": _count,
    "sorting": _sorting,
    "comparison": _comparison,
}
