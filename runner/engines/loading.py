"""Loads a transformers model on a device in the number format asked for, and says what was really loaded."""

from __future__ import annotations

import gc
import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import torch
import transformers

from runner.config import machine
from runner.config.settings import ModelSettings, NumberFormat, Precision
from runner.engines.base import DTYPES, LoadedModel, alike, format_option, number_format
from runner.errors import UserError
from runner.weights.recipe import autogptq_config
from runner.weights.weights import Weights

_QUICK_GROUPS = (32, 64, 128, 256)  # what PyTorch's own 4-bit kernel takes
_DTYPES: dict[str, torch.dtype] = {name: getattr(torch, dtype) for name, dtype in DTYPES.items()}


def pick_device(wanted: str | None) -> torch.device:
    """Return the device asked for, or the best one there is: cuda, then mps, then cpu.

    Raises:
        UserError: torch can't use that device here.
    """
    if wanted is None:
        there = (("cuda", torch.cuda.is_available()), ("mps", torch.backends.mps.is_available()))
        return torch.device(next((name for name, usable in there if usable), "cpu"))
    try:
        device = torch.device(wanted)
        torch.empty(1, device=device)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        reason = str(error).partition("\n")[0]
        raise UserError(
            f"engine.device={wanted!r} can't be used ({reason}); null takes the best one there is"
        ) from error
    return device


def pick_dtype(
    wanted: NumberFormat, trained: torch.dtype, device: torch.device, option: str = "precision"
) -> torch.dtype:
    """Return the number format to compute in.

    ``auto`` is the format the weights were trained in, except for float32 where the hardware would only emulate it:
    on a CPU for float16 always, for bfloat16 without the instructions; on a GPU without bfloat16, float16 instead.
    ``option`` is what the user asked by.

    Raises:
        UserError: the device can't do what was asked.
    """
    native_bf16 = _has_bf16(device)
    if wanted == "auto":
        if device.type == "cpu":
            return torch.bfloat16 if trained is torch.bfloat16 and native_bf16 else torch.float32
        return torch.float16 if trained is torch.bfloat16 and not native_bf16 else trained
    if wanted == "fp16" and device.type == "cpu":
        raise UserError(f"{option}=fp16 is not for a CPU, which is slow and inexact in it; use {option}=fp32 (or auto)")
    if wanted == "bf16" and device.type == "cuda" and not native_bf16:
        raise UserError(f"{option}=bf16 is beyond {_device_name(device)}; use {option}=fp16 or fp32")
    return _DTYPES[wanted]


def _has_bf16(device: torch.device) -> bool:
    if device.type == "cuda":
        return bool(torch.cuda.is_bf16_supported(including_emulation=False))
    return device.type != "cpu" or machine.cpu().bf16


def load_config(weights: Weights, model: ModelSettings) -> Any:
    """Return the model's configuration.

    Raises:
        UserError: it can't be read.
    """
    with quiet():
        try:
            config = transformers.AutoConfig.from_pretrained(weights.folder, trust_remote_code=model.trust_remote_code)
        except (OSError, ValueError, ImportError) as error:
            reason = str(error).strip().partition("\n")[0]
            raise UserError(f"can't read the model in {weights.folder}: {reason}") from error
    if (separate := autogptq_config(weights.folder)) is not None:
        config.quantization_config = _of_autogptq(separate)
    return config


def _of_autogptq(path: Path) -> dict[str, Any]:
    """Return how weights are quantised from the file of its own that AutoGPTQ wrote, in transformers' words.

    Raises:
        UserError: it can't be read.
    """
    try:
        return {**json.loads(path.read_text("utf-8")), "quant_method": "gptq"}
    except (OSError, ValueError, TypeError) as error:
        raise UserError(f"can't read {path}: {error}") from error


def context_of(config: Any, model: ModelSettings) -> int:
    """Return the most tokens of prompt and output together: what the model can do, or less if the settings say so.

    Raises:
        UserError: neither the model nor the settings say it.
    """
    limits = (model.context, getattr(config.get_text_config(decoder=True), "max_position_embeddings", None))
    known = [limit for limit in limits if limit is not None]
    if not known:
        raise UserError(f"{model.name} doesn't say how long its context is; set model.context=N")
    return min(known)


