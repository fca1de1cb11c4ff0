"""Unicode code points of the final message."""

from __future__ import annotations

from bench.metrics.measure import Measure, column

MEASURE = Measure(
    name="characters",
    order=70,
    unit="characters",
    formula="Unicode code points of the final message",
    source="LLMThinkBench, output characters",
    of=column("characters"),
)
