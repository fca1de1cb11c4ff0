"""Which settings decide a text: runs with the same generation fingerprint may share a folder."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from bench.registry import own_file
from runner.config.settings import (
    AutoSettings,
    EngineSettings,
    GptqSettings,
    ScriptedSettings,
    Settings,
    VllmSettings,
)
from runner.config.suite import Suite
from runner.errors import UserError

# Bumped when the way a prompt is rendered changes.
PROMPT_VERSION = 1

# What a scripted engine's texts depend on; the rest of its options only decides when and whether they come.
SCRIPT = {
    "accuracy",
    "task_accuracy",
    "negative_accuracy",
    "thinking_tokens",
    "rechecks",
    "answer_tokens",
    "overrun",
    "odd_bytes",
    "unboxed",
    "tool_calls",
}
_MODEL = {"id", "revision", "source", "kind", "context", "thinking", "trust_remote_code"}


def _model_fields(settings: Settings) -> set[str]:
    """Return what of the model a text depends on; its family decides where thinking counts as open and is closed."""
    return _MODEL | ({"family"} if settings.budget.kind == "thinking" else set())


def generation_fingerprint(settings: Settings, suite: Suite) -> str:
    """Return 16 hex digits over everything that a sample's text depends on.

    Not in it: number of samples, folds, repeats and tasks, grader, tracking, batch sizes, code revision.
    ``auto`` choices enter as asked for, so that a login node and a compute node agree on the folder; what
    was really loaded is kept in ``run.json`` and must stay the same.
    """
    asked: dict[str, Any] = {
        "model": settings.model.model_dump(mode="json", include=_model_fields(settings)),
        "chat_template": _file_hash(settings.model.chat_template),
        "precision": _precision(settings),
        "engine": _engine(settings.engine),
        "prompt": [PROMPT_VERSION, settings.prompt.system, settings.prompt.user],
        "sampling": settings.sampling.model_dump(mode="json", exclude={"name"}),
        "budget": _budget(settings),
        "effort": [settings.effort.level, settings.model.efforts.get(settings.effort.level)],
        "tools": settings.tools.names,
        "data": [settings.suite.seed, _data_version(settings, suite)],
    }
    text = json.dumps(asked, sort_keys=True, ensure_ascii=True, allow_nan=False)
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:16]


def _precision(settings: Settings) -> str | list[Any]:
    """Return the number format; of GPTQ weights also whose they are, or what the quantising depends on."""
    precision = settings.precision
    if not isinstance(precision, GptqSettings):
        return precision.name
    published = settings.model.checkpoints.get(precision.name)
    weights = precision.calibration_samples if published is None else published.model_dump(mode="json")
    return [precision.name, precision.compute, weights]


def _engine(engine: EngineSettings) -> dict[str, Any]:
    if isinstance(engine, ScriptedSettings):
        return engine.model_dump(mode="json", include={"name"} | SCRIPT)
    if isinstance(engine, VllmSettings):
        return {"name": engine.name, "max_model_len": engine.max_model_len}
    if isinstance(engine, AutoSettings):
        return {"name": engine.name, "max_model_len": engine.vllm.max_model_len}
    return {"name": engine.name}


def _budget(settings: Settings) -> dict[str, Any]:
    """Return the budget. Without a limit all kinds are one; but a provider may be told so, which is not nothing."""
    budget = settings.budget
    if budget.tokens is None and settings.model.source != "api":
        return {"kind": "total", "tokens": None}
    return budget.model_dump(mode="json", exclude={"reuse"})


def _data_version(settings: Settings, suite: Suite) -> dict[str, Any]:
    """Return the parameters of every task of the suite, chosen or not, with versions of data and wording.

    A user's own task counts with every byte of its file, and only where it is asked: an edited one, or one asked beside
    the suite, gets a folder of its own, and no figure of the suite's changes.
    """
    versions = {name: [task.data_version, task.wording_version] for name, task in suite.known.items()}
    found = {"params": settings.suite.model_dump(mode="json")["params"], "versions": versions}
    files = {name: own_file(type(task)) for name, task in suite.tasks.items()}
    own = {name: hashlib.sha256(file.read_bytes()).hexdigest() for name, file in files.items() if file is not None}
    return {**found, "own": own} if own else found


def _file_hash(path: str | None) -> str | None:
    if path is None:
        return None
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except OSError as error:
        raise UserError(f"model.chat_template={path!r} can't be read: {error.strerror}") from error
