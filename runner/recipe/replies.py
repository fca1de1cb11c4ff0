"""The replies of a recipe: one JSON object a line, found again by what was asked, of whom, and how often before.

Whatever ends the program, a reply that was stored is never asked for again.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from runner.results.append import AppendFile, Syncer

Role = Literal["generator", "solver", "judge"]

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Reply:
    """What one model replied.

    Attributes:
        key: See :func:`reply_key`.
        role: Who was asked.
        text: The whole reply, thinking included.
        visible: The visible answer; None where it was cut, see :func:`runner.asking.visible`.
    """

    key: str
    role: Role
    text: str
    visible: str | None


def reply_key(respondent: str, said: Sequence[str], number: int) -> str:
    """Return 32 hex digits for the ``number``-th time (from 0) that a respondent is asked something.

    Args:
        respondent: Fingerprint of who is asked.
        said: All that it is told: system message, examples, question.
        number: How often it was asked the same before.
    """
    text = json.dumps([respondent, *said, number], ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:32]


class ReplyFile:
    """All replies so far, and the writing end; a context manager. One process writes at a time.

    Raises:
        StorageError: on entry and from :meth:`add`, the file can't be written.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.known: dict[str, Reply] = {}

    def __enter__(self) -> ReplyFile:
        data = self._path.read_bytes() if self._path.exists() else b""
        whole = data.rfind(b"\n") + 1
        for line in data[:whole].split(b"\n")[:-1]:
            self._read(line)
        self._file = AppendFile(self._path)
        self._file.cut(whole)
        self._syncer = Syncer((self._file,))
        return self

    def __exit__(self, *error: object) -> None:
        try:
            self._syncer.close()
        finally:
            self._file.close()

    def add(self, reply: Reply) -> None:
        """Store a reply; a killed process keeps it from here on."""
        self._file.append(json.dumps(dataclasses.asdict(reply), ensure_ascii=True).encode("ascii") + b"\n")
        self.known[reply.key] = reply
        self._syncer.written()

    def _read(self, line: bytes) -> None:
        try:
            reply = Reply(**json.loads(line))
        except (ValueError, TypeError):
            _log.warning("%s: a line is no reply; it is passed over", self._path)
            return
        self.known[reply.key] = reply
