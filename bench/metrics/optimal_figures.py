"""A run's figures of OptimalThinkingBench: over both sides, by part and by any fact; and two runs side by side."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bench.metrics.correlation import Correlation, correlation
from bench.metrics.intervals import Interval, percentile_interval
from bench.metrics.optimal_means import (
    HEADLINES,
    NAMES,
    Bundle,
    OptimalScoring,
    bundle,
    counted,
    headlines,
    mean_of,
    parts_of,
)
from bench.metrics.optimal_thinking import PARTS, T_MAX, Domain, Side, oaa_curve

THRESHOLDS = (0, 1, *range(20, T_MAX + 1, 20))  # 1: where answers without any thinking begin to count


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure.

    Attributes:
        value: None of no samples.
        interval: Bootstrap by problem, stratified over tasks; None where a task has below two problems.
    """

    value: float | None
    interval: Interval | None = None


@dataclass(frozen=True, slots=True)
class GroupFigures:
    """The figures of some samples: of a part, a task, a field or an answer type.

    Attributes:
        name: What they have in common.
        problems: Different problems.
        n: Answered samples.
        accuracy: Share of right ones; only full credit is right.
        auc_oaa: Area under OAA_t on thinking tokens.
        auc_oaa_output: The same on output tokens.
        thinking_tokens: Mean.
        output_tokens: Mean.
    """

    name: str
    problems: int
    n: int
    accuracy: Estimate
    auc_oaa: Estimate
    auc_oaa_output: Estimate
    thinking_tokens: Estimate
    output_tokens: Estimate


@dataclass(frozen=True, slots=True)
class PartFigures:
    """A part of the benchmark: means over its tasks.

    Attributes:
        side: ``over`` or ``under``.
        domain: ``general`` or ``math``.
        tasks: Its tasks that were answered.
        figures: See :class:`GroupFigures`.
    """

    side: Side
    domain: Domain
    tasks: tuple[str, ...]
    figures: GroupFigures


@dataclass(frozen=True, slots=True)
class OptimalThinking:
    """A run's result. On each side general and math have equal weight; a part without an answer is left out and named.

    Attributes:
        scoring: ``paper``, or ``released_code``: each task's area from its mean accuracy and mean tokens, a text
            without a closing tag wholly thinking, and partial credit in place of accuracy.
        t_max: Largest threshold in tokens.
        f1: Harmonic mean of ``auc_oaa`` and ``acc_ut``.
        f1_output: The same of ``auc_oaa_output``.
        auc_oaa: Of the overthinking side.
        auc_oaa_output: The same on output tokens.
        overthinking_accuracy: Of the overthinking side.
        overthinking_tokens: Mean thinking tokens there.
        acc_ut: Accuracy on the underthinking side.
        parts: The parts that have an answer.
        missing: Parts without one, e.g. ``over general``; the figures of that side are those of the other part alone.
        curve: (t, OAA_t) of the overthinking side.
    """

    scoring: OptimalScoring
    t_max: int
    f1: Estimate
    f1_output: Estimate
    auc_oaa: Estimate
    auc_oaa_output: Estimate
    overthinking_accuracy: Estimate
    overthinking_tokens: Estimate
    acc_ut: Estimate
    parts: tuple[PartFigures, ...]
    missing: tuple[str, ...]
    curve: tuple[tuple[int, float], ...]


@dataclass(frozen=True, slots=True)
class Change:
    """A figure of two runs over the problems that both answered.

    Attributes:
        name: One of :data:`bench.metrics.optimal_means.HEADLINES`.
        a: Of run A.
        b: Of run B.
        interval: Of b - a, paired bootstrap by problem, stratified over tasks; None where a task has below two.
    """

    name: str
    a: float
    b: float
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class LengthAndAccuracy:
    """Whether longer thinking goes with higher accuracy from field to field.

    Attributes:
        fields: The figures of each field.
        correlation: Between mean thinking tokens and accuracy over fields; None below three, or if one never varies.
    """

    fields: tuple[GroupFigures, ...]
    correlation: Correlation | None


