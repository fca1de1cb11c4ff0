"""Data as script files: the one way in which a page opened from a disk may load more of itself."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from runner.results.layout import write_atomic


def write_data(path: Path, name: str, value: Any) -> None:
    """Write a file that hands ``value`` to the page under ``name`` when the page loads it; the folder is made.

    The file is ASCII: U+2028 and lone surrogates are escapes, ``<`` is one too, so that no text can end a script or
    begin a comment wherever the file is pasted. NaN and infinity become null.

    Raises:
        StorageError: the file can't be written.
    """
    text = json.dumps(plain(value), ensure_ascii=True, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
    write_atomic(path, f"thinkmeter.put({json.dumps(name)},{text});\n".encode("ascii"))


def plain(value: Any) -> Any:
    """Return what JSON can hold: numbers of numpy as Python's own, missing values and infinities as None.

    Raises:
        TypeError: a value is of another kind.
    """
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value != value or str(value) == "<NA>":  # pandas' own missing values
        return None
    raise TypeError(f"{type(value).__name__} in a report's data")
