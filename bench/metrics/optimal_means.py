"""Means of OptimalThinkingBench's figures over tasks, parts and sides, each with its bootstrap draws."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bench.metrics.intervals import bootstrap_rng, mean_of_draws, resampled_means
from bench.metrics.optimal_thinking import PART_OF, PARTS, Part, Side, auc_of_means, f1, response_auc
from bench.metrics.samples import answered
from bench.verdict import Outcome

OptimalScoring = Literal["paper", "released_code"]

# What is read of the verdicts, a sample a row.
COLUMNS = ("problem_id", "task", "status", "outcome", "score", "thinking_state", "thinking_tokens", "output_tokens")
# The figures of some samples, in the order of a bundle's columns.
NAMES = ("accuracy", "thinking_tokens", "output_tokens", "auc_oaa", "auc_oaa_output")
HEADLINES = (
    "f1", "f1_output", "auc_oaa", "auc_oaa_output", "overthinking_accuracy", "overthinking_tokens", "acc_ut",
)  # fmt: skip

_Figures: TypeAlias = NDArray[np.float64]  # the last axis is NAMES
_CLOSED = ("closed", "forced")


@dataclass(frozen=True, slots=True)
class Bundle:
    """Means of :data:`NAMES` over samples, with those of bootstrap samples.

    Attributes:
        means: Shape (5,).
        draws: Shape (draws, 5); None where a task has below two problems.
        problems: Different problems.
        n: Samples.
    """

    means: _Figures
    draws: _Figures | None
    problems: int
    n: int


def counted(samples: pd.DataFrame, scoring: OptimalScoring) -> pd.DataFrame:
    """Return the answered samples of the benchmark's tasks with numeric ``correct``, ``thinking`` and ``output``.

    Other columns stay. Unclosed thinking has no answer. By the released code a text without a closing tag is thinking
    as a whole, in runs of models that think, and partial credit counts.
    """
    answers = answered(samples)
    answers = answers[answers["task"].isin(list(PART_OF))]
    state = answers["thinking_state"].astype(str)
    right = (answers["outcome"] == Outcome.CORRECT).to_numpy(dtype=np.float64)
    thinking, output = (answers[name].to_numpy(dtype=np.float64) for name in ("thinking_tokens", "output_tokens"))
    closed = state.isin(_CLOSED).to_numpy()
    if scoring == "released_code":
        thinking = np.where(~closed & closed.any(), output, thinking)
        credit = answers["score"].to_numpy(dtype=np.float64)
        right = np.where(np.isnan(credit), right, credit)
    else:
        right = right * (state != "unclosed").to_numpy()
    names = {name: answers[name].astype(str) for name in ("task", "problem_id")}
    found = answers.assign(**names, correct=right, thinking=thinking, output=output)
    # Sorted, so that not even the last digit of a mean depends on the order in which samples ended.
    return found.sort_values(["task", "problem_id", "correct", "thinking", "output"])


def bundle(rows: pd.DataFrame, seed: str, scoring: OptimalScoring) -> Bundle:
    """Return the means of some counted samples of one task, at least one.

    Args:
        rows: As :func:`counted` returns them.
        seed: Fixes the bootstrap's draws: the same problems under the same seed are drawn together.
        scoring: How the areas are made.
    """
    correct, thinking, output = (rows[name].to_numpy() for name in ("correct", "thinking", "output"))
    areas = [response_auc(correct, tokens) for tokens in (thinking, output)]
    values = np.column_stack((correct, thinking, output, *areas))
    problems, ids = pd.factorize(rows["problem_id"], sort=True)  # sorted: draws do not depend on who ended first
    draws = resampled_means(values, problems, bootstrap_rng(seed))
    means = values.mean(axis=0)
    if scoring == "released_code":
        means, draws = _areas_of_means(means), None if draws is None else _areas_of_means(draws)
    return Bundle(means, draws, len(ids), len(rows))


def mean_of(bundles: Iterable[Bundle]) -> Bundle:
    """Return the mean of some bundles, at least one, each of the same weight."""
    every = list(bundles)
    return Bundle(
        means=np.mean([one.means for one in every], axis=0),
        draws=mean_of_draws([one.draws for one in every]),
        problems=sum(one.problems for one in every),
        n=sum(one.n for one in every),
    )


def parts_of(rows: pd.DataFrame, scoring: OptimalScoring) -> dict[Part, Bundle]:
    """Return the mean over its tasks of each part that has an answer; rows as :func:`counted` returns them."""
    tasks = {str(task): found for task, found in rows.groupby("task", observed=True)}
    asked = {part: [name for name in part.tasks if name in tasks] for part in PARTS}
    return {
        part: mean_of(bundle(tasks[name], f"optimal thinking {name}", scoring) for name in names)
        for part, names in asked.items()
        if names
    }


def headlines(parts: Mapping[Part, Bundle]) -> tuple[dict[str, float | None], dict[str, NDArray[np.float64] | None]]:
    """Return the benchmark's figures, and the draws of each; None where a side has no answer, or too few problems."""
    sides: dict[Side, Bundle | None] = {side: _side(parts, side) for side in ("over", "under")}
    over, under = sides["over"], sides["under"]
    values = _headlines(None if over is None else over.means, None if under is None else under.means)
    draws = _headlines(None if over is None else over.draws, None if under is None else under.draws)
    return {name: None if value is None else float(value) for name, value in values.items()}, draws


def _side(parts: Mapping[Part, Bundle], side: Side) -> Bundle | None:
    found = [one for part, one in parts.items() if part.side == side]
    return mean_of(found) if found else None


def _headlines(over: _Figures | None, under: _Figures | None) -> dict[str, NDArray[np.float64] | None]:
    found: dict[str, NDArray[np.float64] | None] = dict.fromkeys(HEADLINES)
    if over is not None:
        places = {"overthinking_accuracy": 0, "overthinking_tokens": 1, "auc_oaa": 3, "auc_oaa_output": 4}
        found |= {name: over[..., place] for name, place in places.items()}
    if under is not None:
        found["acc_ut"] = under[..., 0]
    if over is not None and under is not None:
        found |= {"f1": f1(over[..., 3], under[..., 0]), "f1_output": f1(over[..., 4], under[..., 0])}
    return found


def _areas_of_means(means: _Figures) -> _Figures:
    """Return the figures with the areas that the released code makes of mean accuracy and mean tokens."""
    areas: Sequence[_Figures] = [auc_of_means(means[..., 0], means[..., place]) for place in (1, 2)]
    return np.stack([means[..., 0], means[..., 1], means[..., 2], *areas], axis=-1)
