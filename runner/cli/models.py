"""Lists the models of ``conf/model``, each with what it supports."""

from __future__ import annotations

import json
from collections.abc import Iterator
from math import inf
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from runner.config.folder import config_folder
from runner.config.model import ModelSettings
from runner.config.plain_yaml import read_plain
from runner.errors import UserError
from runner.report.console import print_line

_ASKED_FOR = "???"  # Hydra's mark for what the user has to give
_WIDE = 120  # columns from which the ids have room too
# Two facts a column, one above the other: so 80 columns are enough.
_HEADINGS = (
    ("model=", "licence, needs"),
    ("kind", "billions, context"),
    ("efforts, * is untold", "GPTQ, published or here"),
    ("from", ""),
)


def known_models() -> list[ModelSettings]:
    """Return the models that have a file: families beside each other, small models first.

    Raises:
        UserError: a file holds no model; names it.
    """
    models = map(read_model, (config_folder() / "model").glob("*.yaml"))
    return sorted(models, key=lambda model: (model.family, model.params_b or inf, model.name))


def show_models(console: Console, as_json: bool = False) -> None:
    """Print what each model is and supports, as a table or as one JSON array."""
    if as_json:
        print_line(console, json.dumps([_facts(model) for model in known_models()], indent=1, ensure_ascii=False))
        return
    wide = console.width >= _WIDE
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1), collapse_padding=True)
    for heading in _HEADINGS:
        table.add_column("\n".join(heading), no_wrap=heading is _HEADINGS[0])
    if wide:
        table.add_column("id", overflow="fold")
    for model in known_models():
        cells = [Text("\n").join((Text(upper), Text(lower, "dim"))) for upper, lower in _cells(model)]
        table.add_row(*cells, *([model.id] if wide else []))
    console.print(table, highlight=False)
    print_line(console, "docs/models.md says how to add one" + ("" if wide else f"; ids show from {_WIDE} columns on"))


def engines(model: ModelSettings) -> list[str]:
    """Return the engines that can run a model."""
    if model.provider is not None:
        return [model.provider]
    return ["scripted"] if model.source == "none" else ["vllm", "transformers"]


def read_model(path: Path) -> ModelSettings:
    """Return a model's file, with the file's own name and a sign for what the user has to give.

    Raises:
        UserError: it holds no model.
    """
    try:
        plain = dict(read_plain(path), name=path.stem)
        return ModelSettings.model_validate({**plain, "id": "…" if plain.get("id") == _ASKED_FOR else plain.get("id")})
    except (OSError, ValueError, TypeError) as error:
        reason = " ".join(str(error).split())
        raise UserError(f"{path} holds no model ({reason}); docs/models.md says what belongs into it") from error


def _facts(model: ModelSettings) -> dict[str, Any]:
    """Return what a program may want to know of a model."""
    shown = {"name", "id", "revision", "source", "family", "kind", "params_b", "context", "default_effort", "licence",
             "gated", "published_as"}  # fmt: skip
    checkpoints = {precision: checkpoint.id for precision, checkpoint in model.checkpoints.items()}
    return {
        **model.model_dump(mode="json", include={*shown, "efforts"}),
        "checkpoints": checkpoints,
        "engines": engines(model),
    }


def _cells(model: ModelSettings) -> Iterator[tuple[str, str]]:
    """Yield what stands under each heading."""
    efforts = (f"{level}*" if level == model.default_effort else level for level in model.efforts)
    yield model.name, (model.licence or "–") + (", HF_TOKEN" if model.gated else "")
    yield model.kind, f"{_shown(model.params_b)}, {_shown(model.context)}"
    yield " ".join(efforts) or "–", _gptq(model)
    yield model.provider or model.source, ""


def _gptq(model: ModelSettings) -> str:
    """Return the precisions with a published checkpoint, or that the model is quantised here; – where it can't be."""
    if model.provider is not None or model.source == "none":
        return "–"
    return " ".join(model.checkpoints) or "here"


def _shown(number: float | None) -> str:
    return "–" if number is None else f"{number:.15g}"
