"""``runner fetch``: a model's weights onto this machine, so that later runs need no network."""

from __future__ import annotations

from rich.console import Console

from runner.config.settings import Settings
from runner.report.console import print_line
from runner.weights.files import size_bytes
from runner.weights.locate import locate


def fetch(settings: Settings, console: Console) -> None:
    """Get the weights of ``settings.model`` and say where they lie; quick when they are here already.

    Raises:
        UserError: the model can't be had; says what to do.
        StorageError: the cache can't be written.
    """
    model = settings.model
    if model.source == "none":
        print_line(console, f"{model.name} has no weights: nothing to fetch")
        return
    note = ", about a minute the first time" if model.source == "embedded" else ""
    print_line(console, f"fetching {model.name}{note} ...")
    weights = locate(model)
    size = size_bytes(weights.folder) / 1e9
    print_line(console, f"{model.name} at {weights.revision}, {size:.2f} GB: {weights.folder}")
    if model.source == "hub":
        print_line(console, "runs on this machine need no network now: HF_HUB_OFFLINE=1")
