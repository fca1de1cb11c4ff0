"""A point's share in the texts of its study: what other points generated is cut or continued, not generated again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from math import inf

from runner.engines.base import Engine
from runner.engines.factory import capabilities
from runner.engines.trajectory_cache import TrajectoryCache
from runner.engines.writing import LocalEngine
from runner.point import Point
from runner.results.trajectories import TrajectoryFile, further_trajectories, trajectory_path


def shared_text(point: Point) -> str | None:
    """Return what is the same for all points that cut or continue one text a sample with this one; None if none does.

    They differ in their budgets alone, of whatever kind: all begin as the model writes without any.
    """
    shares = point.settings.budget.reuse and capabilities(point.engine).token_ids
    return point.settings.model_dump_json(exclude={"budget"}) if shares else None


def text_size(point: Point) -> float:
    """Return how many tokens of the shared text a point asks for: its cap, infinite without one."""
    tokens = point.settings.budget.tokens
    return inf if tokens is None else tokens


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
                path = trajectory_path(point.folder.path.parent, engine.loaded, point.shard)
                store = files.enter_context(TrajectoryFile(path, further_trajectories(path)))
            return TrajectoryCache(engine, store, point.folder.path.name)

        yield made
