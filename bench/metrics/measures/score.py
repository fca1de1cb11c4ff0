"""Partial credit of an answer that its task checks."""

from __future__ import annotations

from bench.metrics.measure import Measure, column

MEASURE = Measure(
    name="score",
    order=12,
    unit="share",
    formula="credit in [0, 1] by the task's own check, only 1 is correct; other answers have none",
    source="OptimalThinkingBench, reasoning-gym's scores",
    of=column("score"),
)
