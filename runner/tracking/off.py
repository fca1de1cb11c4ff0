"""No tracking: the null object that saves every caller an ``if``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from runner.tracking.base import Metric, TraceRow, TrackedRun


class OffTracker:
    """Does nothing; ``rows`` are not even read."""

    url: str | None = None

    def start(self, run: TrackedRun) -> None: ...

    def log_summary(self, metrics: Mapping[str, Metric]) -> None: ...

    def log_traces(self, rows: Iterable[TraceRow]) -> None: ...

    def finish(self, exit_code: int) -> None: ...
