"""A point whose samples are asked as batches: its engine, with the journal in the run's folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

from runner.config.settings import ApiSettings
from runner.engines.base import Engine
from runner.engines.batch import BatchEngine
from runner.engines.transport import BatchingEngine
from runner.point import Point
from runner.results.batch_journal import BatchJournal


@contextmanager
def batching(point: Point, make: Callable[[], Engine]) -> Iterator[Callable[[], Engine]]:
    """Yield a maker of the point's engine; it asks by batches where ``engine.batch=true``.

    Raises:
        StorageError: the journal can't be written.
        UserError: the journal can't be read.
    """
    if not isinstance(point.engine, ApiSettings) or not point.engine.batch:
        yield make
        return
    with closing(BatchJournal(point.folder.batches)) as journal:

        def made() -> Engine:
            engine = make()
            assert isinstance(engine, BatchingEngine)
            return BatchEngine(engine, journal)

        yield made
