"""How much of what was asked a run holds, kept beside it so that a finished run is read once."""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from runner.config.settings import SuiteSettings
from runner.config.suite import Suite
from runner.errors import StorageError
from runner.results.layout import RunFolder, write_atomic
from runner.results.store import scan


def counted(folder: RunFolder, settings: SuiteSettings) -> tuple[int, int]:
    """Return how many of the samples that a suite asks a run holds: with a good record, and with errors alone.

    They are kept in a file together with the bytes of the generations, and counted again only when those are others.
    Of a suite with a user's own tasks, which may change at any time, nothing is kept.

    Raises:
        UserError: see :func:`runner.results.store.scan`.
    """
    text = settings.model_dump_json()
    key = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    size, kept = folder.size(), _kept(folder.counts)
    if kept.get("bytes") == size and key in kept and settings.task_folder is None:
        return kept[key][0], kept[key][1]
    found = scan(folder)
    suite = suite_of(text)
    counts = suite.count_done(found.done), suite.count_done(found.failed)
    if settings.task_folder is None and found.report.bytes == size:
        before = kept if kept.get("bytes") == size else {"bytes": size}
        _keep(folder.counts, {**before, key: counts})
    return counts


@lru_cache(maxsize=64)
def suite_of(settings: str) -> Suite:
    """Return the suite with these settings, given as JSON: making one checks all of its tasks."""
    return Suite(SuiteSettings.model_validate_json(settings))


def _kept(path: Path) -> dict[str, Any]:
    try:
        kept = json.loads(path.read_bytes())
        return kept if isinstance(kept, dict) else {}
    except (OSError, ValueError):
        return {}


def _keep(path: Path, counts: dict[str, Any]) -> None:
    with suppress(StorageError):  # somebody else's study: it is counted again next time
        write_atomic(path, json.dumps(counts).encode("ascii"))
