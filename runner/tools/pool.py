"""Runs tool calls beside the engine, so that no engine step waits for a tool."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any

from runner.tools.protocol import ToolCall, ToolResult

Tool = Callable[[Mapping[str, Any]], str]


class ToolPool:
    """Threads that run calls of named tools; no thread exists before the first call.

    A tool is a function from arguments to an observation; whatever it raises becomes a failed result.
    """

    def __init__(self, tools: Mapping[str, Tool], workers: int = 2) -> None:
        self._tools = dict(tools)
        self._executor = ThreadPoolExecutor(workers, thread_name_prefix="tool")
        self._running: dict[Future[ToolResult], str] = {}

    @property
    def in_flight(self) -> int:
        """Calls submitted and not yet returned by :meth:`poll`."""
        return len(self._running)

    def submit(self, call: ToolCall) -> None:
        """Start a call; an unknown tool is a failed result that names the known ones."""
        self._running[self._executor.submit(self._run, call)] = call.key

    def poll(self, timeout_s: float) -> list[ToolResult]:
        """Return the results that are there, waiting up to ``timeout_s`` for the first one."""
        if not self._running:
            return []
        done, _ = wait(self._running, timeout=timeout_s, return_when=FIRST_COMPLETED)
        for future in done:
            del self._running[future]
        return [future.result() for future in done]

    def close(self) -> None:
        """Wait for running calls and end the threads."""
        self._executor.shutdown(cancel_futures=True)

    def _run(self, call: ToolCall) -> ToolResult:
        start = time.perf_counter()
        tool = self._tools.get(call.name)
        if tool is None:
            known = ", ".join(sorted(self._tools)) or "none"
            return ToolResult(call.key, f"no tool is called {call.name!r}; there are: {known}", False, 0.0)
        try:
            text, ok = tool(call.arguments), True
        except Exception as error:  # a tool's fault is an observation for the model, not the end of the run
            text, ok = f"{type(error).__name__}: {error}", False
        return ToolResult(call.key, text, ok, time.perf_counter() - start)
