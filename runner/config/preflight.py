"""Rules between the groups, checked for every point before the first one starts."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import bench
from bench.problem import AnswerKind
from bench.registry import task_class
from runner.config import machine
from runner.config.api_rules import api_mistakes, api_unavailable
from runner.config.compose import near
from runner.config.settings import (
    ApiSettings,
    ConcreteEngine,
    CustomSettings,
    GptqSettings,
    ModelSettings,
    NativeBudget,
    ScriptedSettings,
    Settings,
    ThinkingBudget,
    TransformersSettings,
    VllmSettings,
)
from runner.engines.base import EngineCapabilities
from runner.errors import UserError
from runner.tools.usable import choose


def preflight(
    settings: Settings, engine: ConcreteEngine, capabilities: EngineCapabilities, *, elsewhere: bool = False
) -> None:
    """Check a point without loading anything; a plan may be made on a machine that can't run it.

    Args:
        settings: What is asked.
        engine: The engine, already resolved.
        capabilities: What it can do.
        elsewhere: Whether another machine will run it, such as a cluster's node.

    Raises:
        UserError: everything that is wrong, a line each.
    """
    mistakes = list(_mistakes(settings, engine, capabilities))
    if not settings.plan and not elsewhere:
        mistakes += unavailable(settings, engine)
    if mistakes:
        raise UserError("\n".join(mistakes))


def _mistakes(settings: Settings, engine: ConcreteEngine, capabilities: EngineCapabilities) -> Iterator[str]:
    model, budget = settings.model, settings.budget
    wrong = list(api_mistakes(settings, engine))
    yield from wrong
    if wrong and model.source == "api" and not isinstance(engine, ApiSettings):
        return  # the rest speaks of an engine that is not meant
    yield from _too_long(settings, engine)
    if settings.sampling.noise == "counter" and not capabilities.counter_noise:
        yield f"sampling.noise=counter: engine={engine.name} draws by itself; use sampling.noise=stream (or auto)"
    if isinstance(budget, ThinkingBudget):
        yield from _unclosable(model, engine, capabilities)
    if isinstance(budget, NativeBudget) and budget.tokens is not None:
        yield from _uncappable(model, engine, capabilities)
    level = settings.effort.level
    if level != "default" and level not in model.efforts:
        known = ", ".join(model.efforts) or "none of them"
        yield f"effort={level}: model={model.name} knows {known}; give one that it knows, or effort=default"
    if isinstance(engine, VllmSettings) and (engine.max_model_len or 0) > (model.context or engine.max_model_len or 0):
        yield f"engine.max_model_len={engine.max_model_len}: the context of {model.name} is {model.context}; give less"
    if isinstance(engine, ScriptedSettings):
        yield from _unknown_tasks(engine)
    compute = settings.precision.compute if isinstance(settings.precision, GptqSettings) else None
    if isinstance(engine, VllmSettings) and compute == "fp32":
        yield (
            f"precision={settings.precision.name} with precision.compute=fp32: vLLM computes with GPTQ weights in 16 "
            "bits alone; use precision.compute=auto, or engine=transformers"
        )
    if settings.tools.names:
        yield from _uncallable(settings, engine, capabilities)
    scripted = isinstance(engine, ScriptedSettings)
    if (model.source == "none") != scripted and not isinstance(engine, CustomSettings):
        yield f"model={model.name} with engine={engine.name}: model=scripted and engine=scripted go together"
    if model.kind == "base" and not capabilities.stop_strings:
        yield f"model={model.name} is a base model and needs stop strings, which engine={engine.name} has not"


def _too_long(settings: Settings, engine: ConcreteEngine) -> Iterator[str]:
    """Yield why a budget can't be had: it leaves no room in the context for a prompt."""
    model, budget = settings.model, settings.budget
    limits = {f"the context of {model.name}": model.context}
    if isinstance(engine, VllmSettings):
        limits["engine.max_model_len"] = engine.max_model_len
    known = {name: limit for name, limit in limits.items() if limit is not None}
    most = budget.most_tokens or budget.tokens or 0
    if not known or most < min(known.values()):
        return
    name = min(known, key=lambda name: known[name])
    asked, instead = f"budget.tokens={budget.tokens}", "give less, or null to use what is left of it"
    if isinstance(budget, ThinkingBudget):
        asked, instead = f"{asked} with budget.answer_tokens={budget.answer_tokens}", "give less of either"
    yield f"{asked}: {name} holds {known[name]} tokens of prompt and output together; {instead}"


