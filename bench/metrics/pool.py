"""Overthinking Scores of compared runs under bounds taken from the runs themselves, beside the fixed ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bench.metrics.grid import Grid
from bench.metrics.overthinking import REFERENCE, Bounds, efficiency, overthinking_score
from bench.metrics.rankings import Agreement, agreement

MIN_RUNS = 5

BoundsKind = Literal["reference", "pool", "task"]


@dataclass(frozen=True, slots=True)
class Forms:
    """The two forms of a run's Overthinking Score under one kind of bounds, each in [0, 1].

    Attributes:
        of_means: O of the mean accuracy and of the efficiency of the mean tokens; under ``task`` bounds, of the mean
            efficiency over tasks, since there is no one scale for the mean tokens.
        mean: Mean over tasks of each task's O.
    """

    of_means: float
    mean: float


@dataclass(frozen=True, slots=True)
class PoolScores:
    """Scores of compared runs over the tasks that all of them answered.

    Attributes:
        tasks: These tasks.
        left_out: Tasks that some run did not answer.
        pool: Bounds from the runs' mean tokens; None below :data:`MIN_RUNS` runs.
        task: Bounds of each task from the runs' means in it; None as ``pool``.
        scores: By run, then by kind of bounds; ``pool`` and ``task`` are absent below :data:`MIN_RUNS` runs.
    """

    tasks: tuple[str, ...]
    left_out: tuple[str, ...]
    pool: Bounds | None
    task: Mapping[str, Bounds] | None
    scores: Mapping[str, Mapping[BoundsKind, Forms]]


def pool_bounds(tokens: ArrayLike, name: str = "pool") -> Bounds | None:
    """Return Tmin and Tmax of compared runs: the smallest and largest of their mean output tokens.

    Source: LLMThinkBench, over all compared models (its released code takes them within one run, which makes scores
    of different runs incomparable). None below :data:`MIN_RUNS` runs: the bounds of a few say more about the few.
    """
    counts = np.asarray(tokens, dtype=np.float64)
    return Bounds(name, float(counts.min()), float(counts.max())) if len(counts) >= MIN_RUNS else None


def pool_scores(table: Grid, reference: Bounds = REFERENCE) -> PoolScores:
    """Score compared runs under ``reference``, ``pool`` and ``task`` bounds, in both forms.

    Source: LLMThinkBench (pool; per-task normalisation), forms as in :mod:`bench.metrics.overthinking`.

    Args:
        table: Runs by task with ``accuracy`` and ``output_tokens``.
        reference: The fixed bounds.
    """
    kept = table.common()
    left_out = tuple(task for task in table.tasks if task not in kept.tasks)
    if not kept.tasks or not kept.rows:
        return PoolScores((), left_out, None, None, {run: {} for run in kept.rows})
    accuracy, tokens = kept.means["accuracy"], kept.means["output_tokens"]
    pool = pool_bounds(tokens.mean(axis=1))
    of_tasks = _task_bounds(kept.tasks, tokens)
    kinds: dict[BoundsKind, tuple[NDArray[np.float64], NDArray[np.float64]]] = {
        "reference": _fixed(accuracy, tokens, reference)
    }
    if pool is not None and of_tasks is not None:
        kinds["pool"] = _fixed(accuracy, tokens, pool)
        kinds["task"] = _by_task(accuracy, tokens, of_tasks)
    scores: dict[str, Mapping[BoundsKind, Forms]] = {
        run: {kind: Forms(float(of_means[row]), float(mean[row])) for kind, (of_means, mean) in kinds.items()}
        for row, run in enumerate(kept.rows)
    }
    of_name = None if of_tasks is None else dict(zip(kept.tasks, of_tasks, strict=True))
    return PoolScores(kept.tasks, left_out, pool, of_name, scores)


def scores_under(found: PoolScores, kind: BoundsKind) -> dict[str, float | None]:
    """Return each run's score under one kind of bounds, what a ranking is made of; None where there is none.

    ``task`` gives the mean of the tasks' scores, the others the score of the means.
    """
    form = "mean" if kind == "task" else "of_means"
    return {run: getattr(forms[kind], form) if kind in forms else None for run, forms in found.scores.items()}


def second_ranking(found: PoolScores) -> Agreement | None:
    """Return how far the ranking by ``pool`` bounds agrees with the one by per-task normalisation.

    Source: LLMThinkBench, per-task normalisation as a second ranking. None below :data:`MIN_RUNS` runs.
    """
    return agreement(scores_under(found, "pool"), scores_under(found, "task"))


def _task_bounds(tasks: Sequence[str], tokens: NDArray[np.float64]) -> list[Bounds] | None:
    found = [pool_bounds(column, f"task {task}") for task, column in zip(tasks, tokens.T, strict=True)]
    known = [bounds for bounds in found if bounds is not None]
    return known if len(known) == len(found) else None


def _fixed(
    accuracy: NDArray[np.float64], tokens: NDArray[np.float64], bounds: Bounds
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    of_means = overthinking_score(accuracy.mean(axis=1), tokens.mean(axis=1), bounds)
    return of_means, overthinking_score(accuracy, tokens, bounds).mean(axis=1)


def _by_task(
    accuracy: NDArray[np.float64], tokens: NDArray[np.float64], bounds: Sequence[Bounds]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    columns = list(zip(accuracy.T, tokens.T, bounds, strict=True))
    right = accuracy.mean(axis=1)
    brief = np.mean([efficiency(counts, own) for _, counts, own in columns], axis=0)
    total = right + brief
    of_means = np.divide(2 * right * brief, total, out=np.zeros_like(total), where=total > 0)
    return of_means, np.mean([overthinking_score(share, counts, own) for share, counts, own in columns], axis=0)
