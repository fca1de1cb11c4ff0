"""Requests handed in as batches: a first command submits them and ends, a later one collects what came."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from runner.engines.base import EngineStopped
from runner.engines.faults import UNCERTAIN
from runner.engines.transport import BatchGone, BatchingEngine, BatchProvider, UnfitServer, asked_by
from runner.errors import EXIT_LATER, UserError
from runner.sampling.generation import Boundary, Generation, failed
from runner.sampling.request import Request

MOST_REQUESTS = 50_000  # of one batch, by OpenAI's limit, the lowest


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch as it is journalled.

    Attributes:
        token: Drawn by us before it was handed in.
        keys: Of its requests; none where we learn them once it has ended.
        id: The provider's; None where we don't know whether it was handed in.
    """

    token: str
    keys: frozenset[str]
    id: str | None


class Journal(Protocol):
    """What is known of a run's batches, whatever ended the process that wrote it."""

    def open_batches(self) -> Sequence[Batch]:
        """Return those that were not closed, in order."""
        ...

    def begin(self, token: str, keys: Iterable[str]) -> None:
        """Write that a batch is about to be handed in; on the disk when this returns."""
        ...

    def name(self, token: str, batch_id: str) -> None:
        """Write the provider's id of a batch; on the disk when this returns."""
        ...

    def close_batch(self, token: str, reason: str) -> None:
        """Write that a batch is of no more use."""
        ...


