"""Reuse as a decorator: an engine that cuts, continues and shares texts that were generated before.

Under a hard cap the text at a budget is a prefix of the text at a larger one, for the same prompt, sampling and seed.
Such a text without its cap is a *trajectory*. It is generated once, as far as the largest cap asked so far.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

from runner.engines.base import EngineCapabilities, LoadedModel
from runner.engines.trajectory import Piece, Trajectories, Trajectory
from runner.engines.writing import LocalEngine, Rendered, Writer
from runner.sampling.generation import FinishReason, Generation
from runner.sampling.request import Request, SamplingParams, Segment


@dataclass(slots=True, eq=False)
class _Ask:
    """A request that was not answered yet: ids ``start`` to ``end`` of a trajectory."""

    request: Request
    rendered: Rendered
    submitted_s: float
    key: bytes
    lead: tuple[int, ...]  # ids of the trajectory that the request brings itself

    @property
    def start(self) -> int:
        return len(self.lead)

    @property
    def end(self) -> int:
        return len(self.lead) + self.rendered.max_new_tokens


@dataclass(slots=True, eq=False)
class _Running:
    """A request in the engine: the one that asks for most, and the others that it will serve."""

    ask: _Ask
    known: tuple[int, ...]  # ids that stand before what the engine generates
    kept: int  # how many of them the store has
    waiting: list[_Ask]


class TrajectoryCache:
    """An engine that asks another one only for what no stored trajectory holds.

    A smaller cap is answered by cutting, a larger one by continuing, and a request whose trajectory is being
    generated waits for it. Results are those of the engine itself, as far as its continuations equal its uninterrupted
    texts, in any order of the requests. Where drawn texts have no such continuations (see
    ``EngineCapabilities.continues_draws``) a larger cap is generated from the beginning instead.

    Two requests share a trajectory only if all of this is the same: weights, number format, prompt ids, forced ids,
    sampling, seed, stop strings, and the sample that asks. So no two samples of a run ever do.

    Args:
        engine: The engine that generates; closed with the cache.
        store: Trajectories of the study, shared by the caches of its points. Closed by who opened it.
        run: Name of the run that asks, kept with what is generated for it.
    """

    def __init__(self, engine: LocalEngine, store: Trajectories, run: str) -> None:
        self.capabilities: EngineCapabilities = engine.capabilities
        self.loaded: LoadedModel = engine.loaded
        self.default_sampling: SamplingParams = engine.default_sampling
        self.window: int = engine.window
        self._engine = engine
        self._store = store
        self._run = run
        self._running: dict[bytes, _Running] = {}  # by trajectory
        self._asking: dict[str, _Running] = {}  # the same by the key of the request in the engine
        self._ready: list[Generation] = []

    @property
    def writer(self) -> Writer:
        return self._engine.writer

    @property
    def in_flight(self) -> int:
        return len(self._ready) + sum(1 + len(running.waiting) for running in self._running.values())

    def submit(self, request: Request) -> None:
        """Queue a request.

        Raises:
            EngineDied: the engine is gone.
        """
        rendered = self._engine.writer.render(request)
        if isinstance(rendered, Generation):
            self._ready.append(rendered)
            return
        ask = self._asked(request, rendered)
        running = self._running.get(ask.key)
        if running is not None:
            running.waiting.append(ask)
        else:
            self._serve([ask])

    def poll(self, timeout_s: float) -> list[Generation]:
        """Return what needs no engine at once, and what comes of a unit of the engine's work."""
        if self._engine.in_flight:
            for generation in self._engine.poll(0.0 if self._ready else timeout_s):
                self._arrived(generation)
        ready, self._ready = self._ready, []
        return ready

    def cancel(self, key: str) -> None:
        self._ready = [generation for generation in self._ready if generation.key != key]
        for running in self._running.values():
            running.waiting = [ask for ask in running.waiting if ask.request.key != key]
        if key in self._asking:
            self._engine.cancel(key)
            self._serve(self._ended(key).waiting)

    def close(self) -> None:
        self._running.clear()
        self._asking.clear()
        self._ready.clear()
        self._engine.close()

    def _asked(self, request: Request, rendered: Rendered) -> _Ask:
        """Find the trajectory of a request: what the model wrote after the last ids that were forced on it."""
        lead = _own_ids(request.prefix) if self._continues(request.sampling) else ()
        if lead and not _agree(self._store.get(self._key(request, rendered, lead)).ids, lead):
            lead = ()  # another engine's text: the trajectory did not begin with it
        return _Ask(request, rendered, time.monotonic(), self._key(request, rendered, lead), lead)

    def _continues(self, sampling: SamplingParams) -> bool:
        greedy = sampling.temperature == 0
        return greedy or sampling.noise == "counter" or self.capabilities.continues_draws

    def _key(self, request: Request, rendered: Rendered, lead: Sequence[int]) -> bytes:
        loaded = self.loaded
        device = loaded.device if loaded.device in ("cpu", "mps", "none") else "gpu"
        forced = rendered.prefix_ids[: len(rendered.prefix_ids) - len(lead)]
        parts = [
            [loaded.engine, loaded.model_revision, loaded.weight_bits, loaded.weight_format, loaded.compute_dtype],
            [device, rendered.prompt_sha256, forced, asdict(request.sampling), request.seed, request.stop],
            request.key.rpartition("#")[0],
        ]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode("ascii")).digest()[:16]

    def _serve(self, asks: Sequence[_Ask]) -> None:
        """Answer what the store can answer; the one of the rest that asks for most goes to the engine.

        Args:
            asks: All of one trajectory.
        """
        if not asks:
            return
        trajectory = self._store.get(asks[0].key)
        ids, rest = trajectory.ids, []
        for ask in asks:
            if not _agree(ids, ask.lead):
                self.submit(ask.request)
            elif trajectory.ended or len(ids) >= ask.end:
                self._ready.append(self._answer(ask, trajectory, len(ids)))
            else:
                rest.append(ask)
        if rest:
            self._start(rest, ids)

    def _start(self, asks: Sequence[_Ask], ids: tuple[int, ...]) -> None:
        ask = max(asks, key=lambda ask: ask.end)
        kept = 0
        if self._continues(ask.request.sampling):
            # A stop string may have begun in what is there, and an engine looks for it in new text alone.
            kept = max(0, len(ids) - max((len(stop.encode()) for stop in ask.request.stop), default=0))
        known = max(ids[:kept], ask.lead, key=len)
        running = _Running(ask, known, kept, [other for other in asks if other is not ask])
        self._running[ask.key] = self._asking[ask.request.key] = running
        self._engine.submit(self._remainder(ask, known))

    def _remainder(self, ask: _Ask, known: tuple[int, ...]) -> Request:
        """Return the request for what comes after the ids that are known."""
        added = known[ask.start :]
        if not added:
            return ask.request
        begun = self._engine.writer.generation(ask.request, ask.rendered, added, FinishReason.LENGTH, 0.0)
        prefix = (*ask.request.prefix, Segment(begun.text, added))
        return replace(ask.request, prefix=prefix, max_tokens=ask.end - len(known))

    def _ended(self, key: str) -> _Running:
        running = self._asking.pop(key)
        del self._running[running.ask.key]
        return running

    def _arrived(self, generation: Generation) -> None:
        running = self._ended(generation.key)
        if generation.failure is not None or generation.token_ids is None:
            self._ready.append(generation)
        else:
            self._keep(running, generation, generation.token_ids)
        self._serve(running.waiting)

    def _keep(self, running: _Running, generation: Generation, new: tuple[int, ...]) -> None:
        ask, kept = running.ask, running.kept
        piece = Piece(running.known[kept:] + new, generation.finish_reason is FinishReason.STOP, self._run)
        if piece.ids:
            self._store.extend(ask.key, kept, piece)
        if len(running.known) == ask.start:
            self._ready.append(generation)
        else:
            self._ready.append(self._answer(ask, self._store.get(ask.key), len(running.known)))

    def _answer(self, ask: _Ask, trajectory: Trajectory, known: int) -> Generation:
        """Return what the engine would have given for these ids, the first ``known`` of which were there before."""
        ids = trajectory.ids
        new = ids[ask.start : ask.end]
        complete = trajectory.ended and len(ids) <= ask.end
        reason = FinishReason.STOP if complete else FinishReason.LENGTH
        latency_s = time.monotonic() - ask.submitted_s
        generation = self._engine.writer.generation(ask.request, ask.rendered, new, reason, latency_s)
        source = generation.usage.source if len(ids) <= ask.end else "derived"
        usage = replace(generation.usage, source=source, reused=min(known, ask.end, len(ids)) - ask.start)
        others = trajectory.runs(ask.start, ask.end) - {self._run}
        return replace(generation, usage=usage, derived_from=tuple(sorted(others)))


def _own_ids(prefix: Sequence[Segment]) -> tuple[int, ...]:
    """Return the ids at the end of ``prefix`` that the model wrote itself."""
    own: tuple[int, ...] = ()
    for segment in reversed(prefix):
        if segment.injected or segment.token_ids is None:
            break
        own = segment.token_ids + own
    return own


def _agree(ids: tuple[int, ...], lead: tuple[int, ...]) -> bool:
    """Whether one of them is the beginning of the other."""
    shared = min(len(ids), len(lead))
    return ids[:shared] == lead[:shared]
