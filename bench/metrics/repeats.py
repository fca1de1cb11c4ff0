"""What several samples of each problem say: pass@k, avg@n and majority@n."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import comb

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bench.metrics.intervals import (
    Interval,
    Method,
    bootstrap_rng,
    mean_of_draws,
    percentile_interval,
    resampled_means,
)
from bench.metrics.samples import answered
from bench.verdict import Outcome

# What is read of the verdicts, a sample a row.
COLUMNS = ("task", "problem_id", "status", "outcome", "answer")


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over tasks of means over problems.

    Attributes:
        value: In [0, 1].
        interval: Cluster bootstrap by problem, over several tasks stratified; None below two problems of a task.
    """

    value: float
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class Repeats:
    """The figures of several samples a problem.

    Attributes:
        n: Answered samples of a problem, the fewest and the most.
        average: avg@n, the mean accuracy of a problem's samples.
        majority: majority@n, whether the answer that most samples give is right.
        pass_at: pass@k by k: the powers of two up to the fewest samples of a problem, and this number.
    """

    n: tuple[int, int]
    average: Estimate
    majority: Estimate
    pass_at: dict[int, Estimate]


def repeats(samples: pd.DataFrame) -> Repeats | None:
    """Return the figures of a run with several samples a problem, None where no problem has two answers.

    Args:
        samples: A row a sample with :data:`COLUMNS`. Errors and ungraded samples are in no figure.
    """
    # As text: categories come in the order in which they were first met, and the draws would depend on it.
    answers = answered(samples).astype({"task": "str", "problem_id": "str"})
    counts = answers.groupby("problem_id", observed=True).size()
    if not len(counts) or counts.max() < 2:
        return None
    least = int(counts.min())
    ks = sorted({least, *(1 << power for power in range(least.bit_length()))})
    names = ("average", "majority", *ks)
    tables = {
        str(task): np.array([_figures(problem, ks) for _, problem in rows.groupby("problem_id", observed=True)])
        for task, rows in answers.groupby("task", observed=True)
    }
    found = dict(zip(names, _estimates(tables), strict=True))
    passes = {k: found[k] for k in ks}
    return Repeats((least, int(counts.max())), found["average"], found["majority"], passes)


def pass_at_k(n: int, correct: int, k: int) -> float:
    """Return the unbiased estimate of the chance that one of k samples is right: 1 - C(n - c, k) / C(n, k).

    Source: Chen et al. 2021, equation 1.

    Args:
        n: Samples that were drawn.
        correct: c, those that are right.
        k: At most n.

    Raises:
        ValueError: k is below 1 or above n, or c above n.
    """
    if not (1 <= k <= n and 0 <= correct <= n):
        raise ValueError(f"pass@{k} of {correct} right ones among {n} samples does not exist")
    return 1 - comb(n - correct, k) / comb(n, k)


def majority(answers: list[str | None], correct: list[bool]) -> float:
    """Return whether the most frequent answer is right, 1 or 0; of answers that are equally frequent, the right share.

    Source: Wang et al. 2022 (self-consistency). Right answers are one answer however they are written; wrong ones are
    told apart by their text. Samples without a readable answer have no vote.

    Args:
        answers: The answer of each sample, None where nothing was read.
        correct: Whether it is right.
    """
    votes: Counter[tuple[bool, str | None]] = Counter()
    for answer, right in zip(answers, correct, strict=True):
        if right or answer is not None:
            votes[(right, None if right else answer)] += 1
    most = max(votes.values(), default=0)
    first = [right for (right, _), count in votes.items() if count == most]
    return sum(first) / len(first) if first else 0.0


def _figures(problem: pd.DataFrame, ks: list[int]) -> list[float]:
    """Return avg, majority and pass@k of one problem."""
    correct = (problem["outcome"] == Outcome.CORRECT).tolist()
    texts = [answer if isinstance(answer, str) else None for answer in problem["answer"]]
    n, right = len(correct), sum(correct)
    return [right / n, majority(texts, correct), *(pass_at_k(n, right, k) for k in ks)]


def _estimates(tables: dict[str, NDArray[np.float64]]) -> list[Estimate]:
    """Return each figure over tasks.

    Args:
        tables: By task a row a problem, a column a figure.
    """
    values = np.mean([table.mean(axis=0) for table in tables.values()], axis=0)
    over = mean_of_draws(
        [
            resampled_means(table, np.arange(len(table)), bootstrap_rng(f"{task} repeats"))
            for task, table in tables.items()
        ]
    )
    method: Method = "cluster bootstrap" if len(tables) == 1 else "task-stratified bootstrap"
    return [
        Estimate(float(value), None if over is None else percentile_interval(over[:, place], method))
        for place, value in enumerate(values)
    ]
