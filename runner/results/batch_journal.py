"""The journal of a run's batches, ``batches.jsonl``: what was handed in to a provider, and what became of it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from runner.engines.batch import Batch
from runner.errors import UserError
from runner.results.append import AppendFile


class BatchJournal:
    """A file of lines that only grows; see :class:`runner.engines.batch.Journal`.

    A line has a batch's ``token`` and one of: ``keys``, it is about to be handed in; ``id``, it was; ``closed``, it is
    of no more use, and why. An id without keys is of a batch whose first line got lost. A torn last line, of a process
    that was killed, counts as not written.

    Args:
        path: The file; the run's lock is held while it is open.

    Raises:
        StorageError: it can't be opened; from each line that is added, it is not on the disk.
        UserError: from :meth:`open_batches`, a line can't be read.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = AppendFile(path)
        self._file.cut_torn()

    def open_batches(self) -> list[Batch]:
        keys: dict[str, frozenset[str]] = {}
        ids: dict[str, str] = {}
        for number, line in enumerate(self._path.read_bytes().split(b"\n"), start=1):
            if not line.strip():  # a person may have put it there
                continue
            try:
                said = json.loads(line)
                token = said["token"]
                if "keys" in said:
                    keys[token] = frozenset(said["keys"])
                elif "id" in said:
                    ids[token] = str(said["id"])
                    keys.setdefault(token, frozenset())
                else:
                    said["closed"], keys.pop(token, None)
            except (ValueError, KeyError, TypeError, RecursionError) as error:
                raise UserError(f"{self._path}: line {number} can't be read ({error}); restore it") from error
        return [Batch(token, of, ids.get(token)) for token, of in keys.items()]

    def is_blank(self) -> bool:
        """Whether nothing was ever written, or the file was lost."""
        return not self._path.read_bytes().strip()

    def begin(self, token: str, keys: Iterable[str]) -> None:
        self._write({"token": token, "keys": sorted(keys)})

    def name(self, token: str, batch_id: str) -> None:
        self._write({"token": token, "id": batch_id})

    def close_batch(self, token: str, reason: str) -> None:
        self._write({"token": token, "closed": reason})

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _write(self, said: dict[str, Any]) -> None:
        self._file.append(json.dumps(said).encode("ascii") + b"\n")
        self._file.sync()
