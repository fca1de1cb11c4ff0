"""From the model group of a configuration to weights on this machine."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

from runner.config.settings import ModelSettings
from runner.errors import UserError
from runner.weights.embedded import embedded_model, ensure_embedded
from runner.weights.files import content_revision, missing
from runner.weights.hub import fetch_small, fetch_snapshot
from runner.weights.weights import Weights

_HUB_ID = re.compile(r"[\w-][\w.-]*(/[\w-][\w.-]*)?", re.ASCII)


def locate(model: ModelSettings) -> Weights:
    """Return the weights of a model, setting up or downloading what is missing.

    A ``model.id`` that is a folder here is that folder; anything else is asked of the hub.

    Raises:
        UserError: no such model or folder, no access, no hub, or not the pinned revision.
        StorageError: a cache can't be written.
    """
    return _located(model, fetch_snapshot)


def locate_small(model: ModelSettings) -> Weights:
    """Return what is beside the weights of a model: configuration, tokenizer and templates.

    Weights that are on the hub stay there; others are set up as :func:`locate` does.

    Raises:
        UserError: no such model or folder, no access, no hub, or not the pinned revision.
        StorageError: a cache can't be written.
    """
    return _located(model, fetch_small)


def _located(model: ModelSettings, fetch: Callable[[str, str | None, bool], Weights]) -> Weights:
    if model.source == "none":
        raise UserError(f"model {model.name!r} has no weights (model.source=none); it needs engine=scripted")
    if model.source == "api":
        raise UserError(f"model {model.name!r} is asked over the network (model.source=api): nothing to fetch")
    if model.source == "embedded":
        return _embedded(model)
    if model.source == "shipped":
        return _folder(model, shipped_folder(model.id))
    folder = Path(model.id).expanduser()
    if folder.is_dir():
        return _folder(model, folder.absolute())
    if not _HUB_ID.fullmatch(model.id):
        raise UserError(
            f"model.id {model.id!r} is no folder ({folder.absolute()} doesn't exist) and no hub id (org/name)"
        )
    return fetch(model.id, model.revision, model.trust_remote_code)


def shipped_folder(name: str) -> Path:
    """Return where the weights lie that come with this program.

    Raises:
        UserError: it has no such model.
    """
    folder = Path(str(files("runner"))) / "data" / name
    if not (folder / "config.json").is_file():
        raise UserError(f"model.id={name!r}: no such model comes with this program; model=thinker does")
    return folder


def _embedded(model: ModelSettings) -> Weights:
    known = embedded_model(model.id)
    if model.revision not in (None, known.version, known.revision):
        raise UserError(
            f"model.revision is {model.revision!r}, but {known.package} {known.version} is the version "
            "this program sets up; set model.revision=null"
        )
    return ensure_embedded(known.name)


def _folder(model: ModelSettings, folder: Path) -> Weights:
    if absent := missing(folder):
        raise UserError(f"the folder {folder} lacks {absent}; model.id wants a folder in the layout of transformers")
    revision = content_revision(folder, model.trust_remote_code)
    if model.revision not in (None, revision):
        raise UserError(
            f"the folder {folder} holds {revision}, but model.revision asks for {model.revision!r}; "
            "set model.revision=null to take it as it is"
        )
    return Weights(folder, revision)
