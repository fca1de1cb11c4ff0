"""The settings of an engine of the user's own."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from pydantic import Field, JsonValue, field_validator

from runner.config.fields import Group, Line, Natural


class CustomSettings(Group):
    """An engine of your own: a class in a file that Python can import."""

    name: Literal["custom"]
    path: Line = Field(description="Dotted path of the class, e.g. my_engine.MyEngine")
    max_restarts: Natural = Field(description="How often a dead engine is built again")
    options: Mapping[str, JsonValue] = Field(description="Whatever the class takes; part of the run's fingerprint")

    @field_validator("path")
    @classmethod
    def _names_a_class(cls, path: str) -> str:
        module, _, name = path.rpartition(".")
        if not all(part.isidentifier() for part in (*module.split("."), name)):
            raise ValueError("must be module.Class, as in my_engine.MyEngine")
        return path


def source_hash(path: str) -> str | None:
    """Return the hash of the file that a class stands in, None where there is none that can be read."""
    try:
        spec = find_spec(path.rpartition(".")[0])
        file = None if spec is None else spec.origin
        return None if file is None else hashlib.sha256(Path(file).read_bytes()).hexdigest()
    except (ImportError, ValueError, OSError):
        return None
