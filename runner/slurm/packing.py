"""Which points share a job, and what each job takes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from runner.config import machine
from runner.config.settings import AutoSettings
from runner.pack import gpus_of, packs_of, shards_by_folder, shards_of, split
from runner.point import Pending, Point
from runner.results.layout import Shard
from runner.slurm.settings import SlurmSettings

_Left = Mapping[tuple[Path, Shard | None], int]


@dataclass(frozen=True, slots=True)
class Work:
    """A task of an array.

    Attributes:
        points: What it runs; all of one shard, or of none.
        gpus: GPUs that it takes.
        samples: Samples that it generates.
    """

    points: tuple[Point, ...]
    gpus: int
    samples: int


def works_of(
    missing: Sequence[Pending], settings: SlurmSettings, busy: Collection[tuple[Path, Shard]] = ()
) -> list[Work]:
    """Pack the points that lack samples: those that share an engine, at most ``pack_size`` of them together.

    A point that asks for shards is a task for each shard that lacks samples and is not among the ``busy`` ones.
    """
    left = _left(missing, busy)
    packs = packs_of(one.point for one in missing)
    if settings.pack_size is not None:
        packs = [part for pack in packs for part in split(pack, settings.pack_size)]
    works = (_work(part.points, settings, left) for pack in packs for part in shards_of(pack))
    return [work for work in works if work.samples]


def arrays_of(works: Iterable[Work], largest: int) -> list[list[Work]]:
    """Group tasks into arrays: all of one take the same GPUs, and none has more than ``largest`` tasks."""
    alike: dict[int, list[Work]] = {}
    for work in works:
        alike.setdefault(work.gpus, []).append(work)
    return [same[start : start + largest] for same in alike.values() for start in range(0, len(same), largest)]


def _left(missing: Sequence[Pending], busy: Collection[tuple[Path, Shard]]) -> _Left:
    """Count what each run lacks, by shard where it has some."""
    left: dict[tuple[Path, Shard | None], int] = {}
    asked = shards_by_folder(one.point for one in missing)
    for one in missing:
        folder = one.point.folder.path
        whole = {None: one.count}
        for shard, count in whole.items() if asked[folder] == 1 else one.counts(asked[folder]).items():
            if (folder, shard) not in busy:
                left[folder, shard] = max(left.get((folder, shard), 0), count)
    return left


def _work(points: Sequence[Point], settings: SlurmSettings, left: _Left) -> Work:
    gpus = _gpus(points) if settings.gpus is None else settings.gpus
    kept = tuple(point for point in points if left.get((point.folder.path, point.shard), 0))
    return Work(kept, gpus, sum(left[each] for each in {(point.folder.path, point.shard) for point in kept}))


def _gpus(points: Sequence[Point]) -> int:
    """Return the GPUs that an engine takes on a node that has some; ``auto`` means vLLM there if it is installed."""
    asked = points[0].settings.engine
    if isinstance(asked, AutoSettings) and machine.has_package("vllm"):
        return gpus_of(asked.vllm)
    return gpus_of(points[0].engine)
