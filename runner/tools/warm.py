"""Sandboxes that are started ahead, so that a call does not wait for one."""

from __future__ import annotations

import threading

from runner.tools.launch import Limits, SandboxKind
from runner.tools.sandbox import Sandbox


class WarmSandboxes:
    """Keeps ``ahead`` unused sandboxes from the first call on; before it there is none. For any number of threads.

    Args:
        kind: What keeps the code in.
        limits: Of every call.
        ahead: How many are kept ready.
    """

    def __init__(self, kind: SandboxKind, limits: Limits, ahead: int) -> None:
        self._kind, self._limits, self._ahead = kind, limits, ahead
        self._lock = threading.Lock()
        self._idle: list[Sandbox] = []
        self._lent: set[Sandbox] = set()
        self._ending: list[Sandbox] = []
        self._closed = False

    def take(self) -> Sandbox:
        """Return a sandbox in which nothing is left of any call; the caller gives it back.

        Raises:
            SandboxError: none can be started.
        """
        with self._lock:
            sandbox = self._idle.pop(0) if self._idle else Sandbox(self._kind, self._limits)
            self._lent.add(sandbox)
            return sandbox

    def give(self, sandbox: Sandbox) -> None:
        """Take back a sandbox: kept if it is as good as new and wanted, else it ends. Does not wait for that."""
        with self._lock:
            self._lent.discard(sandbox)
            if sandbox.reusable and not self._closed and len(self._idle) < self._ahead:
                self._idle.append(sandbox)
                return
            sandbox.hang_up()
            self._ending.append(sandbox)

    def refill(self) -> None:
        """Start what is missing, and free what has ended; returns while they start."""
        while True:
            with self._lock:
                ended = [sandbox for sandbox in self._ending if sandbox.has_ended]
                self._ending = [sandbox for sandbox in self._ending if sandbox not in ended]
                for sandbox in ended:
                    sandbox.close()
                if self._closed or len(self._idle) >= self._ahead:
                    return
                self._idle.append(Sandbox(self._kind, self._limits))

    def close(self) -> None:
        """End all; those that are lent end as well, and are closed by the second call, after they came back."""
        with self._lock:
            self._closed = True
            idle, self._idle, ending, self._ending = self._idle, [], self._ending, []
            for sandbox in (*self._lent, *idle):
                sandbox.hang_up()
        for sandbox in (*idle, *ending):
            sandbox.close()
