"""A judge that works while texts are generated, on a thread and an engine of its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import Protocol

from runner.asking import Ask, Interview, interviewing
from runner.config.settings import Settings
from runner.judge_cases import Case, answer_case
from runner.judging import Docket, docket, judge_of, take_office
from runner.results.layout import RunFolder
from runner.results.record import Record
from runner.sampling.driver import StopFlag


class Beside(Protocol):
    """What is told of every stored sample while others are generated."""

    def take(self, record: Record) -> None:
        """Have the answer judged, if a judge has to decide on it; never waits."""
        ...

    def finish(self) -> str | None:
        """Wait for the judge; return what became of the answers in one line, None where there was no judge."""
        ...


class Nobody:
    """No judge works beside the generation."""

    def take(self, record: Record) -> None:
        """Do nothing."""

    def finish(self) -> None:
        """Wait for nothing."""


class JudgeBeside:
    """A judge on a thread of its own, with an engine of its own.

    Args:
        file: The run's docket.
        interview: Asks the judge; only the thread uses it from now on.
        family: The model's family whose answers are judged.
        stop: Ends it early.
    """

    def __init__(self, file: Docket, interview: Interview, family: str | None, stop: StopFlag) -> None:
        self._file = file
        self._interview = interview
        self._family = family
        self._stop = stop
        self._closed = Event()
        self._queue: SimpleQueue[Case | None] = SimpleQueue()
        self._trouble: Exception | None = None
        self._thread = Thread(target=self._work, name="judge", daemon=True)
        self._thread.start()

    def take(self, record: Record) -> None:
        """Put the answer into the queue."""
        if (case := answer_case(record, self._family)) is not None:
            self._queue.put(case)

    def finish(self) -> str:
        """Wait until all is judged.

        Raises:
            EngineDied: the judge's engine died too often; what was judged is kept.
            StorageError: the judgements can't be written.
        """
        self._queue.put(None)
        self._thread.join()
        if self._trouble is not None:
            raise self._trouble
        return self._file.said()

    def close(self) -> None:
        """End the thread without waiting for what is in flight."""
        self._closed.set()
        self._queue.put(None)
        self._thread.join()

    def is_set(self) -> bool:
        """Whether the thread should end early."""
        return self._closed.is_set() or self._stop.is_set()

    def _work(self) -> None:
        arriving = _Arriving(self._queue, self._file)
        try:
            while arriving.wait() and not self.is_set():
                for ask, record in self._interview.run(arriving, self):
                    self._file.take(ask, record)
        except Exception as trouble:  # raised where it is waited for
            self._trouble = trouble


class _Arriving(Iterator[Ask]):
    """What the queue holds now; it may hold more later."""

    def __init__(self, queue: SimpleQueue[Case | None], file: Docket) -> None:
        self._queue = queue
        self._file = file
        self._next: Case | None = None
        self._ended = False

    def wait(self) -> bool:
        """Wait until there is something, and return whether there is."""
        if not self._ended:
            self._next = self._queue.get()
            self._ended = self._next is None
        return not self._ended

    def __next__(self) -> Ask:
        while not self._ended:
            one, self._next = self._next, None
            try:
                one = one or self._queue.get_nowait()
            except Empty:
                raise StopIteration from None
            if one is None:
                self._ended = True
            elif (ask := self._file.ask(one)) is not None:
                return ask
        raise StopIteration


@contextmanager
def judging_beside(folder: RunFolder, settings: Settings, stop: StopFlag, needed: bool) -> Iterator[Beside]:
    """Yield a judge that works while texts are generated, or nobody.

    Args:
        folder: The run's folder, whose lock the caller holds.
        settings: The run's.
        stop: Ends it early.
        needed: Whether the run has problems that only a judge can decide.

    Raises:
        UserError: the judge can't be had here.
    """
    judge = judge_of(settings)
    if judge is None or judge.stage != "beside" or not needed:
        yield Nobody()
        return
    take_office(folder, judge)
    with docket(folder, judge) as file, interviewing(judge.settings, judge.engine) as interview:
        beside = JudgeBeside(file, interview, settings.model.family, stop)
        try:
            yield beside
        finally:
            beside.close()
