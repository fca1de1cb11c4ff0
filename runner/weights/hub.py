"""A model's files from the Hugging Face hub, or from its cache when the hub can't be asked."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any

from runner.errors import StorageError, UserError
from runner.weights.files import NOT_WEIGHTS, WEIGHT_KINDS, missing, small_patterns, weight_files
from runner.weights.weights import Weights

_TOKENS = "https://huggingface.co/settings/tokens"
_FETCH = "where there is internet, run `python -m runner fetch` with the same model options, without HF_HUB_OFFLINE"


def fetch_snapshot(model_id: str, revision: str | None, trust_remote_code: bool = False) -> Weights:
    """Return a model of the hub, downloading what the hub's cache lacks.

    Only what an engine reads is taken: configuration, tokenizer, templates, safetensors (``.bin`` where there
    are none) and Python code only with ``trust_remote_code``. The token comes from ``HF_TOKEN`` or the hub's
    own login. With ``HF_HUB_OFFLINE=1``, or where the hub doesn't answer, a complete cached copy is used.

    Args:
        model_id: ``name`` or ``organisation/name``.
        revision: Commit, branch or tag; None takes the default branch.

    Raises:
        UserError: unknown model or revision, no access, or no hub and no complete copy.
        StorageError: the hub's cache can't be written.
    """
    for kind in WEIGHT_KINDS:
        folder = _snapshot(model_id, revision, [*small_patterns(trust_remote_code), *kind])
        if weight_files(folder):
            break
    if absent := missing(folder):
        raise UserError(
            f"the copy of {model_id} in {folder} lacks {absent}; {_FETCH}, "
            "or choose a model in the layout of transformers"
        )
    return Weights(folder, folder.name)


def fetch_small(model_id: str, revision: str | None, trust_remote_code: bool = False) -> Weights:
    """Return a model of the hub without its weights: configuration, tokenizer and templates; else as above.

    Raises:
        UserError: as above.
        StorageError: the hub's cache can't be written.
    """
    folder = _snapshot(model_id, revision, list(small_patterns(trust_remote_code)))
    if not (folder / "config.json").is_file():
        raise UserError(f"the copy of {model_id} in {folder} lacks config.json; {_FETCH}")
    return Weights(folder, folder.name)


def cached_folder(model_id: str, revision: str | None) -> Path | None:
    """Return where the hub's cache has a model's configuration, None if it has not; asks nobody."""
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    try:
        found = try_to_load_from_cache(model_id, "config.json", revision=revision)
    except HFValidationError:
        return None
    return Path(found).parent if isinstance(found, str) else None


def _snapshot(model_id: str, revision: str | None, patterns: list[str]) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError, HTTPError

    try:
        return Path(
            snapshot_download(model_id, revision=revision, allow_patterns=patterns, ignore_patterns=list(NOT_WEIGHTS))
        )
    except HFValidationError as error:
        raise UserError(f"model.id {model_id!r} is neither a hub id nor a folder: {_first_line(error)}") from error
    except (OSError, HTTPError, RuntimeError) as error:  # RuntimeError: the hub's second transport (hf-xet)
        raise _explained(error, model_id, revision) from error


def _explained(error: Exception, model_id: str, revision: str | None) -> UserError | StorageError:
    from huggingface_hub.errors import LocalEntryNotFoundError

    # The hub's client may hide a refusal behind "not in the cache"; the cause says what it was.
    told = (error.__cause__ or error) if isinstance(error, LocalEntryNotFoundError) else error
    response: Any = getattr(told, "response", None)
    if response is not None:
        return UserError(_refusal(told, response.status_code, model_id, revision))
    if getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EROFS):
        return StorageError(f"can't store {model_id}: {error}; free space or set HF_HOME to another folder")
    what = f"{model_id} at {revision}" if revision else model_id
    return UserError(
        f"{what} is not complete in the hub's cache and the hub can't be asked ({_first_line(told)}); {_FETCH}"
    )


def _refusal(error: BaseException, status: int, model_id: str, revision: str | None) -> str:
    from huggingface_hub import constants, errors

    page = f"{constants.ENDPOINT}/{model_id}"
    if isinstance(error, errors.GatedRepoError):
        return (
            f"{model_id} is gated: accept its licence at {page}, then set HF_TOKEN to that account's token ({_TOKENS})"
        )
    if isinstance(error, errors.RevisionNotFoundError):
        return f"{model_id} has no revision {revision!r}; take a commit, branch or tag from {page}/commits"
    if isinstance(error, errors.RepositoryNotFoundError):
        return (
            f"there is no model {model_id!r} at {constants.ENDPOINT}; check model.id, write a folder as ./folder, "
            "and for a private model set HF_TOKEN"
        )
    if status in (401, 403):
        return f"the hub refused HF_TOKEN for {model_id} ({status}); make one that may read it at {_TOKENS}"
    return f"the hub answered {status} for {model_id}: {_first_line(error)}; run again later"


def _first_line(error: BaseException) -> str:
    return next(iter(str(error).strip().split("\n")), "") or type(error).__name__