def optimal_thinking(samples: pd.DataFrame, scoring: OptimalScoring = "paper") -> OptimalThinking | None:
    """Return a run's figures of the benchmark; None if it has an answer to none of its tasks.

    Source: OptimalThinkingBench; DESIGN, meaning of the numbers.

    Args:
        samples: A row a sample with :data:`bench.metrics.optimal_means.COLUMNS`; other tasks are passed over.
        scoring: See :class:`OptimalThinking`.
    """
    rows = counted(samples, scoring)
    if rows.empty:
        return None
    parts = parts_of(rows, scoring)
    values, draws = headlines(parts)
    asked = set(rows["task"])
    return OptimalThinking(
        scoring=scoring,
        t_max=T_MAX,
        **{name: Estimate(values[name], _interval(draws[name])) for name in HEADLINES},
        parts=tuple(
            PartFigures(
                part.side,
                part.domain,
                tuple(name for name in part.tasks if name in asked),
                _figures(f"{part.side} {part.domain}", one),
            )
            for part, one in parts.items()
        ),
        missing=tuple(f"{part.side} {part.domain}" for part in PARTS if part not in parts),
        curve=_curve(rows),
    )


def optimal_by(samples: pd.DataFrame, column: str, scoring: OptimalScoring = "paper") -> tuple[GroupFigures, ...]:
    """Return the figures of each value of a column, e.g. ``task``, ``field`` or ``answer_type``: means over tasks.

    Source: OptimalThinkingBench, thinking by answer type and by field. Samples without the fact are in no group.

    Args:
        samples: As :func:`optimal_thinking`, with the column.
        column: What they are grouped by.
        scoring: As there.
    """
    rows = counted(samples, scoring)
    found = []
    for value, group in rows.groupby(column, observed=True, sort=True):
        tasks = group.groupby("task", observed=True)
        every = [bundle(one, f"optimal thinking {task} {value}", scoring) for task, one in tasks]
        found.append(_figures(str(value), mean_of(every)))
    return tuple(found)


def length_and_accuracy(samples: pd.DataFrame, column: str = "field") -> LengthAndAccuracy:
    """Return how mean thinking tokens and accuracy go together over fields. Source: OptimalThinkingBench.

    Args:
        samples: As :func:`optimal_by`.
        column: What fields are told apart by.
    """
    fields = optimal_by(samples, column)
    lengths, shares = ([getattr(one, name).value for one in fields] for name in ("thinking_tokens", "accuracy"))
    return LengthAndAccuracy(fields, correlation(lengths, shares))


def compare_optimal(a: pd.DataFrame, b: pd.DataFrame, scoring: OptimalScoring = "paper") -> tuple[Change, ...]:
    """Return the change of each figure from run A to run B over the problems that both answered.

    Both runs' problems are drawn together, so what is hard for both is no noise. Figures that a run lacks are left out.

    Args:
        a: As :func:`optimal_thinking`.
        b: The same of the other run.
        scoring: As there.
    """
    one, other = counted(a, scoring), counted(b, scoring)
    both = set(one["problem_id"]) & set(other["problem_id"])
    (left, left_draws), (right, right_draws) = (
        headlines(parts_of(rows[rows["problem_id"].isin(both)], scoring)) for rows in (one, other)
    )
    found = []
    for name in HEADLINES:
        before, after = left[name], right[name]
        if before is not None and after is not None:
            first, second = left_draws[name], right_draws[name]
            paired = None if first is None or second is None else second - first
            found.append(Change(name, before, after, _interval(paired)))
    return tuple(found)


def _figures(name: str, one: Bundle) -> GroupFigures:
    draws = [None] * len(NAMES) if one.draws is None else list(one.draws.T)
    single = {
        figure: Estimate(float(value), _interval(drawn))
        for figure, value, drawn in zip(NAMES, one.means, draws, strict=True)
    }
    return GroupFigures(name, one.problems, one.n, **single)


def _interval(draws: NDArray[np.float64] | None) -> Interval | None:
    return None if draws is None else percentile_interval(draws, "task-stratified bootstrap")


def _curve(rows: pd.DataFrame) -> tuple[tuple[int, float], ...]:
    """Return OAA_t of the overthinking side: the mean over its parts of the mean over their tasks."""
    tasks = {str(task): found for task, found in rows.groupby("task", observed=True)}
    parts = [[name for name in part.tasks if name in tasks] for part in PARTS if part.side == "over"]
    curves = [
        np.mean([oaa_curve(tasks[name]["correct"], tasks[name]["thinking"], THRESHOLDS) for name in names], axis=0)
        for names in parts
        if names
    ]
    if not curves:
        return ()
    return tuple(zip(THRESHOLDS, map(float, np.mean(curves, axis=0)), strict=True))
