"""Where this program keeps what it sets up once, and how two processes do not set it up at the same time."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


def cache_folder() -> Path:
    """Return ``$THINKMETER_CACHE``, else ``$XDG_CACHE_HOME/thinkmeter``, else ``~/.cache/thinkmeter``.

    An empty variable counts as unset. The folder need not exist.
    """
    if own := os.environ.get("THINKMETER_CACHE"):
        return Path(own).expanduser().absolute()
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser().absolute() / "thinkmeter"


@contextmanager
def locked(path: Path, waiting: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Hold the lock file ``path``, waiting for whoever has it; the system frees it when its holder dies.

    Args:
        path: The lock file; made where it is not there, and left there.
        waiting: Called once if somebody else has it.

    Raises:
        OSError: the file can't be created.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        if not _taken(file):
            waiting()
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


@contextmanager
def locked_if_free(path: Path) -> Iterator[bool]:
    """Hold the lock file ``path`` if nobody else does, and say so.

    Raises:
        OSError: the file can't be created.
    """
    with path.open("ab") as file:
        yield _taken(file)


def _taken(file: IO[bytes]) -> bool:
    """Take the lock if it is free; tell whether it is ours now."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
