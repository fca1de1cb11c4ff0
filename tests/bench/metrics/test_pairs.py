"""Two runs by problem: differences by hand, intervals against the t interval, and what is not compared."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_rel

from bench.metrics.pairs import compare, mcnemar


def run(right: dict[str, list[int]], tokens: int = 100, status: str = "ok") -> pd.DataFrame:
    """Return a run of problems ``task:number``, each with its repeats, 1 is right."""
    rows = [
        (problem, problem.split(":")[0], status, "correct" if one else "incorrect", tokens)
        for problem, repeats in right.items()
        for one in repeats
    ]
    return pd.DataFrame(rows, columns=["problem_id", "task", "status", "outcome", "output_tokens"])


def noisy(seed: int, shift: float, n: int = 400) -> pd.DataFrame:
    """Return a run whose tokens share each problem's own part, so that pairing matters."""
    problems = np.random.default_rng(0).normal(500, 100, n)
    tokens = problems + np.random.default_rng(seed).normal(shift, 10, n)
    names = [f"sum:{number}" for number in range(n)]
    return pd.DataFrame(
        {"problem_id": names, "task": "sum", "status": "ok", "outcome": "correct", "output_tokens": tokens}
    )


def test_differences_worked_out_by_hand() -> None:
    a = run({"sum:1": [1], "sum:2": [0], "sum:3": [0], "mean:1": [1]})
    b = run({"sum:1": [1], "sum:2": [1], "sum:3": [1], "mean:1": [0]})
    found = compare(a, b, "accuracy")
    mean, total = found.tasks
    assert (mean.task, mean.problems, mean.difference) == ("mean", 1, -1)
    assert (total.task, total.problems, total.a, total.b) == ("sum", 3, pytest.approx(1 / 3), 1)
    assert found.overall is not None
    assert found.overall.difference == pytest.approx((2 / 3 - 1) / 2)
    assert found.overall.interval is None  # one problem of `mean` says nothing about others
    assert total.p == pytest.approx(0.5)  # two problems, both better: 2 of 4 signs


def test_p_over_tasks_weighs_tasks_and_not_problems() -> None:
    a = run({"mean:1": [1], **{f"sum:{n}": [0] for n in range(4)}})
    b = run({"mean:1": [0], **{f"sum:{n}": [1] for n in range(4)}})
    overall = compare(a, b, "accuracy").overall
    assert overall is not None
    assert (overall.difference, overall.p) == (0, 1)  # counting problems, 4 against 1, it would be 0.375


def test_problems_that_one_run_lacks_are_counted_and_left_out() -> None:
    a = run({"sum:1": [1], "sum:2": [0], "sum:3": [1]})
    failed = run({"sum:9": [0]}, status="error")
    b = pd.concat([run({"sum:1": [1], "sum:2": [1]}), failed])
    found = compare(a, b, "accuracy")
    assert (found.only_a, found.only_b, found.tasks[0].problems) == (1, 0, 2)


def test_runs_without_a_common_problem() -> None:
    found = compare(run({"sum:1": [1]}), run({"sum:2": [1]}), "accuracy")
    assert (found.tasks, found.overall, found.only_a, found.only_b) == ((), None, 1, 1)
    assert compare(run({}), run({}), "accuracy").overall is None


def test_repeats_are_averaged_and_have_no_mcnemar() -> None:
    once, twice = run({"sum:1": [1], "sum:2": [0]}), run({"sum:1": [1, 0], "sum:2": [0, 0]})
    found = compare(once, twice, "accuracy").tasks[0]
    assert (found.a, found.b, found.mcnemar) == (0.5, 0.25, None)
    assert compare(once, once, "accuracy").tasks[0].mcnemar is not None
    assert compare(once, once, "output_tokens").tasks[0].mcnemar is None


def test_the_interval_is_that_of_paired_values() -> None:
    a, b = noisy(1, 0), noisy(2, 1.5)
    found = compare(a, b, "output_tokens").tasks[0]
    expected = ttest_rel(b["output_tokens"], a["output_tokens"])
    ends = expected.confidence_interval()
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx((ends.low, ends.high), abs=0.15)
    assert found.p == pytest.approx(expected.pvalue, abs=0.01)


def test_exchanging_the_runs_changes_signs_alone() -> None:
    a, b = noisy(1, 0, 60), noisy(2, 2, 60).sample(frac=1, random_state=0)
    there, back = compare(a, b, "output_tokens").overall, compare(b, a, "output_tokens").overall
    assert there is not None
    assert back is not None
    assert there.interval is not None
    assert back.interval is not None
    assert (there.difference, there.p) == pytest.approx((-back.difference, back.p))
    assert (there.interval.low, there.interval.high) == pytest.approx((-back.interval.high, -back.interval.low))


def test_the_same_run_twice_does_not_differ() -> None:
    found = compare(noisy(1, 0), noisy(1, 0), "output_tokens").overall
    assert found is not None
    assert found.interval is not None
    assert (found.difference, found.p, found.interval.low, found.interval.high) == (0, 1, 0, 0)


@pytest.mark.parametrize(
    ("only_a", "only_b", "p"),  # statsmodels 0.15.0, mcnemar(..., exact=True)
    [(3, 11, 0.057373046875), (0, 6, 0.03125), (7, 7, 1.0), (21, 9, 0.042773945257067694), (0, 0, 1.0)],
)
def test_mcnemar_as_statsmodels_does(only_a: int, only_b: int, p: float) -> None:
    assert mcnemar(only_a, only_b).p == pytest.approx(p)
