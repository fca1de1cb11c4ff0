"""The rank-th object of a finite collection, so that a permutation of ranks gives out each object once."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb, factorial, prod


def digits(rank: int, base: int, count: int) -> list[int]:
    """Return the ``rank``-th of the ``base ** count`` lists of ``count`` integers of ``range(base)``."""
    written = []
    for _ in range(count):
        rank, digit = divmod(rank, base)
        written.append(digit)
    return written


def combination(rank: int, size: int, count: int) -> list[int]:
    """Return the ``rank``-th of the ``comb(size, count)`` sets of ``count`` integers of ``range(size)``.

    The integers come in falling order (combinatorial number system).
    """
    chosen: list[int] = []
    for left in range(count, 0, -1):
        size = _largest(rank, left, size)
        rank -= comb(size, left)
        chosen.append(size)
    return chosen


def _largest(rank: int, count: int, size: int) -> int:
    """Return the largest integer of ``range(size)`` below which at most ``rank`` sets of ``count`` fit."""
    low = count - 1
    while size - low > 1:
        middle = (low + size) // 2
        if comb(middle, count) <= rank:
            low = middle
        else:
            size = middle
    return low


def arrangements(counts: Sequence[int]) -> int:
    """Return in how many orders a list can stand that holds item ``i`` exactly ``counts[i]`` times."""
    return factorial(sum(counts)) // prod(map(factorial, counts))


def arrangement(rank: int, counts: Sequence[int]) -> list[int]:
    """Return the ``rank``-th of the ``arrangements(counts)`` lists, in lexicographic order."""
    left = list(counts)
    total = arrangements(counts)
    word: list[int] = []
    for length in range(sum(counts), 0, -1):
        item = 0
        # `total * left[item] // length` of the lists still possible go on with `item`.
        while rank >= (matching := total * left[item] // length):
            rank -= matching
            item += 1
        total = matching
        left[item] -= 1
        word.append(item)
    return word
