"""Points that share an engine: which ones belong together, and the engine while they run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from runner.config.settings import ApiSettings, ConcreteEngine, Settings, TransformersSettings, VllmSettings
from runner.engines.base import Engine
from runner.engines.factory import capabilities, make_engine
from runner.engines.source import EngineSource, ProblemOf
from runner.point import Point, prepare
from runner.results.layout import Shard
from runner.reuse import shared_text, text_size


@dataclass(frozen=True, slots=True)
class Pack:
    """Points that run on one loaded engine, one after the other.

    Points that differ in their budget alone stand together, the largest first: what the others ask for is then a
    beginning of a text that is there already.

    Attributes:
        points: In the order they run.
    """

    points: tuple[Point, ...]

    @property
    def gpus(self) -> int:
        """GPUs that the engine takes where there are some; 0 if it takes none or one that the user chose."""
        return gpus_of(self.points[0].engine)


def packs_of(points: Iterable[Point]) -> list[Pack]:
    """Group points by model, precision and engine settings, in the order in which each first appears.

    Points of one folder stay together even where engine settings differ that decide no text, such as a batch size:
    one run has one writer.
    """
    packs: dict[str, list[Point]] = {}
    engine_of: dict[Path, str] = {}
    for point in points:
        key = engine_of.setdefault(point.folder.path, _engine_key(point))
        packs.setdefault(key, []).append(point)
    return [Pack(tuple(_largest_budget_first(pack))) for pack in packs.values()]


def split(pack: Pack, size: int) -> list[Pack]:
    """Cut a pack into parts of at most ``size`` points.

    Points that differ in their budget alone stay together, and so do points of one folder, even where they are more.
    """
    parts: list[list[Point]] = []
    for group in _inseparable(pack.points):
        if not parts or len(parts[-1]) + len(group) > size:
            parts.append([])
        parts[-1] += group
    return [Pack(tuple(part)) for part in parts]


def shards_of(pack: Pack) -> list[Pack]:
    """Cut the points that ask for shards into a pack for each; the others stay together.

    Points that differ in their budget alone fall into the same shards, so that each shard finds its texts.
    """
    asked = shards_by_folder(pack.points)
    alike: dict[int, list[Point]] = {}
    for point in pack.points:
        alike.setdefault(asked[point.folder.path], []).append(point)
    return [
        Pack(tuple(replace(point, shard=Shard(count, index) if count > 1 else None) for point in points))
        for count, points in alike.items()
        for index in range(count)
    ]


def shards_by_folder(points: Iterable[Point]) -> dict[Path, int]:
    """Return into how many shards the samples of each run fall: the most that one of its points asks for."""
    asked: dict[Path, int] = {}
    for point in points:
        asked[point.folder.path] = max(asked.get(point.folder.path, 1), point.settings.shards)
    return asked


def described(points: Sequence[Point], command: str, brief: bool) -> dict[str, Any]:
    """Return what a process is told that runs these points of one pack, as plain values; see :func:`understood`."""
    shard = points[0].shard
    return {
        "command": command,
        "brief": brief,
        "points": [point.settings.model_dump(mode="json") for point in points],
        "shard": None if shard is None else [shard.count, shard.index],
    }


def understood(told: Mapping[str, Any]) -> list[Point]:
    """Return the points of a pack that another process described.

    Raises:
        UserError: a point can't be run here.
    """
    shard = None if told["shard"] is None else Shard(*told["shard"])
    return [replace(prepare(Settings.model_validate(plain)), shard=shard) for plain in told["points"]]


@contextmanager
def opened(pack: Pack) -> Iterator[EngineSource]:
    """Yield what lends the pack's engine; loads when first asked, and lets go of the engine at the end."""
    first = pack.points[0]

    def load(problem_of: ProblemOf) -> Engine:
        return make_engine(first.settings, first.engine, problem_of)

    with closing(EngineSource(load)) as source:
        yield source


def gpus_of(engine: ConcreteEngine) -> int:
    """Return the GPUs that an engine takes where there are some; 0 if it takes none or one that the user chose."""
    if isinstance(engine, VllmSettings):
        return engine.tensor_parallel_size * engine.pipeline_parallel_size
    if isinstance(engine, TransformersSettings) and engine.device is not None:
        return 0
    return 1 if capabilities(engine).local else 0


def _engine_key(point: Point) -> str:
    groups = (point.settings.model, point.settings.precision, point.engine)
    # A provider is either told how to draw or is not, for as long as it is asked.
    drawn = point.settings.sampling.source if isinstance(point.engine, ApiSettings) else ""
    return "\n".join((*(group.model_dump_json() for group in groups), drawn))


def _largest_budget_first(points: list[Point]) -> list[Point]:
    siblings: dict[str, list[Point]] = {}
    for point in points:
        siblings.setdefault(_siblings(point), []).append(point)
    return [point for same in siblings.values() for point in sorted(same, key=text_size, reverse=True)]


def _inseparable(points: Iterable[Point]) -> list[list[Point]]:
    """Group points that share a folder or their texts, in the order of their first."""
    groups: dict[str, list[Point]] = {}
    group_of: dict[Path, str] = {}
    for point in points:
        group = group_of.setdefault(point.folder.path, _siblings(point))
        groups.setdefault(group, []).append(point)
    return list(groups.values())


def _siblings(point: Point) -> str:
    """Return what is the same for the points that share their texts, and for no other two."""
    return shared_text(point) or point.settings.model_dump_json()
