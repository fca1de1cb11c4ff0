"""Output ids that are neither thinking nor marker."""

from __future__ import annotations

from bench.metrics.measure import Measure, column

MEASURE = Measure(
    name="answer_tokens",
    order=50,
    unit="tokens",
    formula="output ids that are neither thinking nor marker",
    source="DESIGN",
    of=column("answer_tokens"),
)