def unavailable(settings: Settings, engine: ConcreteEngine) -> Iterator[str]:
    """Yield why this machine can't run a point that another one may, a line each."""
    yield from _ungradable(settings)
    yield from _without_sandbox(settings)
    if isinstance(engine, ScriptedSettings | CustomSettings):
        return
    if isinstance(engine, ApiSettings):
        yield from api_unavailable(engine, engine.name)
        return
    if not machine.has_package(engine.name):
        yield f"engine={engine.name} is not installed here: {machine.install_command(engine.name)}"
    no_gpu = not machine.has_gpu() and sys.platform != "darwin"  # Apple's GPU shows once torch is loaded
    if settings.precision.name == "fp16" and no_gpu:
        yield "precision=fp16: a CPU has no fast fp16 arithmetic; use precision=fp32 (or auto)"
    if isinstance(settings.precision, GptqSettings):
        yield from _unloadable(settings.precision, engine, no_gpu)


def _ungradable(settings: Settings) -> Iterator[str]:
    """Yield which tasks' answers can't be graded here."""
    asked = settings.suite.tasks or tuple(settings.suite.params)
    needing = [name for name in asked if task_class(name).answer_kind is AnswerKind.EXPRESSION]
    if needing and not machine.has_package("math_verify"):
        yield (
            f"suite={settings.suite.name}: grading {', '.join(needing)} needs math-verify, which is not installed "
            f"here: {machine.install_command('math')}"
        )


def _unloadable(precision: GptqSettings, engine: ConcreteEngine, no_gpu: bool) -> Iterator[str]:
    """Yield why GPTQ weights can't run here on an engine."""
    asked = f"precision={precision.name}"
    if isinstance(engine, VllmSettings):
        if no_gpu and precision.bits == 8:
            yield f"{asked}: vLLM has no 8-bit GPTQ for a CPU; use engine=transformers, or precision=int4"
        if no_gpu and precision.compute == "fp16":
            yield f"{asked} with precision.compute=fp16: vLLM on a CPU takes bf16 alone; use precision.compute=auto"
        return
    missing = [name for name in ("gptqmodel", "optimum") if not machine.has_package(name)]
    if isinstance(engine, TransformersSettings) and missing:
        yield (
            f"{asked}: engine=transformers needs {' and '.join(missing)}, not installed here; use engine=vllm, or an "
            "environment that has them (docs/precision.md)"
        )
    if no_gpu and precision.compute == "fp16":
        yield f"{asked} with precision.compute=fp16: a CPU has no fast fp16 arithmetic; use precision.compute=auto"


def _uncallable(settings: Settings, engine: ConcreteEngine, capabilities: EngineCapabilities) -> Iterator[str]:
    """Yield why tools can't be called as they are asked for."""
    tools, model, kind = settings.tools, settings.model, settings.budget.kind
    asked = f"tools={','.join(tools.names)}"
    if isinstance(settings.budget, ThinkingBudget) or (kind == "native" and settings.budget.tokens is not None):
        yield f"{asked} with budget={kind}: no engine caps thinking that tools interrupt; use budget=total"
    if tools.protocol == "native" and not capabilities.native_tools:
        yield f"tools.protocol=native: engine={engine.name} has no calls of its own; use tools.protocol=react"
    if tools.protocol == "native" and model.kind == "base":
        yield f"tools.protocol=native: model={model.name} is a base model, without a template; use tools.protocol=react"


def _without_sandbox(settings: Settings) -> Iterator[str]:
    """Yield why code that the model writes can't be run here."""
    if settings.tools.runs_code:
        try:
            choose(settings.tools.sandbox)
        except UserError as error:
            yield str(error)


def _unclosable(model: ModelSettings, engine: ConcreteEngine, capabilities: EngineCapabilities) -> Iterator[str]:
    if model.thinking is None and capabilities.continues:
        yield f"budget=thinking: model={model.name} does not think; use budget=total"
    if not capabilities.continues:
        yield f"budget=thinking: engine={engine.name} can't continue a text, so no thinking can be closed there"


def _uncappable(model: ModelSettings, engine: ConcreteEngine, capabilities: EngineCapabilities) -> Iterator[str]:
    if model.thinking is None and (model.source != "api" or model.kind == "instruct"):  # a provider shows no markers
        yield f"budget=native: model={model.name} does not think; use budget=total"
    if not capabilities.thinking_cap:
        yield f"budget=native: engine={engine.name} has no cap on thinking of its own; use budget=thinking"


def _unknown_tasks(engine: ScriptedSettings) -> Iterator[str]:
    known = bench.task_names()
    for task in engine.task_accuracy:
        if task not in known:
            yield f"engine.task_accuracy.{task}: no such task.{near(task, known)} python -m runner tasks lists them"
