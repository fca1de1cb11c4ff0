"""How many calls run at once: more while they succeed, half as many when the provider says it is too much."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

_NO_LIMIT = 1e9
_FIRST = 4  # calls at once before anything is known of the provider


class Pace:
    """Additive increase, multiplicative decrease, as TCP does (Chiu and Jain 1989); lives in one event loop.

    Args:
        most: Calls at once that are never exceeded.

    Attributes:
        limit: Calls that may run at once now; the whole part counts.
        running: Calls that do.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self.limit = float(min(_FIRST, most))
        self.running = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._not_before = 0.0
        self._slowed = float("-inf")
        self._over = asyncio.Event()

    @asynccontextmanager
    async def place(self) -> AsyncIterator[float]:
        """Wait until a call may start, and hold its place while it runs; yields when it started."""
        loop = asyncio.get_running_loop()
        while (wait := self._not_before - loop.time()) > 0 or self.running >= int(self.limit):
            if wait > 0:
                await self.pause(wait)
            else:
                await self._turn()
        self.running += 1
        try:
            yield loop.time()
        finally:
            self.running -= 1
            self._wake()

    def succeeded(self) -> None:
        """Let one more call run at once for every ``limit`` calls that succeed."""
        self.limit = min(float(self._most), self.limit + 1 / self.limit)
        self._wake()

    def overloaded(self, started: float, wait_s: float) -> None:
        """Halve the limit, and let nothing start for a while.

        Args:
            started: When the refused call started. Those that were under way at the last halving say nothing new.
            wait_s: Seconds in which nothing starts.
        """
        now = asyncio.get_running_loop().time()
        if not self._over.is_set():
            self._not_before = max(self._not_before, now + wait_s)
        if started > self._slowed:
            self._slowed = now
            self.limit = max(1.0, self.limit / 2)

    async def pause(self, wait_s: float) -> None:
        """Wait for so many seconds, or until :meth:`release`."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._over.wait(), wait_s)

    def release(self) -> None:
        """Let all that wait look again; they find that the run is over."""
        self._over.set()
        self._not_before = 0.0
        self.limit = _NO_LIMIT
        self._wake()

    async def _turn(self) -> None:
        future = asyncio.get_running_loop().create_future()
        self._waiting.append(future)
        await future

    def _wake(self) -> None:
        free = int(self.limit) - self.running
        while free > 0 and self._waiting:
            future = self._waiting.popleft()
            if not future.done():  # else it was cancelled
                future.set_result(None)
                free -= 1
