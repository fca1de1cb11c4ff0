"""Ids strictly between the thinking markers."""

from __future__ import annotations

from bench.metrics.measure import Measure, column

MEASURE = Measure(
    name="thinking_tokens",
    order=40,
    unit="tokens",
    formula="ids strictly between the thinking markers",
    source="DESIGN",
    of=column("thinking_tokens"),
)
