"""Two runs on the same problems: differences by task and over tasks, with intervals and p-values."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bench.metrics.intervals import Interval, bootstrap_rng, mean_of_draws, percentile_interval, resampled_means
from bench.metrics.measure import measure_named
from bench.metrics.permutation import sign_flip_p
from bench.metrics.samples import answered


@dataclass(frozen=True, slots=True)
class McNemar:
    """The problems that only one of two runs got right, of runs without repeats.

    Attributes:
        only_a: Right in A, wrong in B.
        only_b: Right in B, wrong in A.
        p: Exact two-sided binomial p that both are equally likely; 1 if there are none.
    """

    only_a: int
    only_b: int
    p: float


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """The difference B - A of a measure over the problems that both runs answered.

    Attributes:
        task: Its name; None over all tasks, where every figure is a mean over tasks.
        problems: That both answered.
        a: Mean of run A over these problems, repeats averaged first; in the measure's unit.
        b: The same of run B.
        difference: b - a.
        interval: Paired bootstrap by problem, over tasks stratified; None if a task has below two problems.
        p: Two-sided sign-flip permutation p by problem.
        mcnemar: Of one task's right and wrong answers without repeats, else None.
    """

    task: str | None
    problems: int
    a: float
    b: float
    difference: float
    interval: Interval | None
    p: float
    mcnemar: McNemar | None


@dataclass(frozen=True, slots=True)
class PairedRuns:
    """Two runs compared by problem.

    Attributes:
        measure: Name of what is compared.
        tasks: A difference a task that both answered, by name.
        overall: Means over these tasks; None if they share no problem.
        only_a: Problems with the measure in A alone; they are in no figure.
        only_b: The same of B.
    """

    measure: str
    tasks: tuple[PairedDifference, ...]
    overall: PairedDifference | None
    only_a: int
    only_b: int


@dataclass(frozen=True, slots=True)
class _Paired:
    """One task: a row a problem, sorted by problem; columns A and B; bootstrap draws of the mean difference."""

    task: str
    values: NDArray[np.float64]
    seed: str
    draws: NDArray[np.float64] | None

    @property
    def differences(self) -> NDArray[np.float64]:
        return self.values[:, 1] - self.values[:, 0]


def compare(a: pd.DataFrame, b: pd.DataFrame, measure: str) -> PairedRuns:
    """Compare two runs by problem: d = mean over problems of (mean of B's repeats - mean of A's repeats).

    Source: DESIGN. Interval: percentile bootstrap that draws problems, both runs' values together (Efron and
    Tibshirani 1993, chapter 13). p: sign flips by problem. Draws depend on the problems' ids alone, so exchanging the
    runs changes signs and nothing else.

    Args:
        a: A row a sample with ``problem_id``, ``task``, ``status``, ``outcome`` and what the measure reads.
        b: The same of the other run.
        measure: Name of a measure, e.g. ``accuracy`` or ``output_tokens``.

    Raises:
        ValueError: there is no such measure.
    """
    one, other = _by_problem(a, measure), _by_problem(b, measure)
    both = one.add_suffix("_a").join(other.add_suffix("_b"), how="inner").sort_index()
    single = measure == "accuracy" and bool(both["n_a"].eq(1).all() and both["n_b"].eq(1).all())
    tasks = [_paired(str(task), rows) for task, rows in both.groupby("task_a", observed=True)]
    return PairedRuns(
        measure=measure,
        tasks=tuple(_difference(task, single) for task in tasks),
        overall=_over_tasks(tasks),
        only_a=len(one) - len(both),
        only_b=len(other) - len(both),
    )


def mcnemar(only_a: int, only_b: int) -> McNemar:
    """Return McNemar's exact test: X ~ Binomial(only_a + only_b, 1/2).

    Source: McNemar 1947, exact form. Valid for one answer a problem and run only.
    """
    if only_a + only_b == 0:
        return McNemar(0, 0, 1.0)
    from scipy.stats import binomtest

    return McNemar(only_a, only_b, float(binomtest(only_a, only_a + only_b).pvalue))


def _by_problem(samples: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Return ``task``, ``value`` (mean over repeats) and ``n`` of each problem that has the measure."""
    answers = answered(samples)
    frame = pd.DataFrame(
        {
            "problem_id": answers["problem_id"].astype(str).to_numpy(),
            "task": answers["task"].astype(str).to_numpy(),
            "value": measure_named(measure).of(answers),
        }
    ).dropna(subset="value")
    grouped = frame.groupby("problem_id", sort=False)
    return grouped.agg(task=("task", "first"), value=("value", "mean"), n=("value", "size"))


def _paired(task: str, rows: pd.DataFrame) -> _Paired:
    digest = hashlib.sha256("\n".join(rows.index).encode("utf-8")).hexdigest()
    values = rows[["value_a", "value_b"]].to_numpy()
    differences = values[:, 1:] - values[:, :1]
    return _Paired(
        task, values, digest, resampled_means(differences, np.arange(len(values)), bootstrap_rng(f"pairs {digest}"))
    )


def _difference(task: _Paired, single: bool) -> PairedDifference:
    differences, draws = task.differences, task.draws
    a, b = task.values.mean(axis=0)
    p = sign_flip_p(differences, bootstrap_rng(f"flips {task.seed}"))
    return PairedDifference(
        task=task.task,
        problems=len(differences),
        a=float(a),
        b=float(b),
        difference=float(b - a),
        interval=None if draws is None else percentile_interval(draws[:, 0], "problem bootstrap"),
        p=1.0 if p is None else p,
        mcnemar=mcnemar(int((differences < 0).sum()), int((differences > 0).sum())) if single else None,
    )


def _over_tasks(tasks: Sequence[_Paired]) -> PairedDifference | None:
    if not tasks:
        return None
    draws = mean_of_draws([task.draws for task in tasks])
    a, b = np.mean([task.values.mean(axis=0) for task in tasks], axis=0)
    weighted = np.concatenate([task.differences / len(task.values) for task in tasks]) / len(tasks)
    p = sign_flip_p(weighted, bootstrap_rng("flips " + " ".join(task.seed for task in tasks)))
    return PairedDifference(
        task=None,
        problems=len(weighted),
        a=float(a),
        b=float(b),
        difference=float(b - a),
        interval=None if draws is None else percentile_interval(draws[:, 0], "task-stratified bootstrap"),
        p=1.0 if p is None else p,
        mcnemar=None,
    )
