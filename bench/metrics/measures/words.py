"""Words of the final message, separated by white space."""

from __future__ import annotations

from bench.metrics.measure import Measure, column

MEASURE = Measure(
    name="words",
    order=60,
    unit="words",
    formula="words of the final message, separated by white space",
    source="LLMThinkBench, output words",
    of=column("words"),
)