class BatchEngine:
    """An engine (:class:`runner.engines.base.Engine`) that asks by batches.

    All that is submitted before the first poll and lies in no batch yet is handed in as one; then what came of earlier
    batches is returned, and the run ends with :class:`EngineStopped` and ``EXIT_LATER`` while something is under way.
    A request lies in at most one batch that is not closed: before a batch is handed in, the journal gets its keys and a
    token, by which the provider finds it should its id get lost.

    Args:
        engine: Whose provider takes batches; closed with this one.
        journal: Of the run.
        mark: Returns what the run's tokens begin with; not asked before the first poll.
        lost: Whether the journal lacks batches that may have been handed in.
    """

    def __init__(self, engine: BatchingEngine, journal: Journal, mark: Callable[[], str], *, lost: bool) -> None:
        assert isinstance(engine.provider, BatchProvider)
        self._engine = engine
        self._provider = engine.provider
        self._journal = journal
        self._mark = mark
        self._lost = lost
        self._new: dict[str, Request] = {}
        self._waiting: dict[str, Request] = {}  # lie in a batch
        self._results: dict[str, Generation] | None = None  # None until the open batches were looked at
        self._collected: list[Batch] = []
        self._running: list[Batch] = []
        self._handed_out: set[str] = set()
        self.capabilities = engine.capabilities
        self.loaded = engine.loaded
        self.default_sampling = engine.default_sampling
        self.window = MOST_REQUESTS

    @property
    def in_flight(self) -> int:
        return len(self._new) + len(self._waiting)

    def submit(self, request: Request) -> None:
        self._new[request.key] = request

    def poll(self, timeout_s: float) -> list[Generation]:
        """Collect, hand in what is new, and return what came.

        Raises:
            EngineStopped: the rest is under way, or the provider refuses.
            UserError: a sample's name is too long for a batch.
        """
        if self._results is None:
            self._results = self._collect()
        done = [asked_by(request, self._results.pop(key)) for key, request in self._new.items() if key in self._results]
        for generation in done:
            del self._new[generation.key]
            self._handed_out.add(generation.key)
        if done:
            return done
        self._hand_in()
        count = sum(len(batch.keys) for batch in self._running)
        ids = ", ".join(str(batch.id) for batch in self._running)
        raise EngineStopped(
            f"{count or 'the'} samples are under way in batch {ids}; it takes up to a day: type the same command later "
            "to collect them",
            code=EXIT_LATER,
            lasting=False,
        )

    def cancel(self, key: str) -> None:
        self._new.pop(key, None)
        self._waiting.pop(key, None)

    def close(self) -> None:
        """Close the batches of which everything was handed out, and the engine beneath."""
        for batch in self._collected:
            if batch.keys <= self._handed_out:
                self._journal.close_batch(batch.token, "collected")
        self._collected.clear()
        self._engine.close()

    def _collect(self) -> dict[str, Generation]:
        """Return what came of the open batches.

        A request of a batch that ended without a word on it is an error; that of an earlier attempt was one before.
        """
        found: dict[str, Generation] = {}
        for batch in self._adopted() if self._lost else self._journal.open_batches():
            batch_id = batch.id or self._found(batch)
            if batch_id is None:
                self._journal.close_batch(batch.token, "was never handed in")
                continue
            came = self._answers(batch, batch_id)
            if came is None:
                self._running.append(replace(batch, id=batch_id))
            else:
                batch = replace(batch, keys=batch.keys | came.keys())
                self._collected.append(batch)
                silent = {key: _unanswered(key, batch_id) for key in batch.keys - came.keys()}
                found |= silent | came
                # A sample that has its record from there is not asked again, and what nobody asks for was handed out.
                self._handed_out |= batch.keys - self._new.keys()
        return found

    def _answers(self, batch: Batch, batch_id: str) -> dict[str, Generation] | None:
        try:
            return self._engine.call(self._provider.collect(batch_id))
        except UnfitServer as error:
            self._journal.close_batch(batch.token, str(error))
            raise EngineStopped(f"{error}; the same command hands in a new one") from error
        except BatchGone as error:
            raise EngineStopped(f"{error}; to hand its samples in again {_closing(batch.token)}") from error
        except Exception as error:
            raise self._stopped(error) from error

    def _adopted(self) -> list[Batch]:
        """Journal anew the run's batches that the provider knows; of which samples they are is not known yet."""
        found = self._known(self._mark(), "batches.jsonl got lost, so a batch may be under way")
        for token, batch_id in found.items():
            self._journal.begin(token, ())
            self._journal.name(token, batch_id)
        return [Batch(token, frozenset(), batch_id) for token, batch_id in found.items()]

    def _found(self, batch: Batch) -> str | None:
        """Return the id of a batch of which only the token is known, None if it was never handed in."""
        lost = f"a batch of {len(batch.keys)} samples may have been handed in when the program was killed"
        batch_id = self._known(batch.token, lost).get(batch.token)
        if batch_id is not None:
            self._journal.name(batch.token, batch_id)
        return batch_id

    def _known(self, mark: str, lost: str) -> dict[str, str]:
        """Return the ids of the provider's batches whose token begins with a mark, by token.

        Raises:
            EngineStopped: it can't tell; says what got lost and what to do.
        """
        try:
            return self._engine.call(self._provider.batches(mark))
        except LookupError as error:
            raise EngineStopped(
                f"{lost}, and {self._engine.provider.name} can't tell: look at its console, then add to batches.jsonl "
                f'of the run its id, as the line {{"token": "{mark}", "id": "…"}}, or that there is none: '
                f"{_closing(mark)}"
            ) from error
        except Exception as error:
            raise self._stopped(error) from error

    def _hand_in(self) -> None:
        """Hand in as one batch what lies in none; nothing while it is not known what some hold."""
        under_way = frozenset[str]().union(*(batch.keys for batch in self._running))
        fresh = [request for key, request in self._new.items() if key not in under_way]
        if not all(batch.keys for batch in self._running):
            fresh = []
        self._waiting |= self._new
        self._new.clear()
        if not fresh:
            return
        token, keys = f"{self._mark()}-{secrets.token_hex(8)}", frozenset(request.key for request in fresh)
        self._journal.begin(token, keys)
        try:
            batch_id = self._engine.call(self._provider.submit(fresh, token))
        except UserError:
            self._journal.close_batch(token, "was never handed in")
            raise
        except Exception as error:
            if (fault := self._engine.fault_of(error)).name not in UNCERTAIN:
                self._journal.close_batch(token, fault.message)
            raise self._stopped(error) from error
        self._journal.name(token, batch_id)
        self._running.append(Batch(token, keys, batch_id))

    def _stopped(self, error: Exception) -> EngineStopped:
        return EngineStopped(f"engine={self._engine.provider.name}: {self._engine.fault_of(error).message}")


def _closing(token: str) -> str:
    return f'add the line {{"token": "{token}", "closed": "not there"}} to batches.jsonl of the run'


def _unanswered(key: str, batch_id: str) -> Generation:
    return failed(key, Boundary.TRANSPORT, "batch_unanswered", f"batch {batch_id} ended without an answer to it")
