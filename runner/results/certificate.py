"""What a check of a run's samples found, kept in the run's folder: what a row of a leaderboard rests on."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from runner.results.layout import RunFolder, write_atomic

FILE = "certificate.json"
_VERSION = 2


@dataclass(frozen=True, slots=True)
class Certificate:
    """What a check found. It speaks of the generations with this hash alone; one more sample makes it void.

    Attributes:
        fingerprint: Of the run.
        nonce: Of the run.
        generations_sha256: Of the files of generations.
        verdicts_sha256: Of the table of verdicts.
        scoring: Whose verdicts they are.
        made: When, ISO 8601 in UTC.
        code_revision: Of the program that checked.
        grader_version: Of the grader that checked.
        engine: What was loaded to check, e.g. ``transformers, 32-bit dense weights, float32, cpu``.
        samples: Samples in the file that have a text.
        missing: Samples that the settings ask for and the file lacks, failed ones among them.
        failed: Samples whose text failed; nothing of them is checked.
        wrong_data: Keys of samples whose stored data is not what their id draws again.
        wrong_verdicts: Keys of samples whose stored verdict is not the grader's.
        regenerated: Keys of the samples whose text was generated again.
        other_texts: Those of them whose text, prompt or end came out another way.
        repeatable: Whether the engine promises the same text for the same seed; otherwise other texts prove nothing.
        version: Of this layout.
    """

    fingerprint: str
    nonce: str
    generations_sha256: str
    verdicts_sha256: str
    scoring: str
    made: str
    code_revision: str
    grader_version: str
    engine: str
    samples: int
    missing: int
    failed: int
    wrong_data: tuple[str, ...]
    wrong_verdicts: tuple[str, ...]
    regenerated: tuple[str, ...]
    other_texts: tuple[str, ...]
    repeatable: bool
    version: int = _VERSION

    @property
    def holds(self) -> bool:
        """Whether nothing is missing, data and verdicts agreed, and what was generated again came out as it has to."""
        same = bool(self.regenerated) and not (self.repeatable and self.other_texts)
        return same and not (self.missing or self.wrong_data or self.wrong_verdicts)


def write_certificate(folder: RunFolder, certificate: Certificate) -> Path:
    """Write a certificate into its run's folder and return the file.

    Raises:
        StorageError: it can't be written.
    """
    path = folder.path / FILE
    text = json.dumps({**dataclasses.asdict(certificate), "holds": certificate.holds}, indent=1)
    write_atomic(path, text.encode("ascii"))
    return path


def read_certificate(folder: RunFolder) -> Certificate | None:
    """Return a run's certificate, None where there is none that can be read."""
    try:
        fields = json.loads((folder.path / FILE).read_bytes())
        del fields["holds"]
        lists = ("wrong_data", "wrong_verdicts", "regenerated", "other_texts")
        found = Certificate(**{**fields, **{name: tuple(fields[name]) for name in lists}})
    except (OSError, ValueError, TypeError, KeyError):
        return None
    return found if found.version == _VERSION else None


def generations_sha256(folder: RunFolder) -> str:
    """Return the hash of a run's generations, its shards' behind its own, in hex; of no file, that of nothing."""
    return files_sha256(part.generations for part in folder.parts() if part.generations.is_file())


def files_sha256(paths: Iterable[Path]) -> str:
    """Return the hash of some files one behind the other, in hex."""
    digest = hashlib.sha256()
    for path in paths:
        with path.open("rb") as file:
            for block in iter(lambda: file.read(1 << 20), b""):
                digest.update(block)
    return digest.hexdigest()
