"""The one loop that moves samples through an engine and a tool pool until each has its record."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

from runner.engines.base import Engine, EngineDied, EngineStopped
from runner.results.record import Record
from runner.sampling.generation import Boundary, Failure, Generation
from runner.sampling.request import Request
from runner.sampling.sample import CallTool, Event, Finish, Generate, Sample, Started
from runner.tools.pool import ToolPool
from runner.tools.protocol import ToolResult

# How long one wait may last, in seconds. Short while engine and tools are both at work, since only one
# of them can be waited for; it bounds how late a tool's result or a request to stop is noticed.
_ALONE_S = 0.5
_TOGETHER_S = 0.005


class StopFlag(Protocol):
    """Something that may be set from a signal handler; ``threading.Event`` is one."""

    def is_set(self) -> bool:
        """Whether the loop should end early."""
        ...


class Driver:
    """Draws samples lazily, keeps the engine's window full and yields records as they finish.

    A dead engine is built again at most ``max_restarts`` times, and what was in flight is asked again. What was in
    flight at two deaths goes through the fresh engine one at a time, so that a request that kills the engine is
    found out: if it dies of that too, the request becomes an error record, and its neighbours lose nothing.

    Args:
        make_engine: Builds an engine; called again after a death.
        tools: Where tool calls run; the caller closes it.
        max_restarts: Deaths survived; one more ends the run with :class:`EngineDied`.
    """

    def __init__(self, make_engine: Callable[[], Engine], tools: ToolPool, max_restarts: int) -> None:
        self._make_engine = make_engine
        self._engine = make_engine()
        self._tools = tools
        self._restarts_left = max_restarts
        self._requests: dict[str, tuple[Sample, Request]] = {}  # in the engine
        self._calls: dict[str, Sample] = {}  # in the tool pool
        self._ready: deque[tuple[Sample, Request]] = deque()  # follow-ups and resubmissions
        self._deaths: Counter[str] = Counter()  # at which a request was in flight
        self._suspects: deque[tuple[Sample, Request]] = deque()  # were in flight at two deaths
        self._trial: str | None = None  # key of the suspect that runs alone now
        self._finished: list[Record] = []
        self._sessions: set[str] = set()  # keys of unfinished samples that have called a tool

    @property
    def engine(self) -> Engine:
        """The engine in use; another one after a death."""
        return self._engine

    def run(self, samples: Iterable[Sample], stop: StopFlag) -> Iterator[Record]:
        """Yield the record of every sample, in the order they finish.

        Once ``stop`` is set nothing new starts, what is in flight is cancelled, and the iterator ends.

        Raises:
            EngineDied: more deaths than ``max_restarts``.
            EngineStopped: the engine ends the run; what finished was yielded before.
        """
        source = iter(samples)
        while not stop.is_set():
            try:
                self._fill(source)
                if self._idle:
                    yield from self._take_finished()
                    return
                self._wait()
            except EngineDied as death:
                self._bury(death)
                yield from self._take_finished()
                if stop.is_set():  # what ended us may have ended the engine too
                    break
                self._revive(death)
            except EngineStopped:
                yield from self._take_finished()
                self._cancel_all()
                raise
            yield from self._take_finished()
        self._cancel_all()

    def close(self) -> None:
        """Release the engine."""
        self._engine.close()

    @property
    def _idle(self) -> bool:
        return not (self._requests or self._calls or self._ready or self._suspects or self._finished)

    def _fill(self, source: Iterator[Sample]) -> None:
        if self._trial is not None:
            return
        if self._suspects and not self._requests:
            sample, request = self._suspects.popleft()
            self._trial = request.key
            self._submit(sample, request)
            return
        window = self._engine.window
        while not self._suspects and self._engine.in_flight < window and len(self._finished) < window:
            if self._ready:
                self._submit(*self._ready.popleft())
            elif len(self._requests) + len(self._calls) >= window:
                return  # samples whose tools run keep their place, or memory would grow with slow tools
            else:
                drawn = next(source, None)
                if drawn is None:
                    return
                self._advance(drawn, Started())

    def _submit(self, sample: Sample, request: Request) -> None:
        if request.key in self._requests:
            raise ValueError(f"two requests in flight have the key {request.key}")
        self._requests[request.key] = (sample, request)
        self._engine.submit(request)

    def _wait(self) -> None:
        both = bool(self._requests and self._calls)
        if self._calls:
            for result in self._tools.poll(0.0 if self._requests else _ALONE_S):
                self._on_result(result)
        if self._requests:
            for generation in self._engine.poll(_TOGETHER_S if both else _ALONE_S):
                self._on_generation(generation)

    def _on_result(self, result: ToolResult) -> None:
        self._advance(self._calls.pop(result.key), result)

    def _on_generation(self, generation: Generation) -> None:
        if generation.key == self._trial:
            self._trial = None
        sample, _ = self._requests.pop(generation.key)
        self._advance(sample, generation)

    def _advance(self, sample: Sample, event: Event) -> None:
        try:
            action = sample.advance(event)
        except Exception as error:  # one sample's fault must not cost the others
            failure = Failure(Boundary.SAMPLE, type(error).__name__, str(error))
            self._finish(sample, sample.fail(failure))
            return
        match action:
            case Generate(request):
                self._ready.append((sample, request))
            case CallTool(call):
                self._calls[call.key] = sample
                self._sessions.add(sample.key)
                self._tools.submit(call)
            case Finish(record):
                self._finish(sample, record)

    def _finish(self, sample: Sample, record: Record) -> None:
        self._finished.append(record)
        if sample.key in self._sessions:
            self._sessions.remove(sample.key)
            self._tools.release(sample.key)

    def _take_finished(self) -> list[Record]:
        finished, self._finished = self._finished, []
        return finished

    def _bury(self, death: EngineDied) -> None:
        """Close the dead engine; a suspect that ran alone is guilty, the rest is asked again."""
        if self._trial is not None:
            sample, _ = self._requests.pop(self._trial)
            self._trial = None
            reason = Failure(Boundary.ENGINE, "engine_died", f"the engine died of it: {death}")
            self._finish(sample, sample.fail(reason))
        for key, asked in self._requests.items():
            self._deaths[key] += 1
            (self._suspects if self._deaths[key] > 1 else self._ready).append(asked)
        self._requests.clear()
        self._engine.close()

    def _revive(self, death: EngineDied) -> None:
        if self._restarts_left == 0 or not death.restartable:
            raise death
        self._restarts_left -= 1
        self._engine = self._make_engine()

    def _cancel_all(self) -> None:
        for key in self._requests:
            self._engine.cancel(key)
        self._requests.clear()
