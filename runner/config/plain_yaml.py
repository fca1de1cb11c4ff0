"""A YAML file as plain values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException
from yaml import YAMLError


def read_plain(path: Path) -> Any:
    """Return what a file holds; an empty one holds ``{}``.

    Unlike ``yaml.safe_load``, which of two values of one key takes the last without a word.

    Raises:
        OSError: it can't be read.
        ValueError: it is no YAML, or names a key twice.
    """
    try:
        return OmegaConf.to_container(OmegaConf.load(path))
    except (YAMLError, OmegaConfBaseException) as error:
        raise ValueError(str(error)) from error
