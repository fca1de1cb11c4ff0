"""A task's figures from hand-made verdicts: what counts, what does not, and what is unknown."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from bench.metrics.figures import COLUMNS, TaskFigures, overall_figures, task_figures
from bench.metrics.intervals import mean_interval, wilson
from bench.metrics.overthinking import REFERENCE


def task(*rows: dict[str, Any], name: str = "sum", kind: str = "object") -> TaskFigures:
    """Return the figures of rows that are right and 100 tokens long unless they say otherwise."""
    usual = {
        "status": "ok",
        "outcome": "correct",
        "instruction_followed": True,
        "thinking_tokens": 60,
        "answer_tokens": 38,
        "output_tokens": 100,
        "words": 50,
        "characters": 300,
    }
    filled = [{"problem_id": f"p{number}", **usual, **row} for number, row in enumerate(rows)]
    frame = pd.DataFrame(filled, columns=list(COLUMNS))
    return task_figures(name, frame.astype({"problem_id": kind}), REFERENCE)


RIGHT: dict[str, Any] = {}
WRONG = {"outcome": "incorrect"}
UNPARSED = {"outcome": "unparsed", "instruction_followed": False}
CUT = {"outcome": "unparsed", "status": "truncated", "instruction_followed": False}
REFUSED = {"outcome": "unparsed", "status": "refused", "instruction_followed": False, "output_tokens": 0}
ERROR = {"outcome": None, "status": "error", "instruction_followed": None, "output_tokens": 0}
UNGRADED = {"outcome": "ungraded"}


def test_cut_and_refused_answers_count_and_errors_do_not() -> None:
    figures = task(RIGHT, RIGHT, WRONG, UNPARSED, CUT, REFUSED, ERROR, ERROR, UNGRADED).figures
    assert (figures.n, figures.errors, figures.ungraded) == (6, 2, 1)
    assert (figures.truncated, figures.refused, figures.unparsed) == (1, 1, 3)
    assert figures.accuracy == pytest.approx(2 / 6)
    assert figures.accuracy_parsed == pytest.approx(2 / 3)
    assert figures.accuracy_bounds == pytest.approx((2 / 9, 5 / 9))
    assert figures.instruction_followed == pytest.approx(3 / 6)
    assert figures.output_tokens == pytest.approx(500 / 6)


def test_without_repeats_the_interval_is_wilsons() -> None:
    assert task(RIGHT, RIGHT, WRONG).figures.accuracy_interval == wilson(2, 3)


def test_with_repeats_problems_are_resampled() -> None:
    interval = task(
        {"problem_id": "a"}, {"problem_id": "a"}, {"problem_id": "b", **WRONG}, {"problem_id": "b", **WRONG}
    ).figures.accuracy_interval
    assert interval is not None
    assert (interval.low, interval.high, interval.method) == (0.0, 1.0, "cluster bootstrap")


@pytest.mark.parametrize("rows", [(), (ERROR,), (UNGRADED,)])
def test_zero_samples_have_no_figure(rows: tuple[dict[str, Any], ...]) -> None:
    alone = task(*rows)
    for figures in (alone.figures, overall_figures([alone], REFERENCE), overall_figures([], REFERENCE)):
        assert figures.n == 0
        for name in ("accuracy", "accuracy_interval", "accuracy_parsed", "output_tokens", "words", "overthinking"):
            assert getattr(figures, name) is None


def test_figures_over_tasks_are_means_over_tasks() -> None:
    small = task(RIGHT, RIGHT, name="sum")
    large = task(*[{**WRONG, "output_tokens": 300}] * 6, ERROR, name="mean")
    overall = overall_figures([small, large], REFERENCE)
    assert (overall.n, overall.errors) == (8, 1)
    assert overall.accuracy == pytest.approx(0.5)
    assert overall.accuracy_bounds == pytest.approx((0.5, (1 + 1 / 7) / 2))
    assert overall.output_tokens == pytest.approx(200)
    assert overall.accuracy_interval == mean_interval([(1, wilson(2, 2)), (0, wilson(0, 6))])
    brief = 1 - 200 / 7_900
    assert overall.overthinking == pytest.approx(2 * 0.5 * brief / (0.5 + brief))
    assert overall.overthinking_mean == pytest.approx((1 + 1 - 100 / 7_900) ** -1 * (1 - 100 / 7_900))


def test_the_interval_over_tasks_is_drawn_within_them() -> None:
    overall = overall_figures([task(RIGHT, WRONG), task(WRONG, WRONG, name="mean")], REFERENCE)
    interval = overall.accuracy_interval
    assert interval is not None
    assert (interval.low, interval.high, interval.method) == (0.0, 0.5, "task-stratified bootstrap")


def test_answers_all_alike_are_no_certainty() -> None:
    """Resampled, they have no width: 0 right of 10 was shown as 0.000-0.000."""
    five = [WRONG] * 5
    overall = overall_figures([task(*five), task(*five, name="mean")], REFERENCE).accuracy_interval
    assert overall is not None
    assert (overall.low, overall.method) == (0, "MOVER")
    assert overall.high == pytest.approx(wilson(0, 5).high / 2**0.5)
    repeated = task(*[{"problem_id": f"p{number // 4}"} for number in range(12)]).figures
    assert repeated.accuracy_interval == wilson(3, 3)


def test_a_task_without_answers_does_not_pull_the_mean_down() -> None:
    overall = overall_figures([task(RIGHT, RIGHT), task(ERROR, ERROR, name="mean")], REFERENCE)
    assert overall.accuracy == 1
    assert overall.accuracy_bounds == pytest.approx((0.5, 1))


@pytest.mark.parametrize("kind", ["object", "category"])
def test_the_same_samples_give_the_same_intervals_in_any_order(kind: str) -> None:
    """Samples are stored as they end, which two equal runs do in two orders."""
    rows = [{"problem_id": f"p{n // 2}", "output_tokens": 50 + n, **(WRONG if n % 3 else RIGHT)} for n in range(40)]
    found = task(*rows, kind=kind).figures
    assert task(*rows[::-1], kind=kind).figures == found
    assert task(*rows[::2], *rows[1::2], kind=kind).figures == found
    assert found.accuracy_interval is not None
    assert found.overthinking_interval is not None
