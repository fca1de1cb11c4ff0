"""Runs the points of a study: packs on one engine each, here or spread over GPUs, then the study's table."""

from __future__ import annotations

import os
import shlex
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import count
from pathlib import Path

from rich.console import Console

from runner.config import machine
from runner.config.naming import point_name
from runner.config.suite import lasting
from runner.engines.base import EngineDied, EngineStopped
from runner.engines.source import EngineSource
from runner.errors import EXIT_FAILED, EXIT_INTERRUPTED, EXIT_USAGE, StorageError, UserError
from runner.experiment import judge_and_conclude, run_point
from runner.judging import judge_of
from runner.pack import Pack, opened, packs_of, shards_of
from runner.plan import Plan, paid_once, show_plan, show_plans
from runner.point import Point, obstacles, pending
from runner.report.console import make_console, print_line
from runner.report.study import Row, show_study
from runner.results.asked import Asked, note_asked
from runner.results.store import scan
from runner.shard import run_shard
from runner.spending import planned

Do = Callable[[Point, EngineSource, str, Console, str | None], int]

_TABLES = 3  # a study of more points has a line for each that ends, and the table of all


def run_alone(point: Point, command: str, console: Console) -> int:
    """Plan or run one point; return the exit code."""
    if point.settings.plan:
        show_plan(plan_of(point), point.settings, obstacles(point), console)
        return 0
    try:
        note_asked(point.folder.path.parent, [_asked(point, command)], command, alone=True)
    except StorageError as error:
        return complain(str(error), EXIT_FAILED)
    code = _run_here_or_spread(packs_of([point]), command, console, brief=False)
    return _ended(code, command, console)


def run_sweep(points: Sequence[Point], command: str, console: Console) -> int:
    """Plan or run the points of a study, which have passed all checks; show its table at the end.

    A point that fails costs the others nothing. After an interruption nothing more starts.

    Args:
        points: What is asked, each point once.
        command: What the user typed; typing it again goes on.
        console: Where progress and tables go.

    Returns:
        0 if every sample of every point is there, 1 if some are missing, 2 if a point could not be run here,
        75 if a batch is under way, 130 if it was interrupted.
    """
    code = note_sweep(points, command, console)
    if code is not None:
        return code
    brief = len(points) > _TABLES
    code = _run_here_or_spread(packs_of(points), command, console, brief)
    show_results(points, console)
    if brief:
        study = shlex.quote(str(points[0].folder.path.parent))
        print_line(console, f"the whole table of a run: python -m runner show {study} PART-OF-ITS-NAME")
    return _ended(code, command, console)


def note_sweep(points: Sequence[Point], command: str, console: Console) -> int | None:
    """Show the plan of a sweep if that is all that is wanted, else note what it asks for.

    Returns:
        An exit code if nothing is to be done.
    """
    if any(point.settings.plan for point in points):
        plans = paid_once([plan_of(point) for point in points], points)
        show_plans([(plan, point.settings) for plan, point in zip(plans, points, strict=True)], console)
        return 0
    try:
        for study, asked in studies_of(points).items():
            note_asked(study, [_asked(point, command) for point in asked], command)
    except StorageError as error:
        return complain(str(error), EXIT_FAILED)
    return None


def show_results(points: Iterable[Point], console: Console) -> None:
    """Show the table of each study, with how far the points are."""
    for study, asked in studies_of(points).items():
        show_study(study, asked[0].settings.scoring, console, [_row(point) for point in asked])


