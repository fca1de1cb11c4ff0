"""The budget curve is found again, its interval is honest, and what bounds nothing is None."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import curve_fit

from bench.metrics.budget_curve import BudgetFit, fit_budget_curve, fit_saturation

CAPS = np.array([128.0, 256, 512, 1_024, 2_048, 4_096])


def study(lengths: np.ndarray, able: np.ndarray, caps: list[float | None], task: str = "sum") -> pd.DataFrame:
    """Return one text a problem, cut at each cap: right if the model is able and the text fits."""
    frames = []
    for cap in caps:
        limit = np.inf if cap is None else cap
        right = able & (lengths <= limit)
        frames.append(
            pd.DataFrame(
                {
                    "task": task,
                    "problem_id": [f"{task}{n}" for n in range(len(lengths))],
                    "status": np.where(lengths <= limit, "ok", "truncated"),
                    "outcome": np.where(right, "correct", "incorrect"),
                    "output_tokens": np.minimum(lengths, limit),
                    "cap": cap,
                }
            )
        )
    return pd.concat(frames, ignore_index=True).astype({"cap": "float64"})


def drawn(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return lengths whose share below b is 1 - exp(-b / 900), and four of five able."""
    random = np.random.default_rng(seed)
    return random.exponential(900, n), random.random(n) < 0.8


def fit(samples: pd.DataFrame) -> BudgetFit:
    found = fit_budget_curve(samples)
    assert found is not None
    return found


def test_an_exact_curve_is_found_again() -> None:
    curves = [a * (1 - np.exp(-CAPS / tau)) for a, tau in [(0.8, 1_000), (0.3, 90), (1.0, 20_000)]]
    a_max, tau = fit_saturation(CAPS, curves)
    assert a_max == pytest.approx([0.8, 0.3, 1.0], rel=1e-5)
    assert tau == pytest.approx([1_000, 90, 20_000], rel=1e-5)


def test_a_noisy_curve_is_fitted_as_scipy_does() -> None:
    noisy = 0.7 * (1 - np.exp(-CAPS / 700)) + np.random.default_rng(1).normal(0, 0.03, len(CAPS))
    (a_max,), (tau,) = fit_saturation(CAPS, noisy[None, :])
    expected, _ = curve_fit(lambda b, a, t: a * (1 - np.exp(-b / t)), CAPS, noisy, p0=[0.5, 500])
    assert (a_max, tau) == pytest.approx(tuple(expected), rel=1e-4)


def test_parameters_lie_in_their_intervals_and_residuals_add_up() -> None:
    found = fit(study(*drawn(1_500), caps=[*CAPS, None]))
    assert found.a_max_interval is not None
    assert found.tau_interval is not None
    assert found.a_max_interval.low < 0.8 < found.a_max_interval.high
    assert found.tau_interval.low < 900 < found.tau_interval.high
    assert found.problems == 1_500
    for point in found.points:
        assert point.accuracy == pytest.approx(point.fitted + point.residual)
    assert found.rmse == pytest.approx(np.sqrt(np.mean([point.residual**2 for point in found.points])))


def test_no_cap_enters_at_the_largest_observed_length() -> None:
    lengths, able = drawn(300)
    points = fit(study(lengths, able, [*CAPS, None])).points
    assert (points[-1].budget, points[-1].capped) == (pytest.approx(lengths.max()), False)
    assert all(point.capped for point in points[:-1])
    assert points[-1].accuracy == pytest.approx(able.mean())


def test_what_capped_runs_wrote_is_not_the_length_of_free_ones() -> None:
    lengths, able = drawn(50)
    longest = fit(study(np.minimum(lengths, 3_000), able, [None, *CAPS[:3]])).points[-1]
    capped = study(lengths * 0 + 9_000, able, [9_000.0])
    both = fit(pd.concat([study(np.minimum(lengths, 3_000), able, [None, *CAPS[:3]]), capped])).points
    assert [point.budget for point in both if not point.capped] == [longest.budget]


def test_more_points_of_the_same_texts_are_not_more_data() -> None:
    lengths, able = drawn(400)
    few, many = (fit(study(lengths, able, caps)) for caps in ([*CAPS], [*CAPS, *(CAPS + 1), *(CAPS + 2)]))
    widths = [f.tau_interval.high - f.tau_interval.low for f in (few, many) if f.tau_interval]
    assert widths[0] == pytest.approx(widths[1], rel=0.1)


def test_tasks_weigh_equally() -> None:
    lengths, able = drawn(200)
    nothing = study(lengths[:20], np.zeros(20, dtype=bool), [*CAPS], task="mean")
    alone, both = fit(study(lengths, able, [*CAPS])), fit(pd.concat([study(lengths, able, [*CAPS]), nothing]))
    assert both.a_max == pytest.approx(alone.a_max / 2, rel=1e-3)
    assert both.tau == pytest.approx(alone.tau, rel=1e-3)


def test_what_does_not_depend_on_the_budget_has_no_tau() -> None:
    short = np.full(50, 10.0)
    flat = fit(study(short, np.arange(50) < 30, [*CAPS]))
    assert (flat.a_max, flat.tau, flat.tau_interval) == (pytest.approx(0.6), None, None)
    zero = fit(study(short, np.zeros(50, dtype=bool), [*CAPS]))
    assert (zero.a_max, zero.tau) == (0, None)


def test_too_little_for_a_curve() -> None:
    lengths, able = drawn(50)
    assert fit_budget_curve(study(lengths, able, [128.0, 256.0])) is None
    assert fit_budget_curve(study(lengths, able, [*CAPS])[:0]) is None
    assert fit_budget_curve(study(lengths * 0, able, [None, *CAPS])) is None  # no cap, and nothing written
    apart = study(lengths, able, [*CAPS])
    apart["problem_id"] += apart["cap"].astype(str)
    assert fit_budget_curve(apart) is None
    assert fit(study(lengths[:1], able[:1] | True, [*CAPS])).a_max_interval is None
