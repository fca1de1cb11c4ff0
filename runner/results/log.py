"""What a run logs, in its own folder."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def logging_to(path: Path) -> Iterator[None]:
    """Write what is logged while the block runs to a file; warnings, and what takes long, reach the terminal too."""
    handler = logging.FileHandler(path, encoding="utf-8", errors="backslashreplace", delay=True)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    shown = logging.StreamHandler()
    shown.addFilter(_for_terminal)
    ours = logging.getLogger("runner")
    ours.setLevel(logging.INFO)
    for added in (handler, shown):
        ours.addHandler(added)
    try:
        yield
    finally:
        for added in (handler, shown):
            ours.removeHandler(added)
        handler.close()


def _for_terminal(record: logging.LogRecord) -> bool:
    return record.levelno >= logging.WARNING or record.name.startswith("runner.weights")
