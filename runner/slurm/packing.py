"""Which points share a job, and what each job takes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from runner.config import machine
from runner.config.settings import AutoSettings
from runner.pack import Pack, gpus_of, packs_of, split
from runner.point import Pending, Point
from runner.slurm.settings import SlurmSettings


@dataclass(frozen=True, slots=True)
class Work:
    """A task of an array.

    Attributes:
        points: What it runs.
        gpus: GPUs that it takes.
        samples: Samples that it generates.
    """

    points: tuple[Point, ...]
    gpus: int
    samples: int


def works_of(missing: Sequence[Pending], settings: SlurmSettings) -> list[Work]:
    """Pack the points that lack samples: those that share an engine, at most ``pack_size`` of them together."""
    left: dict[Path, int] = {}
    for one in missing:
        folder = one.point.folder.path
        left[folder] = max(left.get(folder, 0), one.count)
    packs = packs_of(one.point for one in missing)
    if settings.pack_size is not None:
        packs = [part for pack in packs for part in split(pack, settings.pack_size)]
    return [_work(pack, settings, left) for pack in packs]


def arrays_of(works: Iterable[Work], largest: int) -> list[list[Work]]:
    """Group tasks into arrays: all of one take the same GPUs, and none has more than ``largest`` tasks."""
    alike: dict[int, list[Work]] = {}
    for work in works:
        alike.setdefault(work.gpus, []).append(work)
    return [same[start : start + largest] for same in alike.values() for start in range(0, len(same), largest)]


def _work(pack: Pack, settings: SlurmSettings, left: Mapping[Path, int]) -> Work:
    gpus = _gpus(pack.points) if settings.gpus is None else settings.gpus
    return Work(pack.points, gpus, sum(left[folder] for folder in {point.folder.path for point in pack.points}))


def _gpus(points: Sequence[Point]) -> int:
    """Return the GPUs that an engine takes on a node that has some; ``auto`` means vLLM there if it is installed."""
    asked = points[0].settings.engine
    if isinstance(asked, AutoSettings) and machine.has_package("vllm"):
        return gpus_of(asked.vllm)
    return gpus_of(points[0].engine)
