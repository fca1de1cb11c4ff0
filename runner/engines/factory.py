"""Chooses and builds the engine that the settings ask for."""

from __future__ import annotations

from collections.abc import Callable

from bench.problem import Problem
from runner.config import machine
from runner.config.settings import (
    ApiSettings,
    AutoSettings,
    ConcreteEngine,
    CustomSettings,
    EngineSettings,
    GptqSettings,
    Precision,
    SamplingSettings,
    ScriptedSettings,
    Settings,
    TransformersSettings,
    VllmSettings,
)
from runner.engines.base import DTYPES, Engine, EngineCapabilities, LoadedModel, number_format
from runner.engines.writing import Writer
from runner.errors import UserError
from runner.sampling.request import Noise
from runner.weights.quantize import tokenizer_for, weights_for


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
    if isinstance(engine, ApiSettings):
        from runner.engines.api import api_capabilities

        return api_capabilities(engine)
    if isinstance(engine, CustomSettings):
        from runner.engines.custom import capabilities_of

        return capabilities_of(engine)
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
    if isinstance(engine, ApiSettings):
        from runner.engines.api import make_api_engine

        return make_api_engine(settings, engine)
    if isinstance(engine, CustomSettings):
        from runner.engines.custom import make_custom

        return make_custom(settings, engine, problem_of)
    made = _local(settings, engine)
    try:
        check_precision(settings.precision, made.loaded)
    except UserError:
        made.close()
        raise
    return made


def _local(settings: Settings, engine: TransformersSettings | VllmSettings) -> Engine:
    weights = weights_for(settings.model, settings.precision)
    if isinstance(engine, VllmSettings):
        from runner.engines.vllm import VllmEngine

        return VllmEngine(settings.model, settings.precision, engine, weights)
    from runner.engines.transformers import TransformersEngine

    return TransformersEngine(settings.model, settings.precision, engine, weights)


def check_precision(precision: Precision, loaded: LoadedModel) -> None:
    """Refuse a model whose loaded weights, or the format it computes in, are not what was asked for.

    Raises:
        UserError: says what was loaded.
    """
    wanted = number_format(precision)
    same = wanted == "auto" or loaded.compute_dtype == DTYPES[wanted]
    if isinstance(precision, GptqSettings):
        same = same and (loaded.weight_format, loaded.weight_bits) == ("gptq", precision.bits)
    elif precision.name != "auto":
        same = same and loaded.weight_format == "dense"
    if not same:
        raise UserError(
            f"precision={precision.name} was asked for, but loaded are {loaded.weights} that compute in "
            f"{loaded.compute_dtype}; name other weights, or give precision=auto"
        )


def noise_of(sampling: SamplingSettings, can: EngineCapabilities) -> Noise:
    """Return the noise that ``auto`` stands for: counter where it costs nothing, or alone makes texts continuable.

    Over the whole vocabulary it costs a CPU more than 5 % of its tokens a second: see benchmarks/bench_noise.py.
    """
    if sampling.noise != "auto":
        return sampling.noise
    few = sampling.temperature == 0 or sampling.top_p < 1 or sampling.top_k > 0
    return "counter" if can.counter_noise and (few or not can.continues_draws) else "stream"


def make_writer(settings: Settings, loaded: LoadedModel) -> Writer:
    """Return the writer of the engine that a run was made with, without loading the model.

    Args:
        settings: The run's settings.
        loaded: What the run loaded.

    Raises:
        UserError: the engine has no ids, or the model that the run loaded is not to be had here.
    """
    if isinstance(settings.engine, ScriptedSettings):
        from runner.engines.scripted import ScriptedEngine

        return ScriptedEngine(settings.model, settings.engine, _no_problem)
    if loaded.engine not in ("transformers", "vllm") or loaded.context is None:
        raise UserError(f"engine={loaded.engine} gives no token ids, so its texts can't be cut")
    from runner.engines.tokenization import Tokenization

    weights = tokenizer_for(settings.model, settings.precision, loaded.model_revision)
    if weights is None:
        raise UserError(
            f"the run was made with revision {loaded.model_revision} of {settings.model.id}, which is not the one "
            "that is here: its texts can't be cut with that"
        )
    return Tokenization.load(weights.folder, settings.model, loaded.context)


def _no_problem(problem_id: str) -> Problem:
    raise LookupError(f"nothing is generated, so nobody asks for {problem_id}")
