"""Chooses and builds the engine that the settings ask for."""

from __future__ import annotations

from collections.abc import Callable

from bench.problem import Problem
from runner.config import machine
from runner.config.settings import (
    AutoSettings,
    ConcreteEngine,
    EngineSettings,
    ScriptedSettings,
    Settings,
    VllmSettings,
)
from runner.engines.base import Engine, EngineCapabilities
from runner.weights.locate import locate


def resolve(engine: EngineSettings) -> ConcreteEngine:
    """Return the engine that ``auto`` stands for on this machine; others as they are."""
    if not isinstance(engine, AutoSettings):
        return engine
    return engine.vllm if machine.has_gpu() and machine.has_package("vllm") else engine.transformers


def capabilities(engine: ConcreteEngine) -> EngineCapabilities:
    """Return what the engine can do, without loading anything heavy."""
    if isinstance(engine, ScriptedSettings):
        from runner.engines.scripted import ScriptedEngine

        return ScriptedEngine.capabilities
    if isinstance(engine, VllmSettings):
        from runner.engines.vllm import VllmEngine

        return VllmEngine.capabilities
    from runner.engines.transformers import TransformersEngine

    return TransformersEngine.capabilities


def make_engine(settings: Settings, engine: ConcreteEngine, problem_of: Callable[[str], Problem]) -> Engine:
    """Load the model and return its engine.

    Args:
        settings: The point's settings.
        engine: The engine, already resolved.
        problem_of: Problem by id; only the scripted engine asks.

    Raises:
        UserError: the engine, the weights or the precision are not to be had here; says what to do.
    """
    if isinstance(engine, ScriptedSettings):
        from runner.engines.scripted import ScriptedEngine

        return ScriptedEngine(settings.model, engine, problem_of)
    weights = locate(settings.model)
    if isinstance(engine, VllmSettings):
        from runner.engines.vllm import VllmEngine

        return VllmEngine(settings.model, settings.precision, engine, weights)
    from runner.engines.transformers import TransformersEngine

    return TransformersEngine(settings.model, settings.precision, engine, weights)
