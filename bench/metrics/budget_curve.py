"""Accuracy against budget: A(b) = A_max (1 - exp(-b / tau)), fitted, with intervals and what it leaves over."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from bench.metrics.intervals import Interval, bootstrap_rng, mean_of_draws, percentile_interval, resampled_means
from bench.metrics.measure import measure_named
from bench.metrics.samples import answered

MIN_POINTS = 3  # two parameters and something to be wrong about
REACH = 100.0  # tau is looked for from the smallest budget / REACH to the largest * REACH
_GRID = 400
_ZOOMS = 6
_ZOOM = 21


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """One budget.

    Attributes:
        budget: In output tokens; for runs without a cap, the largest observed length.
        capped: Whether it was a cap.
        accuracy: Mean over tasks, in [0, 1].
        fitted: A(budget).
        residual: accuracy - fitted, the eps(b) of the paper.
    """

    budget: float
    capped: bool
    accuracy: float
    fitted: float
    residual: float


@dataclass(frozen=True, slots=True)
class BudgetFit:
    """The fitted curve.

    Attributes:
        a_max: Accuracy that the curve tends to, in [0, 1].
        a_max_interval: Problems resampled within tasks, curve fitted again; None if a task has below two problems.
        tau: Tokens after which 63 % of ``a_max`` are reached; None where the data bounds it on one side only (a flat
            curve, or nothing but zeros).
        tau_interval: As ``a_max_interval``. An end at :data:`REACH` times the budgets is open: no data bounds it.
        points: By budget. They share their problems, and often their texts, so their errors are dependent.
        rmse: Root mean square of the residuals, in accuracy.
        problems: Over all tasks, in every point.
    """

    a_max: float
    a_max_interval: Interval | None
    tau: float | None
    tau_interval: Interval | None
    points: tuple[CurvePoint, ...]
    rmse: float
    problems: int


def fit_budget_curve(samples: pd.DataFrame) -> BudgetFit | None:
    """Fit A(b) = A_max (1 - exp(-b / tau)) by least squares to the mean accuracy over tasks at each budget.

    Source: LLMThinkBench, accuracy under token budgets. Only problems answered at every budget enter. Intervals come
    from bootstrapped problems, each fitted again, since points of the same problems (or of one cut text) are dependent.

    Args:
        samples: A row a sample and budget with ``task``, ``problem_id``, ``status``, ``outcome``, ``output_tokens``
            and ``cap``, in tokens, missing where there was none.

    Returns:
        None below :data:`MIN_POINTS` budgets, without a shared problem, or where runs without a cap wrote nothing.
    """
    answers = answered(samples)
    budget, longest = _budgets(answers)
    if budget.nunique() < MIN_POINTS or budget.min() <= 0:
        return None
    tasks = _by_task(answers, budget)
    if not tasks:
        return None
    budgets = np.sort(budget.unique())
    accuracy = np.mean([values.mean(axis=0) for values in tasks.values()], axis=0)
    a_max, tau = fit_saturation(budgets, accuracy[None, :])
    points = _points(budgets, accuracy, a_max[0] * (1 - np.exp(-budgets / tau[0])), longest)
    draws = mean_of_draws(
        [resampled_means(values, np.arange(len(values)), bootstrap_rng(task)) for task, values in tasks.items()]
    )
    a_interval, tau_interval = (None, None) if draws is None else _intervals(budgets, draws)
    bounded = _bounded(budgets, accuracy, float(tau[0]))
    return BudgetFit(
        a_max=float(a_max[0]),
        a_max_interval=a_interval,
        tau=float(tau[0]) if bounded else None,
        tau_interval=tau_interval if bounded else None,
        points=points,
        rmse=float(np.sqrt(np.mean([point.residual**2 for point in points]))),
        problems=sum(len(values) for values in tasks.values()),
    )


def fit_saturation(budgets: ArrayLike, accuracies: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Fit A_max and tau to many curves at once by least squares, A_max held in [0, 1].

    For a given tau the best A_max is sum(y g) / sum(g^2) with g = 1 - exp(-b / tau) (variable projection, Golub and
    Pereyra 1973), so only log tau is searched: a grid over all of its range, then ever finer around the best.

    Args:
        budgets: In tokens, above 0, shape (points,).
        accuracies: In [0, 1], shape (curves, points).

    Returns:
        A_max and tau, shape (curves,) each; tau to a relative 1e-7.
    """
    b, y = np.asarray(budgets, dtype=np.float64), np.asarray(accuracies, dtype=np.float64)
    low, high = np.log(b.min() / REACH), np.log(b.max() * REACH)
    tried = np.broadcast_to(np.linspace(low, high, _GRID), (len(y), _GRID))
    step = (high - low) / (_GRID - 1)
    rows = np.arange(len(y))
    shape = 1 - np.exp(-b / np.exp(tried[0])[:, None])
    best = tried[rows, _errors(y @ shape.T, (shape**2).sum(axis=1))[1].argmin(axis=1)]
    for _ in range(_ZOOMS):
        tried = np.clip(best[:, None] + np.linspace(-step, step, _ZOOM), low, high)
        shape = 1 - np.exp(-b / np.exp(tried)[:, :, None])
        product = np.einsum("dp,dgp->dg", y, shape)
        a_max, errors = _errors(product, (shape**2).sum(axis=2))
        chosen = errors.argmin(axis=1)
        best, step = tried[rows, chosen], step * 2 / (_ZOOM - 1)
    return a_max[rows, chosen], np.exp(best)


