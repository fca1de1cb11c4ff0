"""Which settings decide a text: runs with the same generation fingerprint may share a folder."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from bench.registry import own_file, task_class
from bench.stored.rows import StoredTask
from runner.config.custom import source_hash
from runner.config.settings import (
    ApiSettings,
    AutoSettings,
    CustomSettings,
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
# Bumped when what a model is told of its tools changes, or how their results are put to it.
TOOL_VERSION = 1

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
# What of an engine behind an API a text depends on: who is asked and how, not how fast or at what price.
_API = {"name", "base_url", "api", "api_version", "max_output_tokens", "include_thoughts"}
# The same for how it calls tools, where it is given some.
SCRIPTED_CALLS = {"calls", "accuracy_with_tools", "call_form", "slip", "slips"}
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
        "engine": _engine(settings.engine, bool(settings.tools.names)),
        "prompt": [PROMPT_VERSION, settings.prompt.system, settings.prompt.user],
        "sampling": settings.sampling.model_dump(mode="json", exclude={"name"}),
        "budget": _budget(settings),
        "effort": [settings.effort.level, settings.model.efforts.get(settings.effort.level)],
        "tools": _tools(settings),
        "data": [settings.suite.seed, _data_version(settings, suite)],
    }
    text = json.dumps(asked, sort_keys=True, ensure_ascii=True, allow_nan=False)
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:16]


def text_fingerprint(asked: Settings, wording: str) -> str:
    """Return 16 hex digits over what decides a reply to given messages: model, precision, engine, sampling, budget.

    Args:
        asked: Settings of whoever replies; what is asked about is not looked at.
        wording: What tells the ways of asking apart.
    """
    decides: dict[str, Any] = {
        "model": asked.model.model_dump(mode="json", include=_MODEL | {"family"}),
        "chat_template": _file_hash(asked.model.chat_template),
        "precision": _precision(asked),
        "engine": _engine(asked.engine),
        "sampling": asked.sampling.model_dump(mode="json", exclude={"name"}),
        "budget": _budget(asked),
        "effort": [asked.effort.level, asked.model.efforts.get(asked.effort.level)],
        "wording": wording,
    }
    text = json.dumps(decides, sort_keys=True, ensure_ascii=True, allow_nan=False)
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:16]


def _precision(settings: Settings) -> str | list[Any]:
    """Return the number format; of GPTQ weights also whose they are, or what the quantising depends on."""
    precision = settings.precision
    if not isinstance(precision, GptqSettings):
        return precision.name
    published = settings.model.checkpoints.get(precision.name)
    weights = precision.calibration_samples if published is None else published.model_dump(mode="json")
    return [precision.name, precision.compute, weights]


def _engine(engine: EngineSettings, tools: bool = False) -> dict[str, Any]:
    if isinstance(engine, ScriptedSettings):
        return engine.model_dump(mode="json", include={"name"} | SCRIPT | (SCRIPTED_CALLS if tools else set()))
    if isinstance(engine, CustomSettings):
        own = engine.model_dump(mode="json", include={"name", "path", "options"})
        return {**own, "source": source_hash(engine.path)}
    if isinstance(engine, ApiSettings):
        return engine.model_dump(mode="json", include=_API)
    if isinstance(engine, VllmSettings):
        return {"name": engine.name, "max_model_len": engine.max_model_len}
    if isinstance(engine, AutoSettings):
        return {"name": engine.name, "max_model_len": engine.vllm.max_model_len}
    return {"name": engine.name}


def _tools(settings: Settings) -> dict[str, Any] | list[str]:
    """Return the tools with all that bounds them and decides how they are told; without tools none of it acts."""
    if not settings.tools.names:
        return []
    return {"version": TOOL_VERSION, **settings.tools.model_dump(mode="json", exclude={"sandbox"})}


def _budget(settings: Settings) -> dict[str, Any]:
    """Return the budget. Without a limit all kinds are one; but a provider may be told so, which is not nothing."""
    budget = settings.budget
    if budget.tokens is None and settings.model.source != "api":
        return {"kind": "total", "tokens": None}
    return budget.model_dump(mode="json", exclude={"reuse"})


def _data_version(settings: Settings, suite: Suite) -> dict[str, Any]:
    """Return the parameters of every task of the suite, chosen or not, with versions of data and wording.

    A stored set's data count only where it is asked: another one may not be here. A user's own task counts with every
    byte of its file, and only where it is asked: an edited one, or one asked beside the suite, gets a folder of its
    own, and no figure of the suite's changes.
    """
    versions = {name: [task.data_version, task.wording_version] for name, task in suite.known.items()}
    params = settings.suite.model_dump(mode="json")["params"]
    given = {name: _without_path(name, own) for name, own in params.items()}
    found: dict[str, Any] = {"params": given, "versions": versions}
    if sets := {name: task.checksum() for name, task in suite.known.items() if isinstance(task, StoredTask)}:
        found["sets"] = sets
    files = {name: own_file(type(task)) for name, task in suite.tasks.items()}
    own = {name: hashlib.sha256(file.read_bytes()).hexdigest() for name, file in files.items() if file is not None}
    return {**found, "own": own} if own else found


def _without_path(name: str, params: dict[str, Any]) -> dict[str, Any]:
    """Return a task's parameters; where a stored set lies says nothing, its checksum says what it holds."""
    stored = issubclass(task_class(name), StoredTask)
    return {key: value for key, value in params.items() if key != "path" or not stored}


def _file_hash(path: str | None) -> str | None:
    if path is None:
        return None
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except OSError as error:
        raise UserError(f"model.chat_template={path!r} can't be read: {error.strerror}") from error
