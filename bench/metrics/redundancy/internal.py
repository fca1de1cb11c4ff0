"""Internal redundancy: how alike the neighbouring stretches are of the text up to the first correct answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

# Vectors of some sentences, a row each.
Embed = Callable[[list[str]], NDArray[np.float32]]

METHOD = "sentences embedded once, averaged per window"
ALPHA, BETA = 0.1, 0.05
# Further (α, β): narrower and wider windows, more and less overlap.
ABLATION = ((0.05, 0.025), (0.2, 0.1), (0.1, 0.025), (0.1, 0.1))
# Below so many sentences windows hold one sentence each and do not overlap.
SHORT = 20


@dataclass(frozen=True, slots=True)
class Windows:
    """How a text of some sentences is cut into windows.

    Attributes:
        size: Sentences of a window.
        stride: Sentences from the beginning of one window to that of the next.
        count: Whole windows; what is left at the end is dropped.
    """

    size: int
    stride: int
    count: int


def windows(sentences: int, alpha: float = ALPHA, beta: float = BETA) -> Windows:
    """Return the windows of a text: size ⌊αN⌋ and stride ⌊βN⌋, at least 1 each.

    Source: DESIGN, IRD; the shares are taken as the decimals they are written as, so that no rounding loses a sentence.
    """
    size = max(1, int(Fraction(str(alpha)) * sentences))
    stride = max(1, int(Fraction(str(beta)) * sentences))
    return Windows(size, stride, 0 if sentences < size else (sentences - size) // stride + 1)


def ird(vectors: NDArray[np.floating], alpha: float = ALPHA, beta: float = BETA) -> float | None:
    """Return the internal redundancy degree: the mean cosine of neighbouring windows.

    Args:
        vectors: A row a sentence of the first correct solution, in order.
        alpha: Share of the sentences that a window holds.
        beta: Share that lies between the beginnings of two windows.

    Returns:
        In [-1, 1]; None below two windows, or where no two neighbours have a direction.
    """
    cut = windows(len(vectors), alpha, beta)
    if cut.count < 2:
        return None
    table = np.asarray(vectors, dtype=np.float64)
    sums = np.concatenate([np.zeros((1, table.shape[1])), np.cumsum(table, axis=0)])
    starts = np.arange(cut.count) * cut.stride
    pooled = sums[starts + cut.size] - sums[starts]
    lengths = np.linalg.norm(pooled, axis=1)
    both = lengths[1:] * lengths[:-1]
    known = both > np.finfo(np.float64).eps
    if not known.any():
        return None
    cosines = (pooled[1:] * pooled[:-1]).sum(axis=1)[known] / both[known]
    return float(np.clip(cosines.mean(), -1.0, 1.0))


def ird_of(sentences: Sequence[str], embed: Embed, alpha: float = ALPHA, beta: float = BETA) -> float | None:
    """Return the :func:`ird` of a text's sentences; a single one is not embedded."""
    return None if len(sentences) < 2 else ird(embed(list(sentences)), alpha, beta)
