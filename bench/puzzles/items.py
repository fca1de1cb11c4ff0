"""Keeps the items that were drawn, since some take seconds to draw and a run asks for each many times."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

_folder: Path | None = None
_files: dict[tuple[Path | None, str], dict[int, str]] = {}  # items as JSON by position, by folder and key


def keep_in(folder: Path | None) -> None:
    """Keep items in files of this folder from now on; None keeps them in this process alone."""
    global _folder
    _folder = folder


def item(key: list[Any], position: int, draw: Callable[[], Any]) -> Any:
    """Return the item at a position, drawn only where it is not kept; a new value at each call.

    A file that can't be read or written costs time, never an item.

    Args:
        key: All that the items depend on but the position, a value that JSON can hold.
        position: Which item.
        draw: Draws it; a value that JSON can hold, which comes back as JSON holds it (tuples as lists).
    """
    digest = hashlib.sha256(json.dumps(key).encode("ascii")).hexdigest()[:16]
    name = f"{key[0]}-{digest}"
    place = (_folder, name)
    if place not in _files:
        _files[place] = {} if _folder is None else _read(_folder / f"{name}.jsonl")
    kept = _files[place]
    if position not in kept:
        text = json.dumps(draw(), separators=(",", ":"))
        if _folder is not None:
            _append(_folder / f"{name}.jsonl", position, text)
        kept[position] = text
    return json.loads(kept[position])


def _read(path: Path) -> dict[int, str]:
    """Return the whole lines of a file; a torn or changed one is left out, so that its item is drawn again."""
    try:
        lines = path.read_text("ascii").split("\n")
    except (OSError, ValueError):
        return {}
    found = {}
    for line in lines:
        with suppress(ValueError, TypeError):
            position, digest, text = json.loads(line)
            if type(position) is int and type(text) is str and digest == _digest(text):
                found[position] = text
    return found


def _append(path: Path, position: int, text: str) -> None:
    """Add a line in one write, so that other processes may add theirs; it begins one, in case the last is torn."""
    line = "\n" + json.dumps([position, _digest(text), text])
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            os.write(descriptor, line.encode("ascii"))
        finally:
            os.close(descriptor)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:16]
