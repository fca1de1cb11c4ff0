"""What a sweep asked of a study, noted before its first point starts, so that points that never began are known."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from runner.results.layout import RunFolder, write_atomic

_FOLDER = ".asked"


@dataclass(frozen=True, slots=True)
class Asked:
    """One point that a sweep asked for.

    Attributes:
        folder: Where its run lies, or will lie.
        samples: How many samples were asked.
        command: What was typed; typing it again finishes the point.
    """

    folder: RunFolder
    samples: int
    command: str


def note_asked(study: Path, samples: Mapping[str, int], command: str) -> None:
    """Note the points of a sweep in the study's folder; the same command replaces its own note.

    Args:
        study: The study's folder.
        samples: Samples by the name of the run's folder.
        command: What was typed.

    Raises:
        StorageError: the folder can't be written.
    """
    digest = hashlib.sha256(command.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    note = json.dumps({"command": command, "points": dict(samples)}, indent=1)
    write_atomic(study / _FOLDER / f"{digest}.json", note.encode("ascii"))


def never_begun(study: Path) -> list[Asked]:
    """Return the points that sweeps asked for and that have no run yet, by name; unreadable notes are passed over."""
    found: dict[str, Asked] = {}
    for path in sorted((study / _FOLDER).glob("*.json")):
        for name, (samples, command) in _read(path).items():
            folder = RunFolder(study / name)
            if not folder.run_json.is_file():
                found[name] = Asked(folder, samples, command)
    return [found[name] for name in sorted(found)]


def _read(path: Path) -> dict[str, tuple[int, str]]:
    try:
        note = json.loads(path.read_bytes())
        command = str(note["command"])
        return {str(name): (int(samples), command) for name, samples in note["points"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}
