"""Agreement beyond chance, on Cohen's form of the figure and where it does not exist."""

from __future__ import annotations

import pytest

from bench.metrics.agreement import agreement


def test_kappa_of_a_hand_worked_table() -> None:
    # 20 + 15 of 50 agree; by chance 0.5 * 0.6 + 0.5 * 0.4 = 0.5, so kappa = (0.7 - 0.5) / 0.5.
    pairs = [(True, True)] * 20 + [(True, False)] * 5 + [(False, True)] * 10 + [(False, False)] * 15
    found = agreement(pairs)
    assert (found.n, found.agreed) == (50, 35)
    assert found.kappa == pytest.approx(0.4)
    assert found.interval is not None
    assert found.interval.low < 0.7 < found.interval.high


def test_there_is_no_kappa_without_cases_or_without_two_verdicts() -> None:
    assert agreement([]).kappa is None
    assert agreement([]).interval is None
    assert agreement([(True, True)] * 5).kappa is None
    assert agreement([(True, False)] * 5).kappa == 0
