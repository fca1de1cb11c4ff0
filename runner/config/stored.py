"""Gets the file of a stored set: the one the user names, else the pinned one of the Hugging Face hub."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Any

import bench
from bench.stored.rows import Source, StoredTask
from bench.task import Task
from runner.errors import UserError

# The path of a few problems in the form of a set that come with this program.
DEMO = "demo"
_SHA256_DIGITS = 64
_FETCH = "where there is internet, run `python -m runner fetch suite={suite}` without HF_HUB_OFFLINE"
_INSTEAD = "or give a file of your own: suite.path=FILE"


def with_path(task: type[Task], params: dict[str, Any], path: str | None) -> dict[str, Any]:
    """Return a task's parameters with the file of its set filled in; those of a task without a set as they are.

    Args:
        task: Its class.
        params: As the suite gives them; a ``path`` in them goes first.
        path: The suite's, None for the hub's.

    Raises:
        UserError: the hub's file can't be had, or the user's does not exist.
    """
    if not issubclass(task, StoredTask):
        return params
    given = params.get("path") or path
    if given is None:
        return {**params, "path": str(pinned_file(task.source, task.suite))}
    file = demo_file(task) if given == DEMO else Path(given).expanduser().absolute()
    if not file.is_file():
        raise UserError(
            f"suite.path={given!r}: there is no such file; give the file with the set, or null for the hub's"
        )
    return {**params, "path": str(file)}


def demo_file(task: type[StoredTask]) -> Path:
    """Return where the demonstration rows of a set lie; not every set has some."""
    return Path(bench.__file__).parent / "stored" / "demo" / f"{task.name}.jsonl"


@cache
def pinned_file(source: Source, suite: str) -> Path:
    """Return the hub's file, from its cache where it is there, and checked.

    The cache of the hub names a large file by its SHA-256, which is compared; so is the one that the source states.

    Raises:
        UserError: no hub and no copy, no access, or another file than was pinned.
    """
    file = _found(source, suite, local=True) or _found(source, suite, local=False)
    if file is None:
        raise UserError(f"suite={suite}: {source.repository} at {source.revision} has no file {source.file}")
    stored = file.resolve().name
    expected = source.sha256 or (stored if len(stored) == _SHA256_DIGITS else "")
    if expected and _sha256(file) != expected:
        raise UserError(
            f"suite={suite}: {file} is damaged, its SHA-256 is not {expected}; delete it, then "
            + _FETCH.format(suite=suite)
        )
    return file


def check_rows(task: StoredTask) -> None:
    """Check that a set of the hub has as many problems as its source states.

    Raises:
        UserError: it has not.
    """
    expected = task.source.rows
    if expected and task.length() != expected:
        raise UserError(f"{task.path} holds {task.length()} problems of {task.name}, not {expected}")


def _found(source: Source, suite: str, *, local: bool) -> Path | None:
    """Return the file that the pattern names; None where there is none, in the cache or on the hub."""
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import GatedRepoError, HTTPError, LocalEntryNotFoundError

    try:
        folder = Path(
            snapshot_download(
                source.repository,
                repo_type="dataset",
                revision=source.revision,
                allow_patterns=[source.file],
                local_files_only=local,
            )
        )
    except LocalEntryNotFoundError as error:
        if local:
            return None
        raise UserError(_unreachable(source, suite, error)) from error
    except GatedRepoError as error:
        raise UserError(
            f"suite={suite}: {source.repository} is given on request; ask for access on "
            f"https://huggingface.co/datasets/{source.repository} and set HF_TOKEN, {_INSTEAD}"
        ) from error
    except (OSError, HTTPError, RuntimeError) as error:  # RuntimeError: the hub's second transport
        raise UserError(_unreachable(source, suite, error)) from error
    return next(iter(sorted(folder.glob(source.file))), None)


def _unreachable(source: Source, suite: str, error: Exception) -> str:
    why = str(error).strip().split("\n", 1)[0]
    return f"suite={suite}: {source.repository} can't be had ({why:.200}); {_FETCH.format(suite=suite)}, {_INSTEAD}"


def _sha256(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
