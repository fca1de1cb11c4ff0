"""A clean end on Ctrl-C or SIGTERM: the first signal asks the loop to stop, a second Ctrl-C interrupts."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event
from types import FrameType
from typing import Any

_DEFAULTS: dict[int, Any] = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}


@contextmanager
def stop_on_signal(notify: Callable[[str], None]) -> Iterator[Event]:
    """Yield an event that the first SIGINT or SIGTERM sets; ``notify`` gets a line for the user.

    ``notify`` runs inside the signal handler: it must take no lock, so it can't print through rich.

    Only default handlers are replaced, and they come back at the end: a handler that a launcher or an
    engine installed is left alone. Must be entered in the main thread.
    """
    stop = Event()

    def handle(number: int, frame: FrameType | None) -> None:
        stop.set()
        if signal.SIGINT in ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        notify(f"{signal.Signals(number).name}: finishing; press Ctrl-C again to break off at once")

    ours = [number for number, default in _DEFAULTS.items() if signal.getsignal(number) == default]
    for number in ours:
        signal.signal(number, handle)
    try:
        yield stop
    finally:
        for number in ours:
            signal.signal(number, _DEFAULTS[number])
