"""All randomness of the project: pure functions of a key, the same bytes on every machine.

A key is a sequence of strings and integers. Nothing here keeps state between calls, and nothing depends on
``random``, on ``hash()`` or on a library whose stream may change with its version.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Sequence
from functools import lru_cache
from math import isqrt
from typing import TypeVar

T = TypeVar("T")

_LEAST_BYTES = 136  # one permutation of Keccak yields as many in SHAKE-256
_FORMATS = {2: "H", 4: "I"}
_WORD_MAX = (1 << 32) - 1
# Below this size a Feistel network reaches too few of the orders (half of them for five items), so small
# ranges are shuffled whole. Above it, chi-square tests over pairs of positions see a bias with four rounds
# and none with six.
_TABLE_SIZE = 256
_ROUNDS = 6


def encode_key(*key: str | int) -> bytes:
    """Return bytes that differ for any two different keys; ``1`` and ``"1"`` differ too.

    Raises:
        TypeError: a part is neither a plain string nor a plain integer; the spelling of other types, of enum
            members for one, may change with Python's version.
    """
    for part in key:
        if type(part) is not str and type(part) is not int:
            raise TypeError(f"a key holds plain strings and integers, not {type(part).__name__}")
    return ascii(key).encode("ascii")


class Stream:
    """An endless stream of uniform draws: the output of SHAKE-256 on its key.

    Draws are unbiased: a word that would favour some values is thrown away and the next one is read.
    """

    def __init__(self, *key: str | int) -> None:
        self._source = hashlib.shake_256(encode_key(*key))
        self._read = 0
        self._buffer = b""

    def below(self, n: int) -> int:
        """Return an integer of ``range(n)``.

        Raises:
            ValueError: ``n`` is below 1.
        """
        return self.integers(1, 0, n - 1)[0]

    def between(self, low: int, high: int) -> int:
        """Return an integer from ``low`` to ``high``, both included.

        Raises:
            ValueError: ``low`` is above ``high``.
        """
        return self.integers(1, low, high)[0]

    def integers(self, count: int, low: int, high: int) -> list[int]:
        """Return what ``count`` calls of ``between(low, high)`` would return, faster.

        Raises:
            ValueError: ``low`` is above ``high``.
        """
        span = high - low + 1
        if span < 1:
            raise ValueError(f"no integer lies from {low} to {high}")
        width = _word_width(span)
        limit = (1 << 8 * width) // span * span
        drawn: list[int] = []
        while (missing := count - len(drawn)) > 0:
            drawn += [low + word % span for word in self._words(missing, width) if word < limit]
        return drawn

    def choice(self, items: Sequence[T]) -> T:
        """Return one of ``items``.

        Raises:
            ValueError: ``items`` is empty.
        """
        return items[self.below(len(items))]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """Return all of ``items`` in an order drawn uniformly from all orders."""
        ranks = self.distinct(len(items), 0, _WORD_MAX)
        return [items[at] for at in sorted(range(len(items)), key=ranks.__getitem__)]

    def distinct(self, count: int, low: int, high: int) -> list[int]:
        """Return ``count`` different integers from ``low`` to ``high``, in random order.

        Raises:
            ValueError: fewer than ``count`` integers lie from ``low`` to ``high``.
        """
        if count > high - low + 1:
            raise ValueError(f"there are no {count} different integers from {low} to {high}")
        drawn: dict[int, None] = {}
        while (missing := count - len(drawn)) > 0:
            drawn.update(dict.fromkeys(self.integers(missing, low, high)))
        return list(drawn)

    def _words(self, count: int, width: int) -> Sequence[int]:
        """Return the next ``count`` little-endian words of ``width`` bytes."""
        data = self._take(count * width)
        if width in _FORMATS:
            return struct.unpack(f"<{count}{_FORMATS[width]}", data)
        return [int.from_bytes(data[at : at + width], "little") for at in range(0, len(data), width)]

    def _take(self, size: int) -> bytes:
        """Return the next ``size`` bytes."""
        start = self._read
        self._read += size
        if self._read > len(self._buffer):
            self._buffer = self._source.digest(max(_LEAST_BYTES, 2 * self._read))
        return self._buffer[start : self._read]


def permuted(position: int, size: int, *key: str | int) -> int:
    """Return what stands at ``position`` in a keyed permutation of ``range(size)``.

    Positions from ``size`` on go through further permutations, a new one each ``size`` positions: values
    repeat only once all of them have been given out. Time and memory do not grow with ``size``.

    Raises:
        ValueError: ``size`` is below 1 or ``position`` below 0.
    """
    if size < 1 or position < 0:
        raise ValueError(f"there is no position {position} in permutations of {size} items")
    cycle, value = divmod(position, size)
    if size <= _TABLE_SIZE:
        return _shuffled_range(size, cycle, *key)[value]
    return _walked(value, size, encode_key(*key, size, cycle))


@lru_cache(maxsize=256, typed=True)  # typed, or True would find the entry of 1
def _shuffled_range(size: int, cycle: int, *key: str | int) -> list[int]:
    return Stream(*key, size, cycle).shuffled(range(size))


def _walked(value: int, size: int, key: bytes) -> int:
    """Return the image of ``value`` under a Feistel network that permutes ``range(size)``.

    The network permutes a grid of rows x columns cells, the smallest near-square that holds ``size`` values.
    Walking on from a cell outside ``range(size)`` ends inside it, and no two values end in the same cell
    (cycle walking; Black and Rogaway 2002).
    """
    rows = isqrt(size - 1) + 1
    columns = -(-size // rows)
    while True:
        for turn in range(_ROUNDS):
            row, column = divmod(value, columns)
            digest = hashlib.sha256(b"%b#%d" % (key, columns * turn + column)).digest()
            value = rows * column + (row + int.from_bytes(digest, "little")) % rows
        if value < size:
            return value


def stratified(position: int, shares: tuple[int, ...], *key: str | int) -> tuple[int, int]:
    """Return the kind of item at ``position``, and how many items of its kind stand at earlier positions.

    Each run of ``sum(shares)`` positions holds kind ``i`` exactly ``shares[i]`` times, in an order drawn
    uniformly. The second value can serve as the position in a permutation of that kind's items.

    Raises:
        ValueError: ``position`` is below 0, or no share is above 0.
    """
    length = sum(shares)
    if length < 1 or position < 0:
        raise ValueError(f"there is no position {position} in runs of {length} items")
    run, place = divmod(position, length)
    kind, earlier = _run(shares, run, *key)[place]
    return kind, run * shares[kind] + earlier


@lru_cache(maxsize=256, typed=True)
def _run(shares: tuple[int, ...], run: int, *key: str | int) -> list[tuple[int, int]]:
    """Return each item's kind, and how many of its kind stand before it in this run."""
    kinds = [kind for kind, share in enumerate(shares) for _ in range(share)]
    seen = [0] * len(shares)
    items = []
    for kind in Stream(*key, run).shuffled(kinds):
        items.append((kind, seen[kind]))
        seen[kind] += 1
    return items


def _word_width(span: int) -> int:
    """Return how many bytes a word needs so that at most half of all words are thrown away."""
    if span <= 1 << 16:
        return 2
    if span <= 1 << 32:
        return 4
    return (span.bit_length() + 7) // 8
