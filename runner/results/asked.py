"""What commands asked of a study, noted before the first point starts, so that no request is forgotten."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runner.results.layout import RunFolder, write_atomic

_FOLDER = ".asked"


@dataclass(frozen=True, slots=True)
class Asked:
    """What a command asked of one run.

    Attributes:
        folder: Where the run lies, or will lie.
        samples: How many samples were asked.
        suite: Settings of the suite that was asked, plain values; None in a note of an earlier version.
        command: What was typed; typing it again finishes the point.
    """

    folder: RunFolder
    samples: int
    suite: Mapping[str, Any] | None
    command: str


def note_asked(study: Path, asked: Sequence[Asked], command: str, *, alone: bool = False) -> None:
    """Note in the study's folder what a command asks; the same command replaces its own note.

    Args:
        study: The study's folder.
        asked: Its points.
        command: What was typed.
        alone: Whether this is a run on its own: it is none of the study's points that wait until it has begun.

    Raises:
        StorageError: the folder can't be written.
    """
    name = "\n".join([command, *(one.folder.path.name for one in asked)]) if alone else command
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    points = {one.folder.path.name: {"samples": one.samples, "suite": one.suite} for one in asked}
    note = json.dumps({"command": command, "alone": alone, "points": points})
    write_atomic(study / _FOLDER / f"{digest}.json", note.encode("ascii"))


def asked_of(study: Path) -> dict[str, list[Asked]]:
    """Return all that is noted, by the name of the run's folder; unreadable notes are passed over."""
    found: dict[str, list[Asked]] = {}
    for one, _ in _notes(study):
        found.setdefault(one.folder.path.name, []).append(one)
    return found


def never_begun(study: Path) -> list[Asked]:
    """Return the points that sweeps asked for and that have no run yet, by name, each as it was asked for most."""
    found: dict[str, Asked] = {}
    for one, alone in _notes(study):
        name = one.folder.path.name
        if not alone and not one.folder.run_json.is_file():
            found[name] = max(found.get(name, one), one, key=lambda request: request.samples)
    return [found[name] for name in sorted(found)]


def _notes(study: Path) -> Iterator[tuple[Asked, bool]]:
    """Yield every point of every note, and whether it was a run on its own."""
    for path in sorted((study / _FOLDER).glob("*.json")):
        try:
            note = json.loads(path.read_bytes())
            alone, command = bool(note.get("alone", False)), str(note["command"])
            points = [_point(RunFolder(study / str(name)), plain, command) for name, plain in note["points"].items()]
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            continue
        yield from ((point, alone) for point in points)


def _point(folder: RunFolder, plain: Any, command: str) -> Asked:
    if isinstance(plain, int):  # earlier versions noted the number alone
        return Asked(folder, plain, None, command)
    return Asked(folder, int(plain["samples"]), plain["suite"], command)
