"""Weights & Biases: a copy of every run through the real client, online when logged in, else offline.

The client is imported when a run starts. It writes below ``<run folder>/wandb`` and takes the settings, the
figures, system metrics, a trimmed table of traces and the complete generations file; no console output, no code
and no git state.
"""

from __future__ import annotations

import dataclasses
import functools
import logging
import netrc
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, ClassVar, Literal
from urllib.parse import urlsplit

from runner.config.settings import WandbTracking
from runner.results.layout import RunFolder
from runner.tracking.base import Metric, TraceRow, TraceSource, TrackedRun, plain

_Mode = Literal["online", "offline", "disabled"]
_COLUMNS = [field.name for field in dataclasses.fields(TraceRow)]
_log = logging.getLogger(__name__)


class WandbTracker:
    """Logs runs to W&B, one after the other; see :class:`runner.tracking.base.Tracker`.

    Args:
        settings: Project, entity, mode, extra tags and the number of rows in the table.
        init_timeout_s: Seconds to wait for the server before the run goes offline.
        finish_timeout_s: Seconds to wait for uploads at a run's end; what is left stays on disk for ``wandb sync``.
        retry_s: Seconds for which all runs of the process stay offline once the server has failed, so that a sweep
            does not wait at every point.
    """

    _next_try_s: ClassVar[float] = 0.0  # time.monotonic() before which no server is asked

    def __init__(
        self,
        settings: WandbTracking,
        init_timeout_s: float = 20.0,
        finish_timeout_s: float = 300.0,
        retry_s: float = 1_800.0,
    ) -> None:
        self._settings = settings
        self._init_timeout_s = init_timeout_s
        self._finish_timeout_s = finish_timeout_s
        self._retry_s = retry_s
        self._folder = Path()
        self._run: Any = None

    @property
    def url(self) -> str | None:
        return None if self._run is None else str(self._run.url or "") or None

    def start(self, run: TrackedRun) -> None:
        self._folder = run.folder
        run = dataclasses.replace(run, tags=(*run.tags, *self._settings.tags))
        with _survived("this run is not logged"):
            mode = self._mode()
            if mode != "disabled":
                self._run = self._open(run, mode)

    def log_summary(self, metrics: Mapping[str, Metric]) -> None:
        if self._run is None:
            return
        with _survived("the figures are not logged"):
            self._run.summary.update(plain(metrics))

    def log_traces(self, traces: TraceSource) -> None:
        if self._run is None:
            return
        # The default staging folder is in the home directory, which another node may not have.
        with _survived("the traces are not logged"), _environment("WANDB_DATA_DIR", str(self._folder / "wandb")):
            self._log_table(traces(self._settings.trace_rows))
            self._log_generations()

    def finish(self, exit_code: int) -> None:
        run, self._run = self._run, None
        if run is None:
            return
        with _survived(f"`wandb sync` uploads what is left in {self._folder / 'wandb'}"):
            try:
                run.finish(exit_code=exit_code)
            except TimeoutError:
                self._rest()
                raise

    def _mode(self) -> _Mode:
        mode = mode_of(self._settings)
        return "offline" if mode == "online" and time.monotonic() < WandbTracker._next_try_s else mode

    def _open(self, run: TrackedRun, mode: _Mode) -> Any:
        try:
            return self._init(run, mode)
        except Exception as error:
            _log.warning("W&B: kept offline for `wandb sync` after %s", _in_short(error))
        if mode == "online":
            self._rest()
        with suppress(Exception):  # until then the failed attempt holds the id, or the client's service is dead
            _client().teardown()
        return self._init(run, "offline")

    def _rest(self) -> None:
        WandbTracker._next_try_s = time.monotonic() + self._retry_s

    def _init(self, run: TrackedRun, mode: _Mode) -> Any:
        wandb = _client()
        settings = wandb.Settings(
            console="off",
            disable_code=True,
            disable_git=True,
            finish_timeout=self._finish_timeout_s,
            finish_timeout_raises=True,
            init_timeout=self._init_timeout_s,
            mode=mode,
            reinit="create_new",  # a run that someone else has open in this process is left alone
            root_dir=str(run.folder.absolute()),
            silent=True,
        )
        return wandb.init(
            project=self._settings.project,
            entity=self._settings.entity,
            id=run.id,
            resume="allow",
            name=run.name,
            group=run.group,
            tags=run.tags,
            config=dict(run.config),
            settings=settings,
        )

    def _log_table(self, rows: Sequence[TraceRow]) -> None:
        if not rows:
            return
        wandb = _client()
        data = [[getattr(row, column) for column in _COLUMNS] for row in rows]
        self._run.log({"traces": wandb.Table(columns=_COLUMNS, data=data, allow_mixed_types=True)})

    def _log_generations(self) -> None:
        parts = [part.generations for part in RunFolder(self._folder).parts()]
        found = [path for path in parts if path.exists()]
        if not found:
            return
        artifact = _client().Artifact(f"traces-{self._run.id}", type="traces")
        # An offline run needs a copy, since the file may have grown by the time it is synced.
        policy = "mutable" if self._run.offline else "immutable"
        for path in found:
            name = str(path.relative_to(self._folder))
            artifact.add_file(str(path), name=name, skip_cache=True, policy=policy)
        self._run.log_artifact(artifact)


def mode_of(settings: WandbTracking) -> _Mode:
    """Return the mode to work in; without a login that is offline, since the client would ask for a key."""
    mode = _mode_of_environment() if settings.mode == "auto" else settings.mode
    if mode != "online" or logged_in():
        return mode
    _warn_once("W&B: no login (WANDB_API_KEY or `wandb login`), so runs are kept offline; `wandb sync` uploads them")
    return "offline"


def _mode_of_environment() -> _Mode:
    modes: dict[str, _Mode] = {"offline": "offline", "dryrun": "offline", "disabled": "disabled"}
    return modes.get(os.environ.get("WANDB_MODE", ""), "online")


def _client() -> Any:
    """Return the wandb module, told before anything else to print nothing and to send nothing about itself.

    Its own telemetry would go out from offline runs too, and makes the exit wait where the network swallows it.
    """
    os.environ.setdefault("WANDB_ERROR_REPORTING", "false")
    import wandb

    wandb.setup(wandb.Settings(silent=True))
    return wandb


def server() -> str:
    """Return the host that the client talks to; its default differs between versions of the client."""
    return str(urlsplit(_client().setup().settings.base_url).netloc)


def logged_in() -> bool:
    """Return whether the client has credentials for its server; it looks in the same places."""
    if os.environ.get("WANDB_API_KEY") or os.environ.get("WANDB_IDENTITY_TOKEN_FILE"):
        return True
    return bool(_client().setup().settings.api_key) or _in_netrc(server())


def _in_netrc(host: str) -> bool:
    named = os.environ.get("NETRC")
    for path in [Path(named)] if named else [Path("~/.netrc"), Path("~/_netrc")]:
        try:
            entry = netrc.netrc(path.expanduser()).authenticators(host)
        except (OSError, RuntimeError, netrc.NetrcParseError):
            continue  # no such file or an unreadable one: no login
        if entry is not None:
            return bool(entry[2])
    return False


@contextmanager
def _survived(consequence: str) -> Iterator[None]:
    """Turn any exception of the client into one warning: the files are the record, W&B is a copy."""
    try:
        yield
    except Exception as error:
        _log.warning("W&B: %s: %s", consequence, _in_short(error))


def _in_short(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"


@functools.cache
def _warn_once(line: str) -> None:
    _log.warning(line)


@contextmanager
def _environment(name: str, value: str) -> Iterator[None]:
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before
