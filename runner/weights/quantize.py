"""Weights in the precision asked for: dense, as published in fewer bits, or quantised here once."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

from runner.config.settings import GptqSettings, ModelSettings, Precision
from runner.errors import UserError
from runner.report.console import make_console, print_line
from runner.weights.calibration import calibration_for
from runner.weights.checkpoint import Making, Tell, checkpoint_folder, made_checkpoints
from runner.weights.locate import locate
from runner.weights.quantizer import ADVICE, find_quantizer
from runner.weights.recipe import Recipe, group_size_for, is_quantized
from runner.weights.weights import Weights


def weights_for(model: ModelSettings, precision: Precision, tell: Tell | None = None) -> Weights:
    """Return a model's weights in a precision, downloading or quantising what is missing.

    Weights that are quantised already are taken as they are, whatever their bits: that is checked once they are loaded.

    Args:
        model: The model.
        precision: The precision.
        tell: Gets lines that say what takes so long; by default they go to standard error.

    Raises:
        UserError: the weights can't be had, or nothing here can quantise them; says what to do.
        StorageError: a cache can't be written.
    """
    if not isinstance(precision, GptqSettings):
        return locate(model)
    if published := model.checkpoints.get(precision.name):
        return locate(model.model_copy(update={"id": published.id, "revision": published.revision}))
    dense = locate(model)
    if is_quantized(dense.folder):
        return dense
    return _quantized(model, precision, dense, tell or partial(print_line, make_console(errors=True)))


def origin(model: ModelSettings, precision: GptqSettings) -> str:
    """Say in a few words where a model's GPTQ weights come from."""
    if published := model.checkpoints.get(precision.name):
        return f"published as {published.id}"
    return f"quantised here, once, by {precision.calibration_samples} prompts"


def tokenizer_for(model: ModelSettings, precision: Precision, revision: str) -> Weights | None:
    """Return weights with the tokenizer of those of a revision, quantising nothing; None if those are of another model.

    Raises:
        UserError: the model can't be had.
        StorageError: a cache can't be written.
    """
    published = model.checkpoints.get(precision.name) if isinstance(precision, GptqSettings) else None
    known = weights_for(model, precision) if published else locate(model)
    made_here = isinstance(precision, GptqSettings) and revision.startswith(f"{known.revision}-{precision.name}-")
    return known if revision == known.revision or made_here else None


def obstacle(model: ModelSettings, precision: Precision) -> str | None:
    """Say why a precision can't be had here, or return None; loads and downloads nothing.

    Raises:
        UserError: the interpreter that the user names for quantising can't be used.
    """
    if not isinstance(precision, GptqSettings) or precision.name in model.checkpoints or model.source == "none":
        return None
    if is_quantized(Path(model.id).expanduser()) or any(made_checkpoints(model, precision)):
        return None
    return None if find_quantizer() else _cannot(model, precision)


def _quantized(model: ModelSettings, precision: GptqSettings, dense: Weights, tell: Tell) -> Weights:
    calibration = calibration_for(model, dense.folder, precision.calibration_samples)
    quantizer = find_quantizer()
    recipe = Recipe(
        source=dense.revision,
        bits=precision.bits,
        group_size=group_size_for(dense.folder, model.name),
        calibration=calibration.digest,
        gptqmodel="" if quantizer is None else quantizer.version,
    )
    if quantizer is None:
        recipe = _made_elsewhere(model, precision, recipe)
    folder = checkpoint_folder(model, precision, recipe)
    if quantizer is not None:
        Making(model, dense, recipe, calibration, quantizer, tell).ensure(folder)
    return Weights(folder, f"{dense.revision}-{precision.name}-{recipe.key}")


def _made_elsewhere(model: ModelSettings, precision: GptqSettings, wanted: Recipe) -> Recipe:
    """Return the recipe of a checkpoint in the cache that differs from the wanted one in GPTQModel's version alone.

    Raises:
        UserError: there is none.
    """
    for _, recipe in made_checkpoints(model, precision):
        if recipe == replace(wanted, gptqmodel=recipe.gptqmodel):
            return recipe
    raise UserError(_cannot(model, precision))


def _cannot(model: ModelSettings, precision: GptqSettings) -> str:
    asked = f"precision={precision.name}: no such checkpoint of {model.name} is published or in the cache"
    return f"{asked}, and nothing here can make one; {ADVICE}"
