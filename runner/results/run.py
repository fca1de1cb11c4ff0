"""Who a run is: its settings and what really made its samples, kept in ``run.json``."""

from __future__ import annotations

import dataclasses
import json
import os
import platform
import secrets
import socket
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import NoneType
from typing import Any

import yaml

from runner.engines.base import LoadedModel
from runner.errors import UserError
from runner.results.layout import RunFolder, write_atomic

REVISION_FILE = "REVISION"  # in a copy of the sources that has no repository
_PACKAGE = "thinkmeter"
_ROOT = Path(__file__).resolve().parents[2]
_SOURCES = ("bench", "runner", "conf", "hydra_plugins")
# Where git is told to look elsewhere, e.g. inside a hook of another repository.
_GIT_PLACES = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE")

_Types = tuple[type, ...]
_TEXT: _Types = (str,)
_TEXT_OR_NONE: _Types = (str, NoneType)
_COUNT_OR_NONE: _Types = (int, NoneType)
_NUMBER_OR_NONE: _Types = (int, float, NoneType)
# What readers take from the settings of a run. No more is asked for: a run of a version that knew fewer settings
# can still be read.
_NEEDED: dict[str, dict[str, _Types]] = {
    "model": {"name": _TEXT, "family": _TEXT, "published_as": _TEXT_OR_NONE},
    "precision": {"name": _TEXT},
    "prompt": {"name": _TEXT},
    "budget": {"tokens": _COUNT_OR_NONE},
    "effort": {"level": _TEXT_OR_NONE},
    "sampling": {"name": _TEXT, "temperature": _NUMBER_OR_NONE, "top_p": _NUMBER_OR_NONE, "seed": _COUNT_OR_NONE},
    "suite": {"name": _TEXT, "seed": _COUNT_OR_NONE, "task_folder": _TEXT_OR_NONE},
}


@dataclass(frozen=True, slots=True)
class Attempt:
    """One stretch of work on a run; a further one under the same circumstances adds to it.

    Attributes:
        started: ISO 8601 in UTC.
        host: Name of the machine.
        device: What the model ran on.
        code_revision: See :func:`code_revision`.
        versions: Package name to version of what did the work.
        command: What the user typed; typing it again goes on with the run.
        output_tokens: Generated in it; those of a killed process are missing.
        seconds: Spent on generating them, loading not counted.
        cost: US dollars that its samples cost at a provider, None where no price is known.
    """

    started: str
    host: str
    device: str
    code_revision: str
    versions: Mapping[str, str]
    command: str = ""
    output_tokens: int = 0
    seconds: float = 0.0
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """The identity of a run.

    Attributes:
        fingerprint: Generation fingerprint.
        settings: The resolved settings, plain values; those of the latest attempt.
        loaded: What the first attempt loaded; later ones must load the same.
        created: When the first attempt began, ISO 8601 in UTC.
        updated: When the latest began.
        attempts: All stretches of work, the latest last.
        nonce: Eight random hex digits, drawn when the run was created and kept for good: they tell it from another
            person's run of the same settings.
    """

    fingerprint: str
    settings: Mapping[str, Any]
    loaded: LoadedModel
    created: str
    updated: str
    attempts: tuple[Attempt, ...]
    nonce: str

    def check_same(self, loaded: LoadedModel, folder: RunFolder) -> None:
        """Refuse to mix samples of two different models in one folder.

        Another GPU of the same kind, or another version of a package, is allowed and listed as an attempt.

        Raises:
            UserError: engine, revision, weights, number format or kind of device differ.
        """
        before, now = _identity(self.loaded), _identity(loaded)
        if before != now:
            differ = [name for name in before if before[name] != now[name]]
            raise UserError(
                f"{folder.path} holds samples made with {_listed(before, differ)}; now {_listed(now, differ)} "
                "is loaded. Go on where the same is loaded, or give these samples a folder of their own: study=NAME"
            )


def open_run(
    folder: RunFolder, settings: Mapping[str, Any], fingerprint: str, loaded: LoadedModel, command: str
) -> Run:
    """Write ``run.json`` and ``settings.yaml`` of a new run, or add an attempt to an existing one.

    Call it with the folder's lock held and the model loaded, before the first sample is stored.

    Args:
        folder: The run's folder.
        settings: The resolved settings as plain values.
        fingerprint: Generation fingerprint.
        loaded: What the engine read back.
        command: What the user typed.

    Raises:
        UserError: the folder belongs to other settings, or its samples to another model.
        StorageError: the folder can't be written.
    """
    now = datetime.now(UTC).isoformat(timespec="seconds")
    attempt = Attempt(now, socket.gethostname(), loaded.device, code_revision(), _versions(loaded), command)
    run = Run(fingerprint, settings, loaded, now, now, (attempt,), secrets.token_hex(4))
    before = load_run(folder)
    if before is not None:
        _check_fingerprint(before, fingerprint, folder)
        before.check_same(loaded, folder)
        attempts = _joined(before.attempts, attempt)
        run = replace(before, settings=settings, updated=now, attempts=attempts)
    _save(folder, run)
    return run


