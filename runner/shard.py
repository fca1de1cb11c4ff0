"""One shard of a point: a part of its samples, made beside the others by a process of its own."""

from __future__ import annotations

from dataclasses import replace

from rich.console import Console

from runner.config.naming import point_name
from runner.engines.source import EngineSource
from runner.errors import EXIT_FAILED, EXIT_INTERRUPTED
from runner.experiment import conclude, generate, whole_run
from runner.point import Point, pending
from runner.report.console import print_line
from runner.results.log import logging_to
from runner.results.run import load_run
from runner.results.store import GenerationStore, scan
from runner.tracking.factory import make_tracker
from runner.tracking.off import OffTracker
from runner.tracking.views import tracked_run


def run_shard(point: Point, source: EngineSource, command: str, console: Console, brief: str | None = None) -> int:
    """Generate what is missing of a shard; if nothing is missing of the whole run then, conclude that.

    Takes what :func:`runner.experiment.run_point` takes and raises what that raises.

    Returns:
        0 if every sample of the shard is there, 1 if some failed, 130 if it was interrupted.
    """
    assert point.shard is not None
    code = 0
    with GenerationStore(point.folder, point.shard) as store, logging_to(point.folder.shard(point.shard).log):
        missing = pending(point, frozenset(store.done_keys()))
        if missing.count:
            code = generate(missing, source, store, OffTracker(), command, console, brief)
        left = _left(point)
        print_line(
            console, f"shard {point.shard} of {point.folder.path.name}: {left or 'none'} of its samples are missing"
        )
        if code == EXIT_INTERRUPTED:
            return code
        if left:
            return EXIT_FAILED
        whole = replace(point, shard=None)
        if missing.count and not _left(whole):
            with whole_run(point):
                return max(code, _conclude(whole, console, brief))
        return code


def _left(point: Point) -> int:
    return pending(point, frozenset(scan(point.folder).done)).count


def _conclude(point: Point, console: Console, brief: str | None) -> int:
    """Grade, summarise and show the whole run, and send the tracker its copy."""
    tracker = make_tracker(point.settings.tracking)
    run = load_run(point.folder)
    code = EXIT_FAILED
    try:
        if run is not None:
            tracker.start(tracked_run(point_name(point.settings), point.settings.study, run, point.folder))
        code = conclude(point, tracker, console, brief)
    finally:
        tracker.finish(code)
    return code
