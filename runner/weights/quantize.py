"""Weights in the precision asked for: dense, as published in fewer bits, or quantised here once."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from runner.config.settings import GptqSettings, ModelSettings, Precision
from runner.errors import UserError
from runner.report.console import make_console, print_line
from runner.weights.calibration import calibration_for
from runner.weights.checkpoint import Making, Tell, checkpoint_folder, made_checkpoints
from runner.weights.hub import cached_folder
from runner.weights.locate import locate, locate_small
from runner.weights.quantizer import ADVICE, Quantizer, find_quantizer
from runner.weights.recipe import Recipe, group_size_for, quantization_of, rounded_to, trained_in
from runner.weights.weights import Weights

_COMMIT = re.compile(r"[0-9a-f]{40}(?=-|$)")


def weights_for(model: ModelSettings, precision: Precision, tell: Tell | None = None) -> Weights:
    """Return a model's weights in a precision, downloading or quantising what is missing.

    Args:
        model: The model. Weights of its own that are quantised already are taken as they are.
        precision: The precision.
        tell: Gets lines that say what takes so long; by default they go to standard error.

    Raises:
        UserError: the weights can't be had, are quantised already in another way, or nothing here can quantise them;
            says what to do.
        StorageError: a cache can't be written.
    """
    if not isinstance(precision, GptqSettings):
        return locate(model)
    if published := model.checkpoints.get(precision.name):
        return locate(_at(model, published.id, published.revision))
    beside = locate_small(model)
    pinned = _at(model, model.id, beside.revision)
    if (quantization := quantization_of(beside.folder)) is not None:
        if why := _other_bits(model, precision, quantization):
            raise UserError(why)
        return locate(pinned)
    return _quantized(pinned, precision, beside, tell or partial(print_line, make_console(errors=True)))


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a model's GPTQ weights come from.

    Attributes:
        words: The same for a person.
        to_make: Whether they are still to be quantised, as far as it is known.
    """

    words: str
    to_make: bool


def origin(model: ModelSettings, precision: GptqSettings) -> Origin:
    """Say where a model's GPTQ weights come from; asks nobody, so it may not know of what is not on this machine."""
    if published := model.checkpoints.get(precision.name):
        return Origin(f"published as {published.id}", to_make=False)
    folder = _own_folder(model)
    if folder is not None and quantization_of(folder) is not None:
        return Origin(f"quantised already: {model.id} itself", to_make=False)
    if any(made_checkpoints(model, precision)):
        return Origin(f"quantised here before, by {precision.calibration_samples} prompts", to_make=False)
    words = f"quantised here, once, by {precision.calibration_samples} prompts"
    unknown = model.source == "hub" and folder is None
    return Origin(f"{words}, unless {model.id} is in few bits itself" if unknown else words, to_make=True)


def tokenizer_for(model: ModelSettings, precision: Precision, revision: str) -> Weights | None:
    """Return a folder with the tokenizer of the weights of a revision; None if those are of another model.

    Weights are neither quantised nor downloaded for it. A model of the hub is asked for in the very revision.

    Raises:
        UserError: the model can't be had.
        StorageError: a cache can't be written.
    """
    published = model.checkpoints.get(precision.name) if isinstance(precision, GptqSettings) else None
    asked = _at(model, published.id, published.revision) if published else model
    commit = _COMMIT.match(revision) if _is_on_hub(asked) else None
    known = locate_small(_at(asked, asked.id, commit.group()) if commit else asked)
    made_here = isinstance(precision, GptqSettings) and revision.startswith(f"{known.revision}-{precision.name}-")
    return known if revision == known.revision or made_here else None


def obstacle(model: ModelSettings, precision: Precision) -> str | None:
    """Say why a precision can't be had here, or return None; loads and downloads nothing.

    A model of the hub of which nothing is here may be quantised itself, so nothing is said against it.

    Raises:
        UserError: the interpreter that the user names for quantising can't be used.
    """
    if not isinstance(precision, GptqSettings) or precision.name in model.checkpoints or model.source == "none":
        return None
    folder = _own_folder(model)
    if folder is not None and (quantization := quantization_of(folder)) is not None:
        return _other_bits(model, precision, quantization)
    unknown = model.source == "hub" and folder is None
    if find_quantizer() or unknown or any(made_checkpoints(model, precision)):
        return None
    return _cannot(model, precision)


