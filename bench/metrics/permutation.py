"""The sign-flip permutation test of paired differences."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

FLIPS = 9_999
_CHUNK = 1 << 22  # bytes of signs looked up at once


def sign_flip_p(differences: ArrayLike, random: np.random.PCG64, flips: int = FLIPS) -> float | None:
    """Return the two-sided p of the hypothesis that each difference could as well have the other sign.

    Source: Fisher 1935; the statistic is |sum of the differences|. All 2^k signs of the k differences other than 0 are
    tried where they are at most ``flips`` + 1, else ``flips`` random ones with p = (1 + as far out) / (1 + flips)
    (Phipson and Smyth 2010), so p is never 0.

    Args:
        differences: One an independent unit, e.g. a problem; a weighted sum is tested by weighted differences.
        random: Where signs come from; its raw words are read.
        flips: Random signs that are tried.

    Returns:
        p in (0, 1], or None without differences. 1 if all are 0.
    """
    values = np.asarray(differences, dtype=np.float64)
    if not len(values):
        return None
    values = values[values != 0]
    if not len(values):
        return 1.0
    exact = len(values) < 50 and 2 ** len(values) <= flips + 1
    sums = _all_sums(values) if exact else _random_sums(values, random, flips)
    rounding = 1e-9 * np.abs(values).sum()
    beyond = int((np.abs(sums) >= abs(values.sum()) - rounding).sum())
    return beyond / len(sums) if exact else (1 + beyond) / (1 + flips)


def _all_sums(values: NDArray[np.float64]) -> NDArray[np.float64]:
    count = np.arange(2 ** len(values), dtype="<u8")
    signs = count.view(np.uint8).reshape(-1, 8)[:, : -(-len(values) // 8)]
    return _signed_sums(signs, _byte_sums(values))


def _random_sums(values: NDArray[np.float64], random: np.random.PCG64, flips: int) -> NDArray[np.float64]:
    tables = _byte_sums(values)
    words = -(-len(tables) // 8)
    sums = np.empty(flips)
    chunk = max(1, _CHUNK // (8 * words))
    for start in range(0, flips, chunk):
        rows = min(chunk, flips - start)
        drawn = random.random_raw(rows * words).astype("<u8").view(np.uint8).reshape(rows, -1)
        sums[start : start + rows] = _signed_sums(drawn[:, : len(tables)], tables)
    return sums


def _byte_sums(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return for every eight values their sums under the 256 patterns of signs, shape (values / 8, 256).

    One look-up then stands for eight additions.
    """
    padded = np.zeros(-(-len(values) // 8) * 8)
    padded[: len(values)] = values
    patterns = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little")
    table: NDArray[np.float64] = padded.reshape(-1, 8) @ (2.0 * patterns - 1).T
    return table


def _signed_sums(signs: NDArray[np.uint8], tables: NDArray[np.float64]) -> NDArray[np.float64]:
    sums = np.zeros(len(signs))
    for place, table in enumerate(tables):
        sums += table[signs[:, place]]
    return sums
