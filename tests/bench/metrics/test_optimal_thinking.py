"""OptimalThinkingBench's figures: definitions, published rows, macro averages, both scorings."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bench.metrics.measured import measured
from bench.metrics.optimal_figures import compare_optimal, length_and_accuracy, optimal_by, optimal_thinking
from bench.metrics.optimal_thinking import PART_OF, T_MAX, auc_of_means, f1, oaa_curve, response_auc

SHARED = Path(os.environ.get("THINKMETER_SHARED") or Path(__file__).resolve().parents[4] / "shared")
PUBLISHED = SHARED / "paper" / "optimal_thinking_main.csv"


def run(*rows: tuple[str, str, str, int, int], state: str = "closed") -> pd.DataFrame:
    """Rows of (task, problem, outcome, thinking, output)."""
    frame = pd.DataFrame(rows, columns=["task", "problem_id", "outcome", "thinking_tokens", "output_tokens"])
    return frame.assign(status="ok", thinking_state=state, score=np.nan)


def test_the_area_is_the_mean_of_the_curve_over_all_thresholds() -> None:
    random = np.random.default_rng(0)
    correct, tokens = random.integers(0, 2, 50), random.integers(0, 1_500, 50)
    by_definition = oaa_curve(correct, tokens, range(T_MAX + 1)).sum() / T_MAX
    assert response_auc(correct, tokens).mean() == pytest.approx(by_definition, abs=1e-12)


def test_fewer_than_t_is_strict() -> None:
    assert oaa_curve([1, 1, 0], [0, 5, 0], [0, 1, 5, 6]).tolist() == pytest.approx([0, 1 / 3, 1 / 3, 2 / 3])


def test_the_released_code_gives_025_where_the_definition_gives_005() -> None:
    pair = run(("math500", "a", "correct", 900, 950), ("math500", "b", "incorrect", 100, 150))
    assert optimal_thinking(pair).auc_oaa.value == pytest.approx(0.05)
    assert optimal_thinking(pair, "released_code").auc_oaa.value == pytest.approx(0.25)
    assert auc_of_means(0.5, 500) == 0.25


def test_f1_of_nothing_is_0() -> None:
    assert f1([0, 0, 1, 0.5], [0, 1, 1, 0.25]).tolist() == pytest.approx([0, 0, 1, 1 / 3])


@pytest.mark.skipif(not PUBLISHED.is_file(), reason=f"{PUBLISHED} is not here; set THINKMETER_SHARED")
def test_f1_of_the_published_rows_follows_from_their_own_columns() -> None:
    rows = list(csv.DictReader(PUBLISHED.read_text("utf-8").splitlines()))
    assert len(rows) == 8
    for row in rows:
        assert f1(float(row["auc_oaa"]), float(row["acc_ut_pct"])) == pytest.approx(float(row["f1_otb"]), abs=0.1), row


def test_general_and_math_weigh_the_same_on_each_side() -> None:
    found = optimal_thinking(
        run(
            *[("optimal_thinking_general", f"g{place}", "correct", 0, 9) for place in range(6)],
            ("math500", "m", "incorrect", 0, 9),
            ("maze", "z", "correct", 0, 9),
            ("ab", "a1", "incorrect", 0, 9),
            ("ab", "a2", "incorrect", 0, 9),
            ("aime25", "i", "correct", 0, 9),
            ("hmmt25", "h", "correct", 0, 9),
        )
    )
    assert found.auc_oaa.value == 0.5
    assert found.acc_ut.value == pytest.approx((0.5 + 1) / 2)
    assert found.f1.value == pytest.approx(2 * 0.5 * 0.75 / 1.25)
    assert [(part.side, part.domain, part.figures.accuracy.value) for part in found.parts] == [
        ("over", "general", 1), ("over", "math", 0), ("under", "general", 0.5), ("under", "math", 1),
    ]  # fmt: skip
    assert found.missing == ()


def test_a_part_without_answers_is_named_and_a_side_without_is_null() -> None:
    found = optimal_thinking(run(("maze", "a", "correct", 10, 20)))
    assert found.missing == ("over general", "over math", "under math")
    assert (found.f1.value, found.auc_oaa.value, found.acc_ut.value, found.curve) == (None, None, 1, ())
    assert optimal_thinking(run(("sum", "a", "correct", 10, 20))) is None


def test_unclosed_thinking_counts_all_its_tokens_and_no_answer() -> None:
    cut = run(("math500", "a", "correct", 400, 400), state="unclosed")
    found = optimal_thinking(cut)
    assert (found.auc_oaa.value, found.overthinking_accuracy.value, found.overthinking_tokens.value) == (0, 0, 400)


def test_a_model_that_does_not_think_has_no_thinking_tokens_in_either_scoring() -> None:
    plain = run(("math500", "a", "correct", 0, 700), state="absent")
    for scoring in ("paper", "released_code"):
        assert optimal_thinking(plain, scoring).auc_oaa.value == 1
    assert optimal_thinking(plain).auc_oaa_output.value == pytest.approx(0.3)


def test_by_the_released_code_a_text_without_a_closing_tag_is_all_thinking() -> None:
    mixed = pd.concat(
        [run(("math500", "a", "correct", 0, 700), state="absent"), run(("math500", "b", "correct", 100, 300))]
    )
    assert optimal_thinking(mixed).overthinking_tokens.value == 50
    assert optimal_thinking(mixed, "released_code").overthinking_tokens.value == 400


def test_partial_credit_counts_by_the_released_code_alone() -> None:
    rows = run(("maze", "a", "correct", 0, 9), ("maze", "b", "incorrect", 0, 9)).assign(score=[1.0, 0.5])
    assert optimal_thinking(rows).acc_ut.value == 0.5
    assert optimal_thinking(rows, "released_code").acc_ut.value == 0.75


def test_ungraded_answers_are_in_no_figure() -> None:
    rows = run(("optimal_thinking_general", "a", "ungraded", 0, 9), ("math500", "b", "correct", 0, 9))
    assert optimal_thinking(rows).missing[0] == "over general"


def noisy(seed: int, share: float) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    return run(
        *[
            (
                task,
                f"{task}{place}",
                "correct" if random.random() < share else "incorrect",
                int(random.integers(900)),
                999,
            )
            for task in PART_OF
            for place in range(12)
        ]
    )


def test_intervals_hold_the_figure_and_do_not_depend_on_the_order() -> None:
    samples = noisy(1, 0.6)
    found = optimal_thinking(samples)
    for name in ("f1", "auc_oaa", "acc_ut"):
        estimate = getattr(found, name)
        assert estimate.interval.low < estimate.value < estimate.interval.high
    assert optimal_thinking(samples.sample(frac=1, random_state=3)) == found


def test_two_runs_are_compared_on_the_same_problems() -> None:
    a, b = noisy(1, 0.3), noisy(2, 0.9)
    changes = {change.name: change for change in compare_optimal(a, b)}
    gain = changes["f1"]
    assert gain.interval.low < gain.b - gain.a < gain.interval.high
    assert gain.interval.low > 0
    for change in compare_optimal(a, a):
        assert (change.interval.low, change.interval.high) == (0, 0)
    assert compare_optimal(a, b[b["task"] != "maze"])[-1].a == pytest.approx(
        optimal_thinking(a[a["task"] != "maze"]).acc_ut.value
    )


def test_by_field_and_the_correlation_of_length_with_accuracy() -> None:
    rows = run(
        *[
            ("optimal_thinking_general", f"{field}{place}", "correct" if place < right else "incorrect", length, length)
            for field, right, length in (("art", 1, 100), ("law", 2, 200), ("zoo", 3, 300))
            for place in range(4)
        ]
    )
    rows["field"] = rows["problem_id"].str[:3]
    fields = optimal_by(rows, "field")
    assert [(one.name, one.problems, one.accuracy.value) for one in fields] == [
        ("art", 4, 0.25),
        ("law", 4, 0.5),
        ("zoo", 4, 0.75),
    ]
    assert length_and_accuracy(rows).correlation.r == pytest.approx(1)


def test_the_measures_are_those_of_the_figures() -> None:
    rows = run(("maze", "a", "correct", 900, 950), ("maze", "b", "incorrect", 100, 150)).assign(score=[1.0, 0.4])
    assert measured(rows, "auc_oaa").overall.mean == pytest.approx(0.05)
    assert measured(rows, "score").overall.mean == pytest.approx(0.7)
