"""Where this program keeps what it sets up once, and how two processes do not set it up at the same time."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def cache_folder() -> Path:
    """Return ``$THINKMETER_CACHE``, else ``$XDG_CACHE_HOME/thinkmeter``, else ``~/.cache/thinkmeter``.

    An empty variable counts as unset. The folder need not exist.
    """
    if own := os.environ.get("THINKMETER_CACHE"):
        return Path(own).expanduser().absolute()
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser().absolute() / "thinkmeter"


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock file ``path``, waiting for whoever has it; the system frees it when its holder dies.

    Raises:
        OSError: the file can't be created.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