def _at(model: ModelSettings, model_id: str, revision: str | None) -> ModelSettings:
    return model.model_copy(update={"id": model_id, "revision": revision})


def _is_on_hub(model: ModelSettings) -> bool:
    return model.source == "hub" and not Path(model.id).expanduser().is_dir()


def _own_folder(model: ModelSettings) -> Path | None:
    """Return the folder with a model's own configuration if it is here and might speak of few bits, else None."""
    if model.source != "hub":
        return None
    return cached_folder(model.id, model.revision) if _is_on_hub(model) else Path(model.id).expanduser()


def _other_bits(model: ModelSettings, precision: GptqSettings, said: Mapping[str, Any]) -> str | None:
    """Say that a model is quantised in another way than asked for, None if it is as asked for."""
    method, bits = said.get("quant_method"), said.get("bits")
    if method == "gptq" and bits in (None, precision.bits):
        return None
    found = f"{bits}-bit {method}" if bits else f"{method}"
    fitting = f"precision=int{bits} or " if method == "gptq" and bits in (4, 8) else ""
    return (
        f"precision={precision.name} was asked for, but the weights of {model.id} are {found}; give "
        f"{fitting}precision=auto, or name dense weights"
    )


def _quantized(model: ModelSettings, precision: GptqSettings, beside: Weights, tell: Tell) -> Weights:
    """Return the quantised weights of a model, whose dense ones are fetched only if they are needed."""
    calibration = calibration_for(model, beside.folder, precision.calibration_samples)
    quantizer = find_quantizer()
    wanted = Recipe(
        source=beside.revision,
        bits=precision.bits,
        group_size=group_size_for(beside.folder, model.name),
        calibration=calibration.digest,
        dtype=rounded_to(trained_in(beside.folder)),
        gptqmodel=quantizer.version if quantizer else "",
        torch=quantizer.torch if quantizer else "",
        device=quantizer.device if quantizer else "",
    )
    recipe = _made(model, precision, wanted, quantizer)
    folder = checkpoint_folder(model, precision, recipe or wanted)
    if recipe is None:
        if quantizer is None:
            raise UserError(_cannot(model, precision))
        Making(model, locate(model), wanted, calibration, quantizer, tell).ensure(folder)
    return Weights(folder, f"{beside.revision}-{precision.name}-{(recipe or wanted).key}")


def _made(model: ModelSettings, precision: GptqSettings, wanted: Recipe, quantizer: Quantizer | None) -> Recipe | None:
    """Return the recipe of the checkpoint in the cache that stands for the wanted one, None if none does.

    The very one comes first. Else it may be made on another device or by another torch, which is no reason to do the
    work again, and where nothing here can quantise by another GPTQModel: of several the one by the newest versions.
    The weights' revision says which it is.
    """

    def fits(recipe: Recipe) -> bool:
        gptqmodel = recipe.gptqmodel if quantizer is None else wanted.gptqmodel
        return recipe == replace(wanted, gptqmodel=gptqmodel, torch=recipe.torch, device=recipe.device)

    def preference(recipe: Recipe) -> tuple[object, ...]:
        return recipe == wanted, _numbers(recipe.gptqmodel), _numbers(recipe.torch), recipe.device, recipe.key

    alike = (recipe for _, recipe in made_checkpoints(model, precision) if fits(recipe))
    return max(alike, key=preference, default=None)


def _numbers(version: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", version)]


def _cannot(model: ModelSettings, precision: GptqSettings) -> str:
    asked = f"precision={precision.name}: no such checkpoint of {model.name} is published or in the cache"
    return f"{asked}, and nothing here can make one; {ADVICE}"
