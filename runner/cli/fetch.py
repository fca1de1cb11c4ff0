"""``runner fetch``: a model's weights onto this machine, so that later runs need no network."""

from __future__ import annotations

from rich.console import Console

from runner.config.settings import GptqSettings, Settings
from runner.report.console import print_line
from runner.weights.files import size_bytes
from runner.weights.locate import locate
from runner.weights.quantize import origin, weights_for
from runner.weights.weights import Weights


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
    precision = settings.precision
    published = model.checkpoints.get(precision.name) if isinstance(precision, GptqSettings) else None
    note = ", about a minute the first time" if model.source == "embedded" else ""
    print_line(console, f"fetching {published.id if published else model.name}{note} ...")
    weights = weights_for(model, precision) if published else locate(model)
    show_weights(settings, weights, console)
    if isinstance(precision, GptqSettings) and (found := origin(model, precision)).to_make:
        print_line(console, f"{precision.name} is {found.words}: python -m runner quantize does it now")
    if model.source == "hub":
        print_line(console, "runs on this machine need no network now: HF_HUB_OFFLINE=1")


def show_weights(settings: Settings, weights: Weights, console: Console) -> None:
    """Print where weights lie, how large they are and what their revision is."""
    size = size_bytes(weights.folder) / 1e9
    print_line(console, f"{settings.model.name} at {weights.revision}, {size:.2f} GB: {weights.folder}")