def run_packs(packs: Sequence[Pack], command: str, console: Console, brief: bool = False) -> int:
    """Run packs one after the other in this process; return the largest exit code of their points.

    Args:
        packs: What is asked.
        command: What the user typed.
        console: Where progress and tables go.
        brief: Whether a point that ends has a line instead of a table.
    """
    code, numbers, total = 0, count(1), sum(len(pack.points) for pack in packs)
    try:
        for pack in packs:
            labelled = [(point, f"point {next(numbers)} of {total}") for point in pack.points]
            with opened(pack) as source:
                for point, label in labelled:
                    if total > 1 and not brief:
                        print_line(console, f"{label}: {point_name(point.settings)}")
                    code = max(code, _run_guarded(point, source, command, console, label if brief else None))
                    if code == EXIT_INTERRUPTED:
                        return code
            for point, label in labelled:
                code = max(code, _run_guarded(point, source, command, console, label if brief else None, _judge))
                if code == EXIT_INTERRUPTED:
                    return code
    except KeyboardInterrupt:
        code = _broken_off()
    return code


def complain(message: str, code: int) -> int:
    """Print a message on standard error; return the code."""
    print_line(make_console(errors=True), message)
    return code


def plan_of(point: Point) -> Plan:
    """Return what the point would cost."""
    return planned(point, pending(point).count)


def _run_here_or_spread(packs: Sequence[Pack], command: str, console: Console, brief: bool) -> int:
    gpus = machine.visible_gpus()
    in_job = "SLURM_JOB_ID" in os.environ  # the job's GPUs are those of the one pack that it was given
    parts = [part for pack in packs for part in shards_of(pack)]
    if in_job or len(gpus) < 2 or len(parts) < 2 or not all(pack.gpus for pack in packs):
        return run_packs(packs, command, console, brief)
    from runner.spread import spread

    return spread(parts, gpus, command, console, brief)


def _run(point: Point, source: EngineSource, command: str, console: Console, brief: str | None) -> int:
    run = run_point if point.shard is None else run_shard
    return run(point, source, command, console, brief)


def _judge(point: Point, source: EngineSource, command: str, console: Console, brief: str | None) -> int:
    """Have answers judged that waited for the pack's engine to be closed; shards were judged with their run."""
    judge = None if point.shard is not None else judge_of(point.settings)
    waits = judge is not None and judge.stage == "after" and point.folder.run_json.is_file()
    return judge_and_conclude(point, console, brief) if waits else 0


def _run_guarded(
    point: Point, source: EngineSource, command: str, console: Console, brief: str | None, do: Do = _run
) -> int:
    """Run one point; every trouble is a message and an exit code, so that it costs the other points nothing."""
    which = "" if brief is None else f"{brief}, {point.folder.path.name}: "
    try:
        return do(point, source, command, console, brief)
    except UserError as error:
        return complain(f"{which}{error}", EXIT_USAGE)
    except (StorageError, EngineDied, EngineStopped) as error:
        return complain(f"{which}{error}", EXIT_FAILED)
    except KeyboardInterrupt:
        return _broken_off()
    except Exception:  # a fault of ours
        traceback.print_exc()
        return EXIT_FAILED


def _broken_off() -> int:
    return complain("broken off; what was generated is kept, the same command goes on", EXIT_INTERRUPTED)


def _ended(code: int, command: str, console: Console) -> int:
    if code:
        print_line(console, f"to go on: {command}")
    return code


def studies_of(points: Iterable[Point]) -> Mapping[Path, list[Point]]:
    """Return the points of each study, by its folder."""
    studies: dict[Path, list[Point]] = {}
    for point in points:
        studies.setdefault(point.folder.path.parent, []).append(point)
    return studies


def _asked(point: Point, command: str) -> Asked:
    suite = lasting(point.settings.suite).model_dump(mode="json")
    return Asked(point.folder, point.suite.size, suite, command)


def _row(point: Point) -> Row:
    return Row(point.folder, point.settings.model_dump(mode="json"), point.engine.name, _state(point))


def _state(point: Point) -> str:
    """Return how far a point is by its files: ``failed`` where all that is left failed, else ``part``."""
    try:
        found = scan(point.folder)
        done, failed = (point.suite.count_done(keys) for keys in (found.done, found.failed))
    except UserError:
        return "unreadable"
    if done >= point.suite.size:
        return "done"
    if not point.folder.run_json.is_file():
        return "not begun"
    return f"{'failed' if done + failed >= point.suite.size else 'part'} {done}/{point.suite.size}"
