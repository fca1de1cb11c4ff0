"""What all engines behind an API have in common: calls in a thread of their own, repeated and bounded."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Coroutine
from dataclasses import dataclass, replace
from itertools import count
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, Protocol, TypeVar, runtime_checkable

from runner.config.api import ApiSettings
from runner.engines.base import Engine, EngineStopped, LoadedModel
from runner.engines.faults import FORBIDDEN, REFUSED, general_fault, unexpected
from runner.engines.faults import BadReply as BadReply  # providers take all of it from here
from runner.engines.faults import BatchGone as BatchGone
from runner.engines.faults import Fault as Fault
from runner.engines.faults import UnfitServer as UnfitServer
from runner.engines.faults import classify as classify
from runner.engines.pace import Pace
from runner.engines.provider import BatchProvider as BatchProvider
from runner.engines.provider import Provider as Provider
from runner.engines.reply import prompt_hash
from runner.sampling.generation import FinishReason, Generation, failed
from runner.sampling.request import Request, SamplingParams

_T = TypeVar("_T")
_MOST_FORBIDDEN = 3  # calls in a row that are not allowed before any succeeded: it is not the sample then


@dataclass(frozen=True, slots=True)
class _Done:
    """What became of one submission; no generation where the run was over before it was asked."""

    serial: int
    generation: Generation | None


class ApiEngine:
    """An engine (:class:`runner.engines.base.Engine`) that asks a provider; never blocks on submission.

    Calls run in an event loop in a thread of their own, at most ``max_concurrency`` at once and fewer while the
    provider says it is too much. A call that failed in a way that may pass is repeated at most ``max_retries`` times,
    after a doubling wait with jitter, or after what the provider asks for. The run ends at once with one line where
    every further call would fail too (key, credit, model), where the provider asks for a wait of more than
    ``max_wait_s``, where no call ever succeeded, and where more calls in a row are given up than may run at once. Of
    calls that are not allowed (403) the first three cost their sample alone. What is under way then still comes back;
    what ended the run has no record and is asked by the next one.

    A generation's latency is that of the call that succeeded, without any waiting before it.

    Args:
        provider: Whose calls these are; closed with the engine.
        settings: Bounds of time and number.
        loaded: What is known of the model.
        default_sampling: What the provider does untold.
        secret: The key, which no message may hold.
    """

    def __init__(
        self,
        provider: Provider,
        settings: ApiSettings,
        loaded: LoadedModel,
        default_sampling: SamplingParams,
        *,
        secret: str = "",
    ) -> None:
        self.provider = provider
        self.capabilities = provider.capabilities
        self.loaded = loaded
        self.default_sampling = default_sampling
        self.window = 2 * settings.max_concurrency
        self._settings = settings
        self._secret = secret
        self._pace = Pace(settings.max_concurrency)
        self._stop: EngineStopped | None = None
        self._succeeded = False
        self._failures = 0  # calls given up in a row, since one last succeeded
        self._serials: dict[str, int] = {}  # by key; in flight
        self._unasked: set[int] = set()  # of these, those that came when the run was over
        self._next = 0
        self._tasks: dict[int, asyncio.Task[None]] = {}  # of the loop's thread
        self._done: SimpleQueue[_Done] = SimpleQueue()
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever, name=f"calls to {provider.name}", daemon=True)
        self._thread.start()

    @property
    def in_flight(self) -> int:
        return len(self._serials)

    def submit(self, request: Request) -> None:
        self._next += 1
        self._serials[request.key] = self._next
        self._loop.call_soon_threadsafe(self._begin, self._next, request)

    def poll(self, timeout_s: float) -> list[Generation]:
        """Return what ended, waiting for the first at most ``timeout_s``.

        Raises:
            EngineStopped: see the class; only once all that was under way has come back.
        """
        finished: list[Generation] = []
        deadline = time.monotonic() + timeout_s
        while (done := self._next_done(0 if finished else deadline - time.monotonic())) is not None:
            finished += self._taken(done)
            if not finished:
                self._raise_if_over()
        if not finished:
            self._raise_if_over()
        return finished

    def cancel(self, key: str) -> None:
        serial = self._serials.pop(key, None)
        if serial is not None:
            self._unasked.discard(serial)
            self._loop.call_soon_threadsafe(self._abort, serial)

    def close(self) -> None:
        if self._loop.is_closed():
            return
        for key in list(self._serials):
            self.cancel(key)
        self.call(self._shut())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def call(self, coroutine: Coroutine[Any, Any, _T]) -> _T:
        """Run a coroutine of the provider in the loop and wait for it."""
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result()

    def fault_of(self, error: Exception) -> Fault:
        """Return what is done about an error of a call."""
        fault = general_fault(error) or self.provider.fault(error) or unexpected(error)
        # Some servers say in their errors what they were sent.
        return replace(fault, message=fault.message.replace(self._secret, "***")) if self._secret else fault

    def _raise_if_over(self) -> None:
        if self._stop is not None and len(self._unasked) == len(self._serials):
            raise self._stop

    def _next_done(self, timeout_s: float) -> _Done | None:
        try:
            return self._done.get(timeout=timeout_s) if timeout_s > 0 else self._done.get_nowait()
        except Empty:
            return None

    def _taken(self, done: _Done) -> list[Generation]:
        if done.serial not in self._serials.values():
            return []  # cancelled in the meantime
        if done.generation is None:
            self._unasked.add(done.serial)
            return []
        del self._serials[done.generation.key]
        return [done.generation]

    # From here on all runs in the loop's thread.

    def _begin(self, serial: int, request: Request) -> None:
        self._tasks[serial] = self._loop.create_task(self._answer(serial, request))

    def _abort(self, serial: int) -> None:
        if task := self._tasks.pop(serial, None):
            task.cancel()

    async def _shut(self) -> None:
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self.provider.close()

    async def _answer(self, serial: int, request: Request) -> None:
        try:
            generation = await self._asked(request)
        except Exception as error:  # a fault of ours: it costs its sample and must not hang the run
            generation = given_up(request.key, self.fault_of(error))
        self._tasks.pop(serial, None)
        self._done.put(_Done(serial, generation))

    async def _asked(self, request: Request) -> Generation | None:
        """Return what became of a request, None if the run was over before it was asked."""
        for attempt in count():
            async with self._pace.place() as started:
                if self._stop is not None:
                    return None
                outcome = await self._once(request, started)
                if isinstance(outcome, Generation):
                    return outcome
                wait_s = self._wait(outcome, attempt)
                if outcome.overload:
                    self._pace.overloaded(started, wait_s)
            if outcome.kind != "retry" or self._asks_too_long(outcome) or attempt == self._settings.max_retries:
                return self._without_reply(request, outcome)
            await self._pace.pause(wait_s)
        raise AssertionError("counting has no end")

    async def _once(self, request: Request, started: float) -> Generation | Fault:
        try:
            async with asyncio.timeout(self._settings.timeout_s):
                generation = await self.provider.generate(request)
        except Exception as error:
            return self.fault_of(error)
        self._pace.succeeded()
        self._succeeded, self._failures = True, 0
        return replace(generation, latency_s=self._loop.time() - started)

    def _wait(self, fault: Fault, attempt: int) -> float:
        """Return the seconds before the next attempt: what is asked for, or twice as long each time, with jitter."""
        jitter = 1 + random.random()  # so that calls that failed together do not come back together
        doubled: float = self._settings.backoff_s * 2**attempt * jitter / 2
        if fault.retry_after_s is None:
            return min(doubled, self._settings.max_wait_s)
        return fault.retry_after_s + min(doubled, self._settings.backoff_s)

    def _asks_too_long(self, fault: Fault) -> bool:
        return (fault.retry_after_s or 0.0) > self._settings.max_wait_s

    def _without_reply(self, request: Request, fault: Fault) -> Generation | None:
        """Return what becomes of a call that failed for good; None, and the run ends, if others would fail too."""
        hopeless = False
        if fault.kind == "retry" or fault.name == FORBIDDEN:
            self._failures += 1
            first = _MOST_FORBIDDEN if fault.name == FORBIDDEN else 0
            patience = self._settings.max_concurrency if self._succeeded else first
            hopeless = self._failures > patience or self._asks_too_long(fault)
        if fault.kind == "stop" or hopeless:
            self._end(fault)
            return None
        return given_up(request.key, fault)

    def _end(self, fault: Fault) -> None:
        """End the run: what waits for its turn is not asked any more."""
        if self._stop is None:
            wait = "" if fault.retry_after_s is None else f"; it asks to wait for {fault.retry_after_s:.0f} s"
            self._stop = EngineStopped(f"engine={self.provider.name}: {fault.message}{wait}")
            self._pace.release()


def given_up(key: str, fault: Fault) -> Generation:
    """Return the generation of a request that failed for good: refused by a filter, or an error."""
    if fault.name == REFUSED:
        return Generation(key, "", FinishReason.REFUSED)
    return failed(key, fault.boundary, fault.name, fault.message)


def asked_by(request: Request, generation: Generation) -> Generation:
    """Return a generation with what its request says of it, where the provider said nothing."""
    prompt = generation.prompt_sha256 or prompt_hash(request.messages)
    return replace(generation, max_tokens=generation.max_tokens or request.max_tokens, prompt_sha256=prompt)


@runtime_checkable
class BatchingEngine(Engine, Protocol):
    """An engine whose provider may take batches."""

    @property
    def provider(self) -> Provider: ...

    def call(self, coroutine: Coroutine[Any, Any, _T]) -> _T: ...

    def fault_of(self, error: Exception) -> Fault: ...
