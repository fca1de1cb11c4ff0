"""``runner fetch``: weights of model and judge and a stored set onto this machine, so that runs need no network."""

from __future__ import annotations

from rich.console import Console

from bench.stored.rows import StoredTask
from runner.config.settings import ApiSettings, GptqSettings, Settings
from runner.config.stored import check_rows
from runner.config.suite import Suite
from runner.judging import judge_of
from runner.report.console import print_line
from runner.weights.files import size_bytes
from runner.weights.locate import locate
from runner.weights.quantize import origin, weights_for
from runner.weights.weights import Weights


def fetch(settings: Settings, console: Console) -> None:
    """Get the suite's stored sets and the weights of model and judge, and say where they lie; quick if they are here.

    Raises:
        UserError: a set or the model can't be had; says what to do.
        StorageError: the cache can't be written.
    """
    _fetch_sets(settings, console)
    _fetch_model(settings, console)
    judge = judge_of(settings)
    if judge is not None and judge.stage != "same" and not isinstance(judge.engine, ApiSettings):
        _fetch_model(judge.settings, console)


def _fetch_model(settings: Settings, console: Console) -> None:
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


def _fetch_sets(settings: Settings, console: Console) -> None:
    for name, task in Suite(settings.suite).tasks.items():
        if isinstance(task, StoredTask):
            given = settings.suite.path or settings.suite.params.get(name, {}).get("path")
            if given is None:
                check_rows(task)
            origin = given or f"{task.source.repository} at {task.source.revision}"
            print_line(console, f"{name}: {task.length()} problems of {origin}, licence {task.source.licence}")
            print_line(console, f"  {task.path}, checksum {task.checksum()[:16]}")


def show_weights(settings: Settings, weights: Weights, console: Console) -> None:
    """Print where weights lie, how large they are and what their revision is."""
    size = size_bytes(weights.folder) / 1e9
    print_line(console, f"{settings.model.name} at {weights.revision}, {size:.2f} GB: {weights.folder}")
