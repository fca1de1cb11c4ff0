"""Where the config groups, the studies and the cache lie."""

from __future__ import annotations

import os
from pathlib import Path


def config_folder() -> Path:
    """Return the folder of config groups: beside the packages in a clone, inside ``runner`` once installed."""
    package = Path(__file__).resolve().parent.parent
    beside = package.parent / "conf"
    return beside if beside.is_dir() else package / "conf"


def sweeps_folder() -> Path:
    """Return the folder of studies, which lies beside that of the config groups; it may not exist."""
    return config_folder().parent / "sweeps"


def cache_folder() -> Path:
    """Return ``$THINKMETER_CACHE``, else ``$XDG_CACHE_HOME/thinkmeter``, else ``~/.cache/thinkmeter``.

    An empty variable counts as unset. The folder need not exist.
    """
    if own := os.environ.get("THINKMETER_CACHE"):
        return Path(own).expanduser().absolute()
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser().absolute() / "thinkmeter"
