"""What a task's samples say, and what all tasks together say, from the columns of their verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bench.metrics.intervals import (
    Interval,
    Method,
    bootstrap_rng,
    mean_interval,
    mean_of_draws,
    percentile_interval,
    resampled_means,
    wilson,
)
from bench.metrics.overthinking import Bounds, mean_of_scores, overthinking_score, score_of_means
from bench.metrics.samples import answered
from bench.verdict import Outcome

# Accuracy, output tokens and thinking tokens of each bootstrap sample, shape (draws, 3).
_Draws: TypeAlias = NDArray[np.float64]

_COUNTS = ("n", "errors", "ungraded", "truncated", "refused", "unparsed")
_MEANS = (
    "instruction_followed",
    "thinking_tokens",
    "answer_tokens",
    "output_tokens",
    "words",
    "characters",
)
# What is read of the verdicts, a sample a row.
COLUMNS = ("problem_id", "status", "outcome", *_MEANS)


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of one task, or of all tasks as means over tasks. Anything of zero samples is None.

    Attributes:
        n: Samples that count: answered and graded. Cut and refused ones are answers, errors are not.
        errors: Samples without an answer because something failed.
        ungraded: Answers that nothing has judged yet.
        truncated: Of ``n``, those cut by a cap.
        refused: Of ``n``, those blocked by a provider.
        unparsed: Of ``n``, those without a readable answer; they are not correct.
        accuracy: Correct share of ``n``.
        accuracy_interval: Wilson without repeats, bootstrap by problem with them, stratified over tasks.
        accuracy_bounds: Accuracy if all errors and ungraded samples were wrong, and if all were right.
        accuracy_parsed: Correct share of the parsed answers, the denominator of some published tables.
        instruction_followed: Share of ``n`` with a readable closed box in the visible answer.
        thinking_tokens: Mean tokens between the thinking markers.
        thinking_tokens_interval: Bootstrap by problem, over tasks stratified.
        answer_tokens: Mean of the other output tokens, markers excepted.
        output_tokens: Mean of all output tokens.
        output_tokens_interval: Bootstrap by problem, over tasks stratified.
        words: Mean words of the final message, thinking included.
        characters: Mean characters of it.
        overthinking: Overthinking Score of the mean accuracy and mean output tokens.
        overthinking_interval: Bootstrap by problem with fixed bounds.
        overthinking_mean: Mean over tasks of each task's score; of one task, the score itself.
    """

    n: int
    errors: int
    ungraded: int
    truncated: int
    refused: int
    unparsed: int
    accuracy: float | None
    accuracy_interval: Interval | None
    accuracy_bounds: tuple[float, float] | None
    accuracy_parsed: float | None
    instruction_followed: float | None
    thinking_tokens: float | None
    thinking_tokens_interval: Interval | None
    answer_tokens: float | None
    output_tokens: float | None
    output_tokens_interval: Interval | None
    words: float | None
    characters: float | None
    overthinking: float | None
    overthinking_interval: Interval | None
    overthinking_mean: float | None


@dataclass(frozen=True, slots=True)
class TaskFigures:
    """A task's figures with the bootstrap draws that the figures over tasks are made from.

    Attributes:
        figures: The task's own.
        draws: Mean accuracy, output tokens and thinking tokens of each bootstrap sample, shape (draws, 3); None
            below two problems.
    """

    figures: Figures
    draws: _Draws | None


def task_figures(task: str, samples: pd.DataFrame, bounds: Bounds) -> TaskFigures:
    """Return the figures of one task.

    Args:
        task: Its name, which fixes the bootstrap's draws.
        samples: A row a sample with :data:`COLUMNS`.
        bounds: Of the Overthinking Score.
    """
    answers = answered(samples)
    correct = (answers["outcome"] == Outcome.CORRECT).to_numpy()
    problems = answers["problem_id"]
    figures = np.column_stack((correct, answers["output_tokens"], answers["thinking_tokens"]))
    draws = resampled_means(figures, _places(problems), bootstrap_rng(task))
    counts = _counts(samples, answers)
    right, n = int(correct.sum()), len(answers)
    means = {name: _mean(answers[name].to_numpy()) for name in _MEANS}
    tokens = means["output_tokens"]
    score = None if tokens is None else float(overthinking_score(right / n, tokens, bounds))
    fields: dict[str, Any] = {
        **counts,
        **means,
        "accuracy": _ratio(right, n),
        "accuracy_interval": _accuracy_interval(right, problems, draws),
        **_token_intervals(draws, "problem bootstrap" if problems.is_unique else "cluster bootstrap"),
        "accuracy_bounds": _outer_bounds(right, len(samples) - n, len(samples)),
        "accuracy_parsed": _ratio(right, n - counts["unparsed"]),
        "overthinking": score,
        "overthinking_interval": None if draws is None else _score_interval(draws, bounds),
        "overthinking_mean": score,
    }
    return TaskFigures(Figures(**fields), draws)


