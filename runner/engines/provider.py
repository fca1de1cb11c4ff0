"""What the engine of one provider has to know: its protocol, its errors and its batches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from runner.engines.base import EngineCapabilities
from runner.engines.faults import Fault
from runner.sampling.generation import Generation
from runner.sampling.request import Request


class Provider(Protocol):
    """One provider's protocol, spoken by its own client library with that library's repetitions switched off.

    Attributes:
        name: As in ``engine=``.
        capabilities: What a study may ask of it.
    """

    name: str
    capabilities: EngineCapabilities

    async def generate(self, request: Request) -> Generation:
        """Make one call.

        Returns:
            The text with the provider's own token counts; ``finish_reason`` is ``refused`` where a filter blocked it.
            The latency is filled in by the caller.

        Raises:
            BadReply: the reply is none (no choices, an error in a body of status 200, no JSON).
            Exception: the client library's own errors.
        """
        ...

    def fault(self, error: Exception) -> Fault | None:
        """Translate an error of the client library, with :func:`classify`; None for an error that is none of its."""
        ...

    async def close(self) -> None:
        """Close connections."""
        ...


@runtime_checkable
class BatchProvider(Protocol):
    """A provider that also takes many requests at once, answered within a day."""

    async def submit(self, requests: Sequence[Request], token: str) -> str:
        """Hand requests in as one batch and return the provider's id of it.

        Args:
            requests: With different keys.
            token: Kept with the batch at the provider, if it can, so that :meth:`batches` finds it.
        """
        ...

    async def batches(self, mark: str) -> dict[str, str]:
        """Return the provider's ids of all batches whose token begins with ``mark``, by token.

        Raises:
            LookupError: the provider keeps nothing by which a batch can be found.
        """
        ...

    async def collect(self, batch_id: str) -> dict[str, Generation] | None:
        """Return what became of each request of a batch by its key, None while it runs.

        A request that the provider refused, or did not get to, is a failed generation.

        Raises:
            UnfitServer: the batch as a whole was refused, or came to nothing.
            BatchGone: there is no such batch any more.
        """
        ...
