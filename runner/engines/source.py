"""The one engine that the points of a pack share: loaded when it is first asked for, lent to one point at a time."""

from __future__ import annotations

from collections.abc import Callable

from bench.problem import Problem
from runner.engines.base import Engine, EngineDied, EngineStopped
from runner.engines.transport import BatchingEngine
from runner.engines.writing import LocalEngine
from runner.errors import UserError
from runner.sampling.generation import Generation
from runner.sampling.request import Request

ProblemOf = Callable[[str], Problem]


class EngineSource:
    """Loads an engine once and lends it to point after point; loads it again only if it died or was left with work.

    Args:
        load: Loads the engine. It is given a function that returns the problem with an id, of the point that the
            engine is lent to at that time.

    Attributes:
        loads: How often the engine was loaded.
    """

    def __init__(self, load: Callable[[ProblemOf], Engine]) -> None:
        self._load = load
        self._engine: Engine | None = None
        self._problem_of: ProblemOf | None = None
        self._refusal: UserError | EngineDied | EngineStopped | None = None
        self.loads = 0

    @property
    def ready(self) -> bool:
        """Whether the engine is loaded."""
        return self._engine is not None

    def lend(self, problem_of: ProblemOf) -> Engine:
        """Return the engine for one point, which closes what it was lent when it is done.

        Raises:
            UserError: the engine can't be had here; found out once, then said to every point.
            EngineDied: it died before, and can't be built again in this process.
            EngineStopped: it ended a run before, for a reason that holds for all.
        """
        self._problem_of = problem_of
        if self._refusal is not None:
            raise self._refusal
        if self._engine is None:
            self._engine = self._loaded()
        return _Lent(self._engine, self._take_back)

    def close(self) -> None:
        """Release the engine; idempotent."""
        engine, self._engine = self._engine, None
        if engine is not None:
            engine.close()

    def _loaded(self) -> Engine:
        self.loads += 1
        try:
            return self._load(self._problem)
        except UserError as refusal:
            self._refusal = refusal
            raise

    def _problem(self, problem_id: str) -> Problem:
        assert self._problem_of is not None
        return self._problem_of(problem_id)

    def _take_back(self, death: EngineDied | EngineStopped | None, busy: bool) -> None:
        """Take an engine back; one with work in flight is not lent again, as its keys may come back in other points."""
        if isinstance(death, EngineStopped):
            self._refusal = death if death.lasting else None
        elif death is not None and not death.restartable:
            self._refusal = death
        if death is not None or busy:
            self.close()


class _Lent:
    """An engine in the hands of one point: closing it gives it back."""

    def __init__(self, engine: Engine, take_back: Callable[[EngineDied | EngineStopped | None, bool], None]) -> None:
        self._engine = engine
        self._take_back = take_back
        self._death: EngineDied | EngineStopped | None = None
        self._closed = False
        self.capabilities = engine.capabilities
        self.loaded = engine.loaded
        self.default_sampling = engine.default_sampling
        self.window = engine.window
        if isinstance(engine, LocalEngine):
            self.writer = engine.writer
        if isinstance(engine, BatchingEngine):
            self.provider, self.call, self.fault_of = engine.provider, engine.call, engine.fault_of

    @property
    def in_flight(self) -> int:
        return self._engine.in_flight

    def submit(self, request: Request) -> None:
        try:
            self._engine.submit(request)
        except EngineDied as death:
            self._death = death
            raise

    def poll(self, timeout_s: float) -> list[Generation]:
        try:
            return self._engine.poll(timeout_s)
        except (EngineDied, EngineStopped) as death:
            self._death = death
            raise

    def cancel(self, key: str) -> None:
        self._engine.cancel(key)

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._take_back(self._death, self._engine.in_flight > 0)
