"""Where the config groups and the studies lie."""

from __future__ import annotations

from pathlib import Path


def config_folder() -> Path:
    """Return the folder of config groups: beside the packages in a clone, inside ``runner`` once installed."""
    package = Path(__file__).resolve().parent.parent
    beside = package.parent / "conf"
    return beside if beside.is_dir() else package / "conf"


def sweeps_folder() -> Path:
    """Return the folder of studies, which lies beside that of the config groups; it may not exist."""
    return config_folder().parent / "sweeps"
