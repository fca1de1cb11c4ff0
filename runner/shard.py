"""One shard of a point: a part of its samples, made beside the others by a process of its own."""

from __future__ import annotations

from dataclasses import replace

from rich.console import Console

from runner.engines.source import EngineSource
from runner.errors import EXIT_FAILED, EXIT_INTERRUPTED
from runner.experiment import conclude_tracked, generate, judged, whole_run
from runner.point import Point, pending
from runner.report.console import print_line
from runner.results.log import logging_to
from runner.results.store import GenerationStore
from runner.tracking.off import OffTracker


def run_shard(point: Point, source: EngineSource, command: str, console: Console, brief: str | None = None) -> int:
    """Generate what is missing of a shard; if nothing is missing of the whole run then, conclude that.

    Takes what :func:`runner.experiment.run_point` takes and raises what that raises.

    Returns:
        0 if every sample of the shard is there, 1 if some failed, 130 if it was interrupted.
    """
    assert point.shard is not None
    code = 0
    with GenerationStore(point.folder, point.shard) as store, logging_to(point.folder.shard(point.shard).log):
        missing = pending(point, store.done_keys())
        if missing.count:
            code = generate(missing, source, store, OffTracker(), command, console, brief)
        left = pending(point).count
        print_line(
            console, f"shard {point.shard} of {point.folder.path.name}: {left or 'none'} of its samples are missing"
        )
        if code == EXIT_INTERRUPTED:
            return code
        if left:
            return EXIT_FAILED
        whole = replace(point, shard=None)
        if not pending(whole).count and not _concluded(whole):
            with whole_run(point):
                return max(code, _judged(whole, source, console), conclude_tracked(whole, console, brief))
        return code


def _concluded(point: Point) -> bool:
    """Return whether the run's summary is younger than all its texts: whoever wrote the last of them may have died."""
    try:
        written = point.folder.summary.stat().st_mtime_ns
        return all(
            part.generations.stat().st_mtime_ns <= written
            for part in point.folder.parts()
            if part.generations.is_file()
        )
    except FileNotFoundError:
        return False


def _judged(point: Point, source: EngineSource, console: Console) -> int:
    """Give the run's judge its turn; one that takes the engine's device gets it now, since this process is done."""
    code = judged(point, source, console)
    if code is None:
        source.close()
        code = judged(point, source, console)
    return code or 0
