"""A point's share in the texts of its study: what other points generated is cut or continued, not generated again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from runner.engines.base import Engine
from runner.engines.trajectory_cache import TrajectoryCache
from runner.engines.writing import LocalEngine
from runner.point import Point
from runner.results.trajectories import TrajectoryFile, trajectory_path


@contextmanager
def reusing(point: Point, make: Callable[[], Engine]) -> Iterator[Callable[[], Engine]]:
    """Yield a maker of the point's engine; it reuses texts unless ``budget.reuse=false``, or the engine has no ids.

    Args:
        point: The point. Texts are shared by all points of its study with the same loaded model.
        make: Makes the engine; called again after a death.

    Raises:
        StorageError: from the maker, the study's folder can't be written.
    """
    with ExitStack() as files:
        store: TrajectoryFile | None = None

        def made() -> Engine:
            nonlocal store
            engine = make()
            if not point.settings.budget.reuse or not isinstance(engine, LocalEngine):
                return engine
            if store is None:
                store = files.enter_context(TrajectoryFile(trajectory_path(point.folder.path.parent, engine.loaded)))
            return TrajectoryCache(engine, store, point.folder.path.name)

        yield made
