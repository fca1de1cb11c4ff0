"""Points that share an engine: which ones belong together, and the engine while they run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from math import inf
from pathlib import Path

from runner.config.settings import ConcreteEngine, TransformersSettings, VllmSettings
from runner.engines.base import Engine
from runner.engines.factory import capabilities, make_engine
from runner.engines.source import EngineSource, ProblemOf
from runner.point import Point


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
    return "\n".join(group.model_dump_json() for group in groups)


def _largest_budget_first(points: list[Point]) -> list[Point]:
    siblings: dict[str, list[Point]] = {}
    for point in points:
        siblings.setdefault(_but_for_tokens(point), []).append(point)
    return [point for same in siblings.values() for point in sorted(same, key=_tokens, reverse=True)]


def _inseparable(points: Iterable[Point]) -> list[list[Point]]:
    """Group points that share a folder or their texts, in the order of their first."""
    groups: dict[str, list[Point]] = {}
    group_of: dict[Path, str] = {}
    for point in points:
        group = group_of.setdefault(point.folder.path, _but_for_tokens(point))
        groups.setdefault(group, []).append(point)
    return list(groups.values())


def _but_for_tokens(point: Point) -> str:
    return point.settings.model_dump_json(exclude={"budget": {"tokens"}})


def _tokens(point: Point) -> float:
    tokens = point.settings.budget.tokens
    return inf if tokens is None else tokens