def overall_figures(tasks: Sequence[TaskFigures], bounds: Bounds) -> Figures:
    """Return the figures over tasks: counts are sums, the rest are means over the tasks that have the figure."""
    every = [task.figures for task in tasks]
    asked = [task for task in tasks if task.figures.n]
    accuracies = _known(task.figures.accuracy for task in asked)
    tokens = _known(task.figures.output_tokens for task in asked)
    draws = mean_of_draws([task.draws for task in asked])
    means = {name: _mean(_known(getattr(f, name) for f in every)) for name in (*_MEANS, "accuracy", "accuracy_parsed")}
    fields: dict[str, Any] = {
        **{name: sum(getattr(f, name) for f in every) for name in _COUNTS},
        **means,
        "accuracy_interval": None if draws is None else _mean_accuracy_interval(asked, draws),
        **_token_intervals(draws, "task-stratified bootstrap"),
        "accuracy_bounds": _mean_bounds([f.accuracy_bounds for f in every if f.accuracy_bounds is not None]),
        "overthinking": score_of_means(accuracies, tokens, bounds),
        "overthinking_interval": None if draws is None else _score_interval(draws, bounds),
        "overthinking_mean": mean_of_scores(accuracies, tokens, bounds),
    }
    return Figures(**fields)


def _places(problems: pd.Series[str]) -> NDArray[np.int64]:
    """Return each sample's problem as its place among the sorted ids.

    Draws are by place, so two runs with the same verdicts have the same draws in whatever order samples ended.
    """
    codes, ids = problems.factorize()
    order = np.argsort(np.asarray(ids, dtype=str), kind="stable")
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    places: NDArray[np.int64] = place[codes]
    return places


def _counts(samples: pd.DataFrame, answers: pd.DataFrame) -> dict[str, int]:
    errors = int((samples["status"] == "error").sum())
    return {
        "n": len(answers),
        "errors": errors,
        "ungraded": len(samples) - len(answers) - errors,
        "truncated": int((answers["status"] == "truncated").sum()),
        "refused": int((answers["status"] == "refused").sum()),
        "unparsed": int((answers["outcome"] == Outcome.UNPARSED).sum()),
    }


def _accuracy_interval(right: int, problems: pd.Series[str], draws: _Draws | None) -> Interval | None:
    if problems.is_unique:
        return wilson(right, len(problems))
    if draws is None or 0 < right < len(problems):
        return None if draws is None else percentile_interval(draws[:, 0], "cluster bootstrap")
    # All alike, the draws have no width. As if each problem had been asked once.
    return wilson(problems.nunique() if right else 0, problems.nunique())


def _mean_accuracy_interval(tasks: Sequence[TaskFigures], draws: _Draws) -> Interval:
    """Return the interval of the mean over tasks; where every task's answers are all alike, from the tasks' own."""
    found = percentile_interval(draws[:, 0], "task-stratified bootstrap")
    own = [(task.figures.accuracy, task.figures.accuracy_interval) for task in tasks]
    known = [(figure, interval) for figure, interval in own if figure is not None and interval is not None]
    return found if found.low < found.high or len(known) < len(own) else mean_interval(known)


def _token_intervals(draws: _Draws | None, method: Method) -> dict[str, Interval | None]:
    names = {"output_tokens_interval": 1, "thinking_tokens_interval": 2}
    return {
        name: None if draws is None else percentile_interval(draws[:, place], method) for name, place in names.items()
    }


def _score_interval(draws: _Draws, bounds: Bounds) -> Interval:
    return percentile_interval(overthinking_score(draws[:, 0], draws[:, 1], bounds), "problem bootstrap")


def _outer_bounds(right: int, unknown: int, n: int) -> tuple[float, float] | None:
    return (right / n, (right + unknown) / n) if n else None


def _mean_bounds(bounds: Sequence[tuple[float, float]]) -> tuple[float, float] | None:
    if not bounds:
        return None
    low, high = np.mean(bounds, axis=0)
    return float(low), float(high)


def _ratio(count: int, n: int) -> float | None:
    return count / n if n else None


def _mean(values: NDArray[Any] | Sequence[float]) -> float | None:
    return float(np.mean(np.asarray(values, dtype=np.float64))) if len(values) else None


def _known(values: Iterable[float | None]) -> list[float]:
    return [value for value in values if value is not None]
