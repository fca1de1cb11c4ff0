"""Where this program keeps what it sets up once, and how two processes do not set it up at the same time."""

from __future__ import annotations

import fcntl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from runner.config.folder import cache_folder as cache_folder


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
