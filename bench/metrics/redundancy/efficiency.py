"""What a right answer costs: tokens, seconds and money, over all samples and by level of difficulty."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pandas as pd

from bench.metrics.samples import answered


@dataclass(frozen=True, slots=True)
class Efficiency:
    """What right answers cost; sums over all samples, so the wrong ones are paid for too.

    Attributes:
        n: Samples with a verdict.
        correct: Right ones.
        tokens_per_correct: Output tokens of all samples by right answers; None without one, as all that follow.
        accuracy_per_1000: Accuracy by mean output tokens, for 1,000 tokens; None where no token was written.
        seconds_per_correct: Latencies of all samples by right answers. Samples that ran side by side count in full.
        dollars_per_correct: Price of all samples by right answers; None where a sample's is unknown.
    """

    n: int
    correct: int
    tokens_per_correct: float | None
    accuracy_per_1000: float | None
    seconds_per_correct: float | None
    dollars_per_correct: float | None


def efficiency(samples: pd.DataFrame) -> Efficiency:
    """Return what the right answers of some samples cost.

    Args:
        samples: A row a sample with ``status``, ``outcome``, ``output_tokens``, ``latency_s`` (s) and, where prices are
            known, ``dollars``.
    """
    answers = answered(samples)
    n, tokens = len(answers), float(answers["output_tokens"].sum())
    correct = int((answers["outcome"] == "correct").sum())
    paid = answers["dollars"].astype(float).sum(skipna=False) if "dollars" in answers and n else float("nan")

    def each(total: float) -> float | None:
        return total / correct if correct and not math.isnan(total) else None

    return Efficiency(
        n=n,
        correct=correct,
        tokens_per_correct=each(tokens),
        accuracy_per_1000=1_000 * correct / tokens if tokens else None,
        seconds_per_correct=each(float(answers["latency_s"].sum())),
        dollars_per_correct=each(float(paid)),
    )


def by_level(samples: pd.DataFrame, level: str) -> dict[str, Efficiency]:
    """Return the same for each value of a column, e.g. ``size`` or ``level``, in order; those without one are in none.

    Raises:
        KeyError: there is no such column.
    """
    groups = samples.groupby(level, observed=True, sort=True)
    return {_named(value): efficiency(rows) for value, rows in groups}


def _named(value: object) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
