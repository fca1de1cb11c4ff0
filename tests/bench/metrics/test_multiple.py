"""Adjusted p-values against those of statsmodels 0.15.0."""

from __future__ import annotations

import numpy as np
import pytest

from bench.metrics.multiple import bonferroni, holm

P = [0.01, 0.04, 0.03, 0.005, 0.8, 0.0002]


def test_adjusted_as_statsmodels_does() -> None:
    assert holm(P) == pytest.approx([0.04, 0.09, 0.09, 0.025, 0.8, 0.0012])  # multipletests(P, method="holm")
    assert bonferroni(P) == pytest.approx([0.06, 0.24, 0.18, 0.03, 1.0, 0.0012])


def test_holm_is_never_larger() -> None:
    values = np.random.default_rng(0).random(200) ** 3
    assert (holm(values) <= bonferroni(values)).all()
    assert (holm(values) >= values).all()
    assert holm([]).tolist() == bonferroni([]).tolist() == []
