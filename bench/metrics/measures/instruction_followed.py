"""Readable closed box in the visible answer."""

from __future__ import annotations

from bench.metrics.measure import Measure, column

MEASURE = Measure(
    name="instruction_followed",
    order=20,
    unit="share",
    formula="readable closed box in the visible answer",
    source="LLMThinkBench, instruction following",
    of=column("instruction_followed"),
)