def _errors(product: NDArray[np.float64], square: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
    """Return the best A_max and the squared error without its constant part, of sum(y g) and sum(g^2)."""
    a_max = np.clip(product / square, 0.0, 1.0)
    return a_max, a_max**2 * square - 2 * a_max * product


def _budgets(answers: pd.DataFrame) -> tuple[pd.Series[float], float | None]:
    """Return each sample's budget, and the one that stands for no cap."""
    caps = answers["cap"].astype("float64")
    free = caps.isna()
    longest = float(answers.loc[free, "output_tokens"].max()) if free.any() else None
    return caps if longest is None else caps.fillna(longest), longest


def _points(
    budgets: NDArray[np.float64], accuracy: NDArray[np.float64], fitted: NDArray[np.float64], longest: float | None
) -> tuple[CurvePoint, ...]:
    rows = zip(budgets.tolist(), accuracy.tolist(), fitted.tolist(), strict=True)
    return tuple(CurvePoint(b, b != longest, y, f, y - f) for b, y, f in rows)


def _by_task(answers: pd.DataFrame, budget: pd.Series[float]) -> dict[str, NDArray[np.float64]]:
    """Return the accuracy of each problem under each budget by task, shape (problems, budgets), ordered by both."""
    frame = pd.DataFrame(
        {
            "task": answers["task"].astype(str).to_numpy(),
            "problem_id": answers["problem_id"].astype(str).to_numpy(),
            "budget": budget.to_numpy(),
            "right": measure_named("accuracy").of(answers),
        }
    )
    table = frame.pivot_table(index=["task", "problem_id"], columns="budget", values="right").dropna()
    return {str(task): rows.to_numpy(dtype=np.float64) for task, rows in table.groupby(level="task")}


def _intervals(budgets: NDArray[np.float64], draws: NDArray[np.float64]) -> tuple[Interval, Interval]:
    a_max, tau = fit_saturation(budgets, draws)
    ends = [percentile_interval(figure, "task-stratified bootstrap") for figure in (a_max, tau)]
    return ends[0], ends[1]


def _bounded(budgets: NDArray[np.float64], accuracy: NDArray[np.float64], tau: float) -> bool:
    """Tell whether the ends of tau's range fit worse than the best tau does."""
    shape = 1 - np.exp(-budgets / np.array([[budgets.min() / REACH], [tau], [budgets.max() * REACH]]))
    low, best, high = _errors(shape @ accuracy, (shape**2).sum(axis=1))[1]
    return bool(min(low, high) > best + 1e-9)  # a squared accuracy far below what any study resolves
