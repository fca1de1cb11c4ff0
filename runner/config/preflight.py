"""Rules between the groups, checked for every point before the first one starts."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import bench
from runner.config import machine
from runner.config.compose import near
from runner.config.settings import (
    ConcreteEngine,
    ModelSettings,
    ScriptedSettings,
    Settings,
    ThinkingBudget,
    VllmSettings,
)
from runner.engines.base import EngineCapabilities
from runner.errors import UserError


def preflight(settings: Settings, engine: ConcreteEngine, capabilities: EngineCapabilities) -> None:
    """Check a point without loading anything; a plan may be made on a machine that can't run it.

    Raises:
        UserError: everything that is wrong, a line each.
    """
    mistakes = list(_mistakes(settings, engine, capabilities))
    if not settings.plan:
        mistakes += unavailable(settings, engine)
    if mistakes:
        raise UserError("\n".join(mistakes))


def _mistakes(settings: Settings, engine: ConcreteEngine, capabilities: EngineCapabilities) -> Iterator[str]:
    model, budget = settings.model, settings.budget
    if model.source == "api":
        yield f"model={model.name} needs engine={model.provider}, which this version does not have yet"
        return
    if model.context is not None and (budget.most_tokens or 0) >= model.context:
        yield (
            f"budget.tokens={budget.most_tokens}: the context of {model.name} holds {model.context} tokens of prompt "
            "and output together; give less, or null to use what is left of it"
        )
    if settings.sampling.noise == "counter" and not capabilities.counter_noise:
        yield f"sampling.noise=counter: engine={engine.name} draws by itself; use sampling.noise=stream (or auto)"
    if isinstance(budget, ThinkingBudget):
        yield from _unclosable(model, engine, capabilities)
    level = settings.effort.level
    if level != "default" and level not in model.efforts:
        known = ", ".join(model.efforts) or "none of them"
        yield f"effort={level}: model={model.name} knows {known}; give one that it knows, or effort=default"
    if isinstance(engine, VllmSettings) and (engine.max_model_len or 0) > (model.context or engine.max_model_len or 0):
        yield f"engine.max_model_len={engine.max_model_len}: the context of {model.name} is {model.context}; give less"
    if isinstance(engine, ScriptedSettings):
        yield from _unknown_tasks(engine)
    scripted = isinstance(engine, ScriptedSettings)
    if (model.source == "none") != scripted:
        yield f"model={model.name} with engine={engine.name}: model=scripted and engine=scripted go together"
    if model.kind == "base" and not capabilities.stop_strings:
        yield f"model={model.name} is a base model and needs stop strings, which engine={engine.name} has not"


def unavailable(settings: Settings, engine: ConcreteEngine) -> Iterator[str]:
    """Yield why this machine can't run a point that another one may, a line each."""
    if isinstance(engine, ScriptedSettings):
        return
    if not machine.has_package(engine.name):
        yield f"engine={engine.name} is not installed here: {machine.install_command(engine.name)}"
    no_gpu = not machine.has_gpu() and sys.platform != "darwin"  # Apple's GPU shows once torch is loaded
    if settings.precision.name == "fp16" and no_gpu:
        yield "precision=fp16: a CPU has no fast fp16 arithmetic; use precision=fp32 (or auto)"


def _unclosable(model: ModelSettings, engine: ConcreteEngine, capabilities: EngineCapabilities) -> Iterator[str]:
    if model.thinking is None:
        yield f"budget=thinking: model={model.name} does not think; use budget=total"
    if not capabilities.continues:
        yield f"budget=thinking: engine={engine.name} can't continue a text, so no thinking can be closed there"


def _unknown_tasks(engine: ScriptedSettings) -> Iterator[str]:
    known = bench.task_names()
    for task in engine.task_accuracy:
        if task not in known:
            yield f"engine.task_accuracy.{task}: no such task.{near(task, known)} python -m runner tasks lists them"
