"""p-values of several tests at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def bonferroni(p: ArrayLike) -> NDArray[np.float64]:
    """Return min(1, m p) for each of m p-values; rejecting below alpha keeps the chance of any false one below alpha.

    Source: Dunn 1961.
    """
    values = np.asarray(p, dtype=np.float64)
    return np.minimum(1.0, values * len(values))


def holm(p: ArrayLike) -> NDArray[np.float64]:
    """Return Holm's adjusted p-values: the i-th smallest (from 0) becomes max over j <= i of min(1, (m - j) p_j).

    Source: Holm 1979. Keeps what Bonferroni keeps and is never larger, so it is the better one to read.
    """
    values = np.asarray(p, dtype=np.float64)
    order = np.argsort(values, kind="stable")
    scaled = np.minimum(1.0, values[order] * np.arange(len(values), 0, -1))
    adjusted = np.empty_like(values)
    adjusted[order] = np.maximum.accumulate(scaled)
    return adjusted
