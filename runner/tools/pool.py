"""Runs tool calls beside the engine, so that no engine step waits for a tool."""

from __future__ import annotations

import os
import queue
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from runner.tools.protocol import Outcome, Tool, ToolCall, ToolResult

Function = Callable[[Mapping[str, Any]], str]

_END_S = 5.0  # how long the end of a pool waits for its threads


class ToolPool:
    """Threads that run calls of named tools; no thread and no process exists before the first call.

    A tool bounds its own calls. One that does not answer for ``patience_s`` all the same is given up: its call fails,
    its thread is left alone, and another one takes its place.

    Args:
        tools: By name; a plain function takes the arguments, and what it raises becomes a failed result.
        workers: Calls that run at a time; None for one a processor core.
        patience_s: Seconds after which a call is given up.
    """

    def __init__(
        self, tools: Mapping[str, Tool | Function], workers: int | None = None, patience_s: float = 120.0
    ) -> None:
        self._tools = {name: _Plain(tool) if callable(tool) else tool for name, tool in tools.items()}
        self._workers = workers or cores()
        self._patience_s = patience_s
        self._calls: queue.SimpleQueue[ToolCall | None] = queue.SimpleQueue()
        self._results: queue.SimpleQueue[ToolResult] = queue.SimpleQueue()
        self._started_s: dict[str, float] = {}  # of the calls that run, by key; written by the threads
        self._in_flight: set[str] = set()
        self._threads: list[threading.Thread] = []

    @property
    def in_flight(self) -> int:
        """Calls submitted and not yet returned by :meth:`poll`."""
        return len(self._in_flight)

    def submit(self, call: ToolCall) -> None:
        """Start a call; an unknown tool is a failed result that names the known ones."""
        self._in_flight.add(call.key)
        self._calls.put(call)
        if len(self._threads) < min(self._workers, len(self._in_flight)):
            self._add_thread()

    def poll(self, timeout_s: float) -> list[ToolResult]:
        """Return the results that are there, waiting up to ``timeout_s`` for the first one."""
        if not self._in_flight:
            return []
        found = self._given_up()
        try:
            wait_s = 0.0 if found else timeout_s
            result = self._results.get(timeout=wait_s) if wait_s > 0 else self._results.get_nowait()
            while True:
                if result.key in self._in_flight:  # else it was given up
                    self._in_flight.discard(result.key)
                    found.append(result)
                result = self._results.get_nowait()
        except queue.Empty:
            return found

    def release(self, session: str) -> None:
        """Free what the tools hold for a session."""
        for tool in self._tools.values():
            tool.release(session)

    def close(self) -> None:
        """End running calls, the threads and all that the tools hold."""
        self._close_tools()  # which ends what the threads wait for
        while not self._calls.empty():
            self._calls.get_nowait()
        for _ in self._threads:
            self._calls.put(None)
        deadline = time.monotonic() + _END_S
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        self._close_tools()

    def _close_tools(self) -> None:
        for tool in self._tools.values():
            tool.close()

    def _add_thread(self) -> None:
        thread = threading.Thread(target=self._work, name=f"tool-{len(self._threads)}", daemon=True)
        self._threads.append(thread)
        thread.start()

    def _given_up(self) -> list[ToolResult]:
        now = time.monotonic()
        late = [key for key, start in list(self._started_s.items()) if now - start > self._patience_s]
        late = [key for key in late if self._started_s.pop(key, None) is not None]  # else its result has just come
        for key in late:
            self._in_flight.discard(key)
            self._workers += 1  # its thread never comes back, or too late
            self._add_thread()
        return [ToolResult(key, "the tool did not answer in time", False, self._patience_s) for key in late]

    def _work(self) -> None:
        while (call := self._calls.get()) is not None:
            start = time.monotonic()
            self._started_s[call.key] = start
            outcome = self._run(call)
            self._started_s.pop(call.key, None)
            self._results.put(ToolResult(call.key, outcome.text, outcome.ok, time.monotonic() - start))

    def _run(self, call: ToolCall) -> Outcome:
        tool = self._tools.get(call.name)
        if tool is None:
            known = ", ".join(sorted(self._tools)) or "none"
            return Outcome(f"no tool is called {call.name!r}; there are: {known}", False)
        try:
            return tool.run(call)
        except Exception as error:  # a tool's fault is an observation for the model, not the end of the run
            return Outcome(f"{type(error).__name__}: {error}", False)


class _Plain:
    """A plain function as a tool."""

    def __init__(self, function: Function) -> None:
        self._function = function

    def run(self, call: ToolCall) -> Outcome:
        """Call the function."""
        return Outcome(self._function(call.arguments), True)

    def release(self, session: str) -> None:
        """Nothing is kept."""

    def close(self) -> None:
        """Nothing is held."""


def cores() -> int:
    """Return how many processor cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
