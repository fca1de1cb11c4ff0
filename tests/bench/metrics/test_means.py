"""The other means of accuracy and efficiency."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.metrics.means import f_beta, means
from bench.metrics.overthinking import REFERENCE, overthinking_score

UNIT = st.floats(0, 1)


def test_worked_out_by_hand() -> None:
    found = means(0.9, 0.6 * 7_900, REFERENCE)  # E = 0.4
    assert found is not None
    assert found.arithmetic == pytest.approx(0.65)
    assert found.geometric == pytest.approx(0.6)
    assert found.harmonic == pytest.approx(0.72 / 1.3)
    assert found.f_two == pytest.approx(5 * 0.36 / (4 * 0.4 + 0.9))
    assert found.f_half == pytest.approx(1.25 * 0.36 / (0.25 * 0.4 + 0.9))


def test_what_is_unknown_has_no_mean() -> None:
    assert means(None, 5, REFERENCE) is None
    assert means(0.5, None, REFERENCE) is None


@settings(deadline=None)
@given(UNIT, st.floats(0, 9_000))
def test_their_order_and_the_score(accuracy: float, tokens: float) -> None:
    found = means(accuracy, tokens, REFERENCE)
    assert found is not None
    assert found.harmonic == pytest.approx(float(overthinking_score(accuracy, tokens, REFERENCE)), abs=1e-12)
    assert found.harmonic <= found.geometric + 1e-9
    assert found.geometric <= found.arithmetic + 1e-9


@settings(deadline=None)
@given(st.floats(0.01, 1), st.floats(0.01, 1))
def test_a_large_beta_looks_at_accuracy_alone(accuracy: float, brief: float) -> None:
    assert f_beta(accuracy, brief, 1e6) == pytest.approx(accuracy)
    assert f_beta(accuracy, brief, 0) == pytest.approx(brief)
    assert f_beta(0, 0, 2) == 0
