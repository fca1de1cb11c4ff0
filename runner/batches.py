"""A point whose samples are asked as batches: its engine, with the journal in the run's folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager

from runner.config.settings import ApiSettings
from runner.engines.base import Engine
from runner.engines.batch import BatchEngine
from runner.engines.transport import BatchingEngine
from runner.errors import UserError
from runner.point import Point
from runner.results.batch_journal import BatchJournal
from runner.results.layout import RunFolder
from runner.results.run import load_run


@contextmanager
def batching(point: Point, make: Callable[[], Engine]) -> Iterator[Callable[[], Engine]]:
    """Yield a maker of the point's engine; it asks by batches where ``engine.batch=true``.

    Raises:
        StorageError: the journal can't be written.
        UserError: the journal, or ``run.json``, can't be read; or samples lie in a batch that nobody would collect.
    """
    if not isinstance(point.engine, ApiSettings) or not point.engine.batch:
        _refuse_open(point.folder)
        yield make
        return
    before = _was_batched(point.folder)
    with closing(BatchJournal(point.folder.batches)) as journal:
        lost = before and journal.is_blank()

        def made() -> Engine:
            engine = make()
            assert isinstance(engine, BatchingEngine)
            return BatchEngine(engine, journal, lambda: _mark(point.folder), lost=lost)

        yield made


def _refuse_open(folder: RunFolder) -> None:
    if not folder.batches.exists():
        return
    with closing(BatchJournal(folder.batches)) as journal:
        if count := len(journal.open_batches()):
            raise UserError(
                f"engine.batch=false: {folder.batches} has {count} open, whose samples would be paid twice; "
                "collect them with engine.batch=true, or close them there (docs/api.md)"
            )


def _was_batched(folder: RunFolder) -> bool:
    """Whether the latest attempt on a run asked by batches."""
    run = load_run(folder)
    engine = None if run is None else run.settings.get("engine")
    return isinstance(engine, Mapping) and engine.get("batch") is True


def _mark(folder: RunFolder) -> str:
    """Return what tells the run's batches from all others of the same account."""
    run = load_run(folder)
    assert run is not None  # a run is open before its engine is asked for anything
    return run.nonce