def close_attempt(folder: RunFolder, run: Run, output_tokens: int, seconds: float, cost: float | None = None) -> None:
    """Add what was generated, how long it took and what it cost to the latest attempt of this process.

    Call it with the folder's lock held. Other shards may have added attempts of theirs since ``run`` was opened.

    Raises:
        UserError: ``run.json`` can't be read any more.
        StorageError: the folder can't be written.
    """
    now = load_run(folder) or run
    mine = _circumstances(run.attempts[-1])
    attempts = list(now.attempts)
    place = max(number for number, each in enumerate(attempts) if _circumstances(each) == mine)
    last = attempts[place]
    attempts[place] = replace(
        last,
        output_tokens=last.output_tokens + output_tokens,
        seconds=last.seconds + seconds,
        cost=last.cost if cost is None else (last.cost or 0.0) + cost,
    )
    _save(folder, replace(now, attempts=tuple(attempts)))


def load_run(folder: RunFolder) -> Run | None:
    """Return the run of a folder, or None if nothing ran there yet.

    Raises:
        UserError: ``run.json`` can't be read or lacks what readers need.
    """
    try:
        fields = json.loads(folder.run_json.read_bytes())
        attempts = tuple(Attempt(**attempt) for attempt in fields["attempts"])
        run = Run(**{**fields, "loaded": LoadedModel(**fields["loaded"]), "attempts": attempts})
        _check_shape(run)
        return run
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, KeyError, RecursionError) as error:
        raise UserError(f"{folder.run_json} can't be read ({error}); restore it or move its folder away") from error


def _check_shape(run: Run) -> None:
    """Raise ValueError if something that readers of a run rely on is missing or of another type."""
    texts = (run.fingerprint, run.created, run.updated, run.nonce, *(attempt.command for attempt in run.attempts))
    if not run.attempts or not all(isinstance(text, str) for text in texts):
        raise ValueError("it lists no attempt, or a text is none")
    if not isinstance(run.settings, Mapping) or not isinstance(run.loaded.versions, Mapping):
        raise ValueError("settings and versions have names and values")
    for group, needed in _NEEDED.items():
        found = run.settings.get(group)
        for name, types in needed.items():
            if not isinstance(found, Mapping) or name not in found or not isinstance(found[name], types):
                raise ValueError(f"setting {group}.{name} is missing or of a wrong type")


@cache
def code_revision() -> str:
    """Return the commit of this program, with ``-dirty`` if its sources were changed, else its version.

    A copy that was installed, or unpacked without its repository, has a version only, unless a file beside its packages
    says what it was copied from.
    """
    with suppress(OSError):
        return (_ROOT / REVISION_FILE).read_text("utf-8")
    try:
        if Path(_git("rev-parse", "--show-toplevel")).resolve() == _ROOT:
            changed = _git("status", "--porcelain", "--", *_SOURCES)
            return _git("rev-parse", "HEAD") + ("-dirty" if changed else "")
    except (OSError, subprocess.SubprocessError):
        pass  # no git, no repository, or no commit yet
    return f"{_PACKAGE} {_package_version()}"


def _git(*arguments: str) -> str:
    environment = {name: value for name, value in os.environ.items() if name not in _GIT_PLACES}
    done = subprocess.run(
        ["git", "-C", str(_ROOT), *arguments],
        env={**environment, "GIT_OPTIONAL_LOCKS": "0"},
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
    )
    return done.stdout.strip()


def _package_version() -> str:
    try:
        return version(_PACKAGE)
    except PackageNotFoundError:
        return "unknown"


def _versions(loaded: LoadedModel) -> dict[str, str]:
    return {"python": platform.python_version(), _PACKAGE: _package_version(), **loaded.versions}


def _circumstances(attempt: Attempt) -> Attempt:
    return replace(attempt, output_tokens=0, seconds=0.0, cost=None)


def _joined(attempts: tuple[Attempt, ...], attempt: Attempt) -> tuple[Attempt, ...]:
    last = attempts[-1]
    same = _circumstances(replace(attempt, started=last.started)) == _circumstances(last)
    return attempts if same else (*attempts, attempt)


def _identity(loaded: LoadedModel) -> dict[str, str]:
    return {
        "engine": f"engine {loaded.engine}",
        "revision": f"model revision {loaded.model_revision}",
        "weights": loaded.weights,
        "dtype": f"compute in {loaded.compute_dtype}",
        "device": f"device {loaded.device if loaded.device in ('cpu', 'mps') else 'gpu'}",
    }


def _listed(identity: Mapping[str, str], names: list[str]) -> str:
    return ", ".join(identity[name] for name in names)


def check_run(folder: RunFolder, fingerprint: str) -> None:
    """Refuse to speak for a folder whose ``run.json`` is missing or another run's.

    Raises:
        UserError: says so.
    """
    run = load_run(folder)
    if run is None:
        raise UserError(f"{folder.path} holds samples but no run.json; restore it, or move the folder away")
    _check_fingerprint(run, fingerprint, folder)


def _check_fingerprint(run: Run, fingerprint: str, folder: RunFolder) -> None:
    if run.fingerprint != fingerprint:
        raise UserError(
            f"{folder.path} belongs to other settings (fingerprint {run.fingerprint}, now {fingerprint}). "
            "Move it away, or choose another folder: study=NAME"
        )


def _save(folder: RunFolder, run: Run) -> None:
    text = json.dumps(dataclasses.asdict(run), indent=1, allow_nan=False)
    write_atomic(folder.run_json, text.encode("ascii"))
    write_atomic(folder.settings, yaml.safe_dump(dict(run.settings), sort_keys=False).encode("utf-8"))
