"""Where a run's files lie, and how a whole file is put there."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from runner.errors import StorageError

_SLUG_LIMIT = 80
_HASH_DIGITS = 8
_FOREIGN = re.compile(r"[^A-Za-z0-9._-]+")
_FINGERPRINT = re.compile(r"[0-9a-f]{8,}")


@dataclass(frozen=True, slots=True, order=True)
class Shard:
    """A part of one run's samples, made by a process of its own: see :meth:`runner.point.Pending.places`.

    Attributes:
        count: Into how many parts the samples fall, at least 2.
        index: Which of them, from 0.
    """

    count: int
    index: int

    def __str__(self) -> str:
        return f"{self.index + 1}-of-{self.count}"


@dataclass(frozen=True, slots=True)
class RunFolder:
    """The folder of one run; only :func:`run_folder` decides where it lies.

    Attributes:
        path: The folder itself. It need not exist yet.
    """

    path: Path

    @property
    def run_json(self) -> Path:
        """Identity of the run, see :class:`runner.results.run.Run`."""
        return self.path / "run.json"

    @property
    def settings(self) -> Path:
        """The resolved settings, for people; ``run.json`` holds the same."""
        return self.path / "settings.yaml"

    @property
    def generations(self) -> Path:
        """The record of truth: one JSON object a line, append-only."""
        return self.path / "generations.jsonl"

    @property
    def token_ids(self) -> Path:
        """Ids of the model's turns: little-endian unsigned 32-bit integers; a line holds their places."""
        return self.path / "token_ids.u32"

    @property
    def judgements(self) -> Path:
        """What judges said of the answers, append-only, see :mod:`runner.results.judgements`."""
        return self.path / "judgements.jsonl"

    @property
    def judge(self) -> Path:
        """Which judge decides now; without the file nobody does."""
        return self.path / "judge.json"

    @property
    def batches(self) -> Path:
        """What was handed in to a provider as batches, see :mod:`runner.results.batch_journal`."""
        return self.path / "batches.jsonl"

    @property
    def executions(self) -> Path:
        """What became of programs that answer problems, append-only, see :mod:`runner.results.executions`."""
        return self.path / "executions.jsonl"

    @property
    def summary(self) -> Path:
        """The table that a run ends with."""
        return self.path / "summary.json"

    @property
    def counts(self) -> Path:
        """How many samples of what was asked are there, see :mod:`runner.results.counts`."""
        return self.path / "counts.json"

    @property
    def log(self) -> Path:
        """What the program logged."""
        return self.path / "run.log"

    @property
    def lock(self) -> Path:
        """Held by the one writer, see :mod:`runner.results.lock`."""
        return self.path / "lock"

    def shard(self, shard: Shard | None) -> RunFolder:
        """Where a shard's generations, token ids, log and lock lie; without one those of the run itself."""
        return self if shard is None else RunFolder(self._shards / str(shard))

    def parts(self) -> list[RunFolder]:
        """Return all folders whose generations are the run's: its own, then its shards'."""
        try:
            shards = sorted(entry.name for entry in os.scandir(self._shards) if entry.is_dir())
        except OSError:
            return [self]
        return [self, *(RunFolder(self._shards / name) for name in shards)]

    def size(self) -> int:
        """Return the bytes of all generations."""
        return sum(part.generations.stat().st_size for part in self.parts() if part.generations.exists())

    @property
    def _shards(self) -> Path:
        return self.path / "shards"

    def verdicts(self, fingerprint: str) -> Path:
        """Verdicts of the grading with this fingerprint."""
        return self.path / f"verdicts-{fingerprint[:_HASH_DIGITS]}.parquet"

    def all_verdicts(self) -> list[Path]:
        """Verdict tables of all gradings, the newest first."""
        return sorted(self.path.glob("verdicts-*.parquet"), key=lambda path: -path.stat().st_mtime_ns)


def slug(text: str, limit: int = _SLUG_LIMIT) -> str:
    """Return a folder name for ``text``: ``[A-Za-z0-9._-]`` only, at most ``limit`` characters.

    It never starts with a dot or a dash and is never empty. A text that can't stay as it is ends in a hash of
    the whole, so that ``org/a`` and ``org__a`` stay apart; a text that can stay is its own slug.
    """
    kept = _FOREIGN.sub("_", text).lstrip(".-")
    if kept == text and 0 < len(text) <= limit:
        return text
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH_DIGITS]
    return f"{kept[: limit - _HASH_DIGITS - 1] or 'x'}-{digest}"


def run_folder(outputs: Path, study: str, name: str, fingerprint: str) -> RunFolder:
    """Return the folder ``outputs/<study>/<name>-<fingerprint8>``; nothing that a user names leaves ``outputs``.

    Args:
        outputs: Root of all studies.
        study: The study's name.
        name: What the run is called, e.g. model and budget.
        fingerprint: Generation fingerprint in hex, at least eight digits.

    Raises:
        ValueError: ``fingerprint`` is not of that form.
    """
    if not _FINGERPRINT.fullmatch(fingerprint):
        raise ValueError(f"a fingerprint is at least eight hex digits, not {fingerprint!r}")
    return RunFolder(outputs / slug(study) / f"{slug(name)}-{fingerprint[:_HASH_DIGITS]}")


def find_runs(study: Path) -> list[RunFolder]:
    """Return the runs of a study's folder, by name; none if it does not exist."""
    if not study.is_dir():
        return []
    folders = (RunFolder(path) for path in sorted(study.iterdir()))
    return [folder for folder in folders if folder.run_json.is_file()]


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary name beside ``path``; when the block ends well, that file takes the place of ``path``.

    Readers see the old file or the new one, never a part, and so does a machine after a power cut. If the block
    fails the old file stays.

    Raises:
        StorageError: the file can't be written, e.g. because the disk is full.
    """
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield temporary
        _sync(temporary)
        temporary.replace(path)
        _sync(path.parent)
    except OSError as error:
        raise StorageError(cannot_write(path, error)) from error
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def write_atomic(path: Path, data: bytes | memoryview) -> None:
    """Write a whole file, see :func:`replacing`.

    Raises:
        StorageError: the file can't be written.
    """
    with replacing(path) as temporary:
        temporary.write_bytes(data)


def cannot_write(path: Path, error: OSError) -> str:
    """Return the line that tells a user why ``path`` was not written and what now."""
    return f"can't write {path}: {error.strerror or error}. What was written before is valid; run again to go on."


def _sync(path: Path) -> None:
    """Force a file's content, or a folder's list of names, onto the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
