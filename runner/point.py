"""A point of a study once it has passed all checks: its problems, its folder, and what is missing there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from bench.problem import Problem
from runner.config.fingerprint import generation_fingerprint
from runner.config.naming import point_name
from runner.config.preflight import preflight, unavailable
from runner.config.settings import ConcreteEngine, Settings
from runner.config.suite import Place, Suite
from runner.engines.factory import capabilities, resolve
from runner.errors import UserError
from runner.judging import check_judge
from runner.results.layout import RunFolder, Shard, run_folder
from runner.results.record import sample_key
from runner.results.run import load_run
from runner.results.store import scan
from runner.weights.quantize import obstacle

_FINGERPRINT_ENDING = 9  # a run folder's name ends in a dash and eight digits


@dataclass(frozen=True, slots=True)
class Point:
    """A point that has passed all checks; nothing is loaded yet.

    Attributes:
        settings: What is asked.
        engine: The engine that ``auto`` stands for here.
        suite: Its problems.
        fingerprint: Generation fingerprint.
        folder: Where its run lies.
        shard: The part of its samples that is meant, None for all.
    """

    settings: Settings
    engine: ConcreteEngine
    suite: Suite
    fingerprint: str
    folder: RunFolder
    shard: Shard | None = None


def prepare(settings: Settings, *, elsewhere: bool = False) -> Point:
    """Check a point and find its folder; loads and writes nothing.

    Args:
        settings: What is asked.
        elsewhere: Whether another machine will run it; what this one lacks is then no mistake.

    Raises:
        UserError: everything that is wrong, a line each.
    """
    engine = resolve(settings.engine)
    suite = Suite(settings.suite)  # makes a user's own tasks known
    preflight(settings, engine, capabilities(engine), elsewhere=elsewhere)
    if not settings.plan and not elsewhere and (why := obstacle(settings.model, settings.precision)):
        raise UserError(why)
    check_judge(settings, elsewhere=elsewhere)
    fingerprint = generation_fingerprint(settings, suite)
    return Point(settings, engine, suite, fingerprint, _folder(settings, fingerprint))


def _folder(settings: Settings, fingerprint: str) -> RunFolder:
    """Return the study's run with this fingerprint, however it was named, or where a new one goes."""
    new = run_folder(Path(settings.outputs), settings.study, point_name(settings), fingerprint)
    ending = new.path.name[-_FINGERPRINT_ENDING:]
    for folder in map(RunFolder, sorted(new.path.parent.glob(f"*{ending}"))):  # of a thousand runs, one is looked into
        if folder.run_json.is_file() and (run := load_run(folder)) and run.fingerprint == fingerprint:
            return folder
    return new


def obstacles(point: Point) -> Iterator[str]:
    """Yield why this machine can't run a point that another one may, a line each."""
    yield from unavailable(point.settings, point.engine)
    if why := obstacle(point.settings.model, point.settings.precision):
        yield why


@dataclass(frozen=True, slots=True)
class Pending:
    """The samples of a point that have no good record yet.

    Attributes:
        point: The point.
        done: Keys of the samples that have one.
        count: How many of the point's samples are missing, or of its shard's.
    """

    point: Point
    done: frozenset[str]
    count: int

    def places(self) -> Iterator[tuple[Problem, Place]]:
        """Yield what is missing, made as it is drawn. Problems fall to the shards in turn, with all their repeats."""
        shard, repeats = self.point.shard, self.point.settings.suite.repeats
        for number, (problem, place) in enumerate(self.point.suite.places()):
            mine = shard is None or number // repeats % shard.count == shard.index
            if mine and sample_key(problem.id, place.repeat) not in self.done:
                yield problem, place

    @property
    def already(self) -> int:
        """How many of the point's samples have one; 0 for a shard, which knows its missing ones alone."""
        return 0 if self.point.shard is not None else self.point.suite.size - self.count

    def counts(self, shards: int) -> Counter[Shard]:
        """Return how many of the point's samples are missing in each of so many shards."""
        repeats = self.point.settings.suite.repeats
        return Counter(
            Shard(shards, number // repeats % shards)
            for number, (problem, place) in enumerate(self.point.suite.places())
            if sample_key(problem.id, place.repeat) not in self.done
        )


def pending(point: Point, done: Collection[str] | None = None) -> Pending:
    """Find out what is missing of a point, or of its shard.

    Args:
        point: The point.
        done: Keys of the samples that have a good record; by default the folder is read.
    """
    done = frozenset(scan(point.folder).done if done is None else done)
    if point.shard is None:
        return Pending(point, done, point.suite.size - point.suite.count_done(done))
    missing = Pending(point, done, 0)
    return replace(missing, count=sum(1 for _ in missing.places()))
