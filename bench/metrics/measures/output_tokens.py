"""All ids that the model produced, end token included; forced ids are in no count."""

from __future__ import annotations

from bench.metrics.measure import Measure, column

MEASURE = Measure(
    name="output_tokens",
    order=30,
    unit="tokens",
    formula="all ids that the model produced, end token included; forced ids are in no count",
    source="DESIGN",
    of=column("output_tokens"),
)
