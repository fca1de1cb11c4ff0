"""Word problems beside plain arithmetic."""

from __future__ import annotations

import pytest

from bench.metrics.intervals import Interval, wilson
from bench.metrics.paradox import Share, difference_interval, paradox


def test_the_largest_gap_comes_first() -> None:
    view = paradox(
        {"a": Share(0.5), "b": Share(0.8), "c": Share(0.9)}, {"a": Share(0.9), "b": Share(0.7), "d": Share(1)}
    )
    assert [(gap.model, gap.interval) for gap in view.gaps] == [("a", None), ("b", None)]
    assert [gap.gap for gap in view.gaps] == pytest.approx([0.4, -0.1])
    assert view.agreement is not None
    assert view.agreement.tau == pytest.approx(-1)


def test_no_shared_model() -> None:
    assert paradox({"a": Share(0.5)}, {}).gaps == ()
    assert paradox({}, {}).agreement is None


def test_with_wilsons_intervals_it_is_newcombes() -> None:
    first, second = wilson(48, 80), wilson(56, 70)
    assert first is not None
    assert second is not None
    view = paradox({"a": Share(48 / 80, first)}, {"a": Share(56 / 70, second)})
    interval = view.gaps[0].interval
    assert interval is not None
    # statsmodels 0.15.0, confint_proportions_2indep(56, 70, 48, 80, method="newcomb"); Newcombe 1998, table II (a)
    assert (interval.low, interval.high) == pytest.approx((0.05243147240236498, 0.33387265403690614))


def test_levels_have_to_agree() -> None:
    with pytest.raises(ValueError, match=r"levels 0.9 and 0.95"):
        difference_interval(0, Interval(0, 1, 0.9, "wilson"), 0, Interval(0, 1, 0.95, "wilson"))
