"""What vLLM is started with: the arguments of its engine, and the environment of its processes."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from runner.config import machine
from runner.config.settings import GptqSettings, ModelSettings, Precision, VllmSettings
from runner.engines.base import DTYPES, format_option, number_format
from runner.errors import UserError
from runner.weights.recipe import autogptq_config
from runner.weights.weights import Weights


def arguments(
    model: ModelSettings, precision: Precision, settings: VllmSettings, weights: Weights
) -> Mapping[str, Any]:
    """Return the arguments of ``vllm.EngineArgs``.

    Raises:
        UserError: vLLM is missing or has no device here, or the precision is not for that device.
    """
    device = _device_type()
    return {
        "model": str(weights.folder),
        "trust_remote_code": model.trust_remote_code,
        "dtype": _dtype(model, precision, weights, device),
        # vLLM finds by itself what config.json says, and needs a hint where AutoGPTQ wrote a file of its own.
        **({"quantization": "gptq"} if autogptq_config(weights.folder) else {}),
        # The model's own generation_config must not act, and ours goes with each request.
        "generation_config": "vllm",
        "max_model_len": min(filter(None, (settings.max_model_len, model.context)), default=None),
        "max_num_seqs": settings.max_num_seqs,
        "tensor_parallel_size": settings.tensor_parallel_size,
        "pipeline_parallel_size": settings.pipeline_parallel_size,
        "gpu_memory_utilization": settings.gpu_memory_utilization,
        "enforce_eager": settings.enforce_eager,
        "enable_prefix_caching": settings.prefix_caching,
        "logits_processors": ["runner.engines.vllm_noise:CounterNoise"],
        **_thinking_arguments(model),
        "disable_log_stats": True,
        "seed": 0,
    }


def _thinking_arguments(model: ModelSettings) -> Mapping[str, Any]:
    """Return what vLLM has to know for its own cap on thinking; it costs requests without a cap nothing."""
    if model.thinking is None:
        return {}
    try:
        from vllm.config.reasoning import ReasoningConfig
    except ImportError:  # a vLLM that has no such cap; it refuses or ignores the requests that ask for one
        return {}
    markers = model.thinking
    return {"reasoning_config": ReasoningConfig(reasoning_start_str=markers.open, reasoning_end_str=markers.close)}


def _device_type() -> str:
    try:
        from vllm.platforms import current_platform
    except ImportError as error:
        advice = machine.install_command("vllm")
        raise UserError(f"engine=vllm needs the vllm package ({error}): {advice}") from error
    device: str = current_platform.device_type
    if not device:
        advice = "use engine=transformers, or install a CPU build of vLLM"
        raise UserError(f"engine=vllm: this build of vLLM finds no GPU here; {advice}")
    return device


def _dtype(model: ModelSettings, precision: Precision, weights: Weights, device: str) -> str:
    """Return the number format to compute in, chosen as engine=transformers does."""
    import torch

    from runner.engines.loading import load_config, pick_dtype

    config = load_config(weights, model)
    trained = config.get_text_config(decoder=True).dtype or config.dtype or torch.float32
    wanted = number_format(precision)
    if isinstance(precision, GptqSettings) and wanted == "auto":
        # vLLM's GPTQ kernels take 16 bits alone, and those of its CPU build bfloat16, emulated or not.
        return "bfloat16" if device == "cpu" or trained is torch.bfloat16 else "float16"
    if device == "cpu":
        return str(pick_dtype(wanted, trained, torch.device("cpu"), format_option(precision))).removeprefix("torch.")
    if wanted != "auto":
        return DTYPES[wanted]
    # vLLM's own auto halves float32. It knows the GPU without opening it, which would cost memory here.
    return "float32" if trained is torch.float32 else "auto"


def environment(settings: VllmSettings) -> Mapping[str, str]:
    """Return the environment variables that vLLM is loaded under."""
    return {
        "VLLM_LOGGING_LEVEL": "ERROR",
        "VLLM_LOGGING_STREAM": "ext://sys.stderr",
        "VLLM_NO_USAGE_STATS": "1",
        # As a CPU build does always: a fork would copy the locks that our other threads hold at that moment.
        "VLLM_WORKER_MULTIPROC_METHOD": "spawn",
        # On some CPUs it would round activations to 8 bits beside 4-bit weights, which nobody asked for.
        "VLLM_CPU_INT4_W4A8": "0",
        "VLLM_CPU_KVCACHE_SPACE": str(settings.cpu_kv_cache_gib),
        "VLLM_CPU_OMP_THREADS_BIND": _cores(settings.tensor_parallel_size * settings.pipeline_parallel_size),
    }


def _cores(ranks: int) -> str:
    """Return the cores we may use, shared out to the ranks of a CPU build, as vLLM writes it: ``0,1|2,3``.

    vLLM's own choice keeps a core free for every rank, which is half of a machine of two.
    """
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else list(range(os.cpu_count() or 1))
    shares = [cores[rank * len(cores) // ranks : (rank + 1) * len(cores) // ranks] or cores for rank in range(ranks)]
    return "|".join(",".join(map(str, share)) for share in shares)
