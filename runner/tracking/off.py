"""No tracking: the null object that saves every caller an ``if``."""

from __future__ import annotations

from collections.abc import Mapping

from runner.tracking.base import Metric, TraceSource, TrackedRun


class OffTracker:
    """Does nothing; traces are not even asked for."""

    url: str | None = None

    def start(self, run: TrackedRun) -> None: ...

    def log_summary(self, metrics: Mapping[str, Metric]) -> None: ...

    def log_traces(self, traces: TraceSource) -> None: ...

    def finish(self, exit_code: int) -> None: ...