def load_model(weights: Weights, model: ModelSettings, config: Any, precision: Precision, device: torch.device) -> Any:
    """Return the model on ``device``, ready to compute.

    Raises:
        UserError: the weights can't be read, are incomplete or don't fit into memory, or the format is not for
            this device.
    """
    trained = config.get_text_config(decoder=True).dtype or config.dtype or torch.float32
    dtype = pick_dtype(number_format(precision), trained, device, format_option(precision))
    _prepare_gptq(config, dtype, device)
    with quiet():
        try:
            loaded, report = transformers.AutoModelForCausalLM.from_pretrained(
                weights.folder,
                config=config,
                dtype=dtype,
                device_map={"": device},
                trust_remote_code=model.trust_remote_code,
                output_loading_info=True,
            )
        except (OSError, ValueError, ImportError, RuntimeError) as error:
            if out_of_memory(error):
                raise UserError(
                    f"{model.name} in {dtype} doesn't fit into the memory of {_device_name(device)}"
                ) from error
            raise UserError(f"can't load the model in {weights.folder}: {error}") from error
    if report["missing_keys"]:  # transformers would fill them with random numbers
        names = ", ".join(sorted(report["missing_keys"])[:3])
        raise UserError(f"the weights in {weights.folder} are incomplete: {names} …")
    return loaded.eval()


def _prepare_gptq(config: Any, dtype: torch.dtype, device: torch.device) -> None:
    """Name the kernel for GPTQ weights on a CPU; on a GPU GPTQModel knows best. Others need nothing.

    Its own choice would compile C++ on some CPUs and not on others. The plain one takes any weights and formats; the
    quick one, of PyTorch itself, takes 4 bits in groups and 16-bit numbers.
    """
    quantization = getattr(config, "quantization_config", None)
    if not isinstance(quantization, dict) or quantization.get("quant_method") != "gptq":
        return
    _hush_gptqmodel()
    if device.type != "cpu":
        return
    quick = quantization.get("bits") == 4 and quantization.get("group_size") in _QUICK_GROUPS
    quantization["backend"] = "gptq_torch_aten" if quick and dtype is not torch.float32 else "gptq_torch"


def _hush_gptqmodel() -> None:
    """Keep GPTQModel's banner and advice off the terminal; transformers imports it once it loads such weights."""
    with suppress(ImportError):
        from logbar import LogBar

        LogBar.shared().setLevel("ERROR")


def describe(loaded: Any, weights: Weights, context: int) -> LoadedModel:
    """Return what was loaded, read back from the model itself."""
    dtype = _compute_dtype(loaded)
    bits, weight_format = _weights_in(loaded, dtype.itemsize * 8)
    return LoadedModel(
        engine="transformers",
        model_revision=weights.revision,
        weight_bits=bits,
        weight_format=weight_format,
        compute_dtype=str(dtype).removeprefix("torch."),
        device=_device_name(next(loaded.parameters()).device),
        context=context,
        versions={"torch": torch.__version__, "transformers": transformers.__version__, **_kernels(weight_format)},
    )


def _compute_dtype(loaded: Any) -> torch.dtype:
    """Return the number format of most numbers that are no quantised weights.

    Models keep some layers, such as norms or a router, in another one.
    """
    sizes: Counter[torch.dtype] = Counter()
    for parameter in loaded.parameters():
        if parameter.is_floating_point() and parameter.element_size() > 1:
            sizes[parameter.dtype] += parameter.numel()
    return sizes.most_common(1)[0][0]


def _kernels(weight_format: str) -> dict[str, str]:
    """Return the version of what computes with weights of a format, where that is a package of its own."""
    version = machine.version("gptqmodel") if weight_format == "gptq" else None
    return {} if version is None else {"gptqmodel": version}


def _weights_in(loaded: Any, dense_bits: int) -> tuple[int | None, str]:
    """Return bits and format of the weights that the layers really hold, whatever the configuration says.

    Raises:
        UserError: a configuration speaks of quantised weights, and no layer holds any.
    """
    quantization = getattr(loaded.config, "quantization_config", None)
    if quantization is None:
        return dense_bits, "dense"
    method = str(getattr(quantization.quant_method, "value", quantization.quant_method))
    if method != "gptq":
        return getattr(quantization, "bits", None), method
    layers = [layer for layer in loaded.modules() if hasattr(layer, "bits") and hasattr(layer, "group_size")]
    if not layers:
        raise UserError("the configuration speaks of GPTQ weights, but no layer holds any; the checkpoint is damaged")
    return alike((layer.bits for layer in layers), method)


def out_of_memory(error: BaseException) -> bool:
    """Tell whether an error means that memory ran out, on whatever device."""
    signs = ("out of memory", "not enough memory", "can't allocate memory")
    return isinstance(error, torch.OutOfMemoryError) or any(sign in str(error) for sign in signs)


@contextmanager
def quiet() -> Iterator[None]:
    """Keep progress bars and advice of transformers off the terminal."""
    logging = transformers.utils.logging
    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


def free_memory() -> None:
    """Give back to the device what no object holds any more; a lost device, where every call fails, is left alone."""
    gc.collect()
    with suppress(RuntimeError):
        if torch.cuda.is_available():
            torch.cuda.empty_cache()
        if torch.backends.mps.is_available():
            torch.mps.empty_cache()


def _device_name(device: torch.device) -> str:
    return str(torch.cuda.get_device_name(device)) if device.type == "cuda" else device.type
