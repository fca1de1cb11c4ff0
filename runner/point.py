"""A point of a study once it has passed all checks: its problems, its folder, and what is missing there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.problem import Problem
from runner.config.fingerprint import generation_fingerprint
from runner.config.naming import point_name
from runner.config.preflight import preflight
from runner.config.settings import ConcreteEngine, Settings
from runner.config.suite import Place, Suite
from runner.engines.factory import capabilities, resolve
from runner.results.layout import RunFolder, run_folder


@dataclass(frozen=True, slots=True)
class Point:
    """A point that has passed all checks; nothing is loaded yet.

    Attributes:
        settings: What is asked.
        engine: The engine that ``auto`` stands for here.
        suite: Its problems.
        fingerprint: Generation fingerprint.
        folder: Where its run lies.
    """

    settings: Settings
    engine: ConcreteEngine
    suite: Suite
    fingerprint: str
    folder: RunFolder


def prepare(settings: Settings) -> Point:
    """Check a point and find its folder; loads and writes nothing.

    Raises:
        UserError: everything that is wrong, a line each.
    """
    engine = resolve(settings.engine)
    preflight(settings, engine, capabilities(engine))
    suite = Suite(settings.suite)
    fingerprint = generation_fingerprint(settings, suite)
    folder = run_folder(Path(settings.outputs), settings.study, point_name(settings), fingerprint)
    return Point(settings, engine, suite, fingerprint, folder)


@dataclass(frozen=True, slots=True)
class Pending:
    """The samples of a point that have no good record yet.

    Attributes:
        point: The point.
        done: Keys of the samples that have one.
        count: How many of the point's samples are missing.
    """

    point: Point
    done: frozenset[str]
    count: int

    def places(self) -> Iterator[tuple[Problem, Place]]:
        """Yield what is missing, made as it is drawn."""
        for problem, place in self.point.suite.places():
            if f"{problem.id}/{place.repeat}" not in self.done:
                yield problem, place


def pending(point: Point, done: frozenset[str]) -> Pending:
    """Find out what is missing of a point."""
    everything = Pending(point, done, 0)
    count = point.suite.size if not done else sum(1 for _ in everything.places())
    return Pending(point, done, count)
