"""vLLM, fed request by request and stepped: results come back while others still run."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from runner.config.settings import ModelSettings, Precision, VllmSettings
from runner.engines.base import EngineCapabilities, EngineDied, LoadedModel, alike
from runner.engines.tokenization import Tokenization
from runner.engines.vllm_arguments import arguments, environment
from runner.engines.vllm_core import VllmCore
from runner.engines.writing import Rendered
from runner.sampling.generation import Boundary, FinishReason, Generation, failed
from runner.sampling.request import Request
from runner.weights.weights import Weights

# Name of the extra argument of a request that draws with counter noise, see runner.engines.vllm_noise.
COUNTER_NOISE = "counter_noise"
_FINISH_REASONS = {"stop": FinishReason.STOP, "length": FinishReason.LENGTH}


class VllmEngine:
    """vLLM's V1 engine with its core in a process of its own; exact token ids, no text but by our own decoding.

    The same request with the same seed gives the same text beside any others in float32. In 16 bits batches of
    different sizes round differently, and a near tie may fall the other way.

    vLLM draws from a stream that begins anew with each request. A continued text therefore has a stream of its
    own, seeded by the request's seed and the number of tokens of its prefix: greedy continuations equal the
    uninterrupted text, sampled ones can be repeated but do not equal it. With counter noise they do: then our own
    logits processor draws (see :mod:`runner.engines.vllm_noise`).
    """

    capabilities = EngineCapabilities(
        continues=True,
        token_ids=True,
        seeds=True,
        stop_strings=True,
        local=True,
        counter_noise=True,
        thinking_cap=True,
        native_tools=True,
    )

    def __init__(self, model: ModelSettings, precision: Precision, settings: VllmSettings, weights: Weights) -> None:
        """Load the model.

        Raises:
            UserError: vLLM is missing, finds no device, or can't load this; says what to do.
        """
        self._core = VllmCore(environment(settings), lambda: arguments(model, precision, settings, weights))
        try:
            self.loaded = _loaded(self._core.config, weights)
            self._tokenization = Tokenization.load(weights.folder, model, self._core.config.model_config.max_model_len)
        except BaseException:
            self._core.close()
            raise
        self.default_sampling = self._tokenization.default_sampling()
        # The whole batch may end in one step; what is to follow must be in vLLM's queue by then.
        self.window = 2 * settings.max_num_seqs
        self._end_ids = sorted(self._tokenization.end_ids)
        self._running: dict[str, _Running] = {}
        self._ready: list[Generation] = []  # failed before they reached vLLM

    @property
    def writer(self) -> Tokenization:
        return self._tokenization

    @property
    def in_flight(self) -> int:
        return len(self._running) + len(self._ready)

    def submit(self, request: Request) -> None:
        """Queue a request.

        Raises:
            EngineDied: the engine is gone.
        """
        submitted_s = time.monotonic()
        rendered = self._tokenization.render(request)
        if isinstance(rendered, Generation):
            self._ready.append(rendered)
            return
        try:
            self._core.add(request.key, rendered.input_ids, _sampling_params(request, rendered, self._end_ids))
        except EngineDied:
            raise
        except Exception as error:  # of vLLM's own kinds, which differ from version to version
            self._ready.append(failed(request.key, Boundary.ENGINE, "request_refused", f"vLLM: {error}"))
        else:
            self._running[request.key] = _Running(request, rendered, submitted_s)

    def poll(self, timeout_s: float) -> list[Generation]:
        """Return what never reached vLLM at once, else what ends in vLLM's next step."""
        if self._ready:
            ready, self._ready = self._ready, []
            return ready
        return [self._generation(output) for output in self._core.step()] if self._running else []

    def cancel(self, key: str) -> None:
        self._ready = [generation for generation in self._ready if generation.key != key]
        if self._running.pop(key, None) is not None:
            self._core.abort(key)

    def close(self) -> None:
        self._running.clear()
        self._ready.clear()
        self._core.close()

    def _generation(self, output: Any) -> Generation:
        running = self._running.pop(output.request_id)
        (completion,) = output.outputs
        reason = _FINISH_REASONS.get(completion.finish_reason)
        if reason is None:
            message = f"vLLM ended the request with {completion.finish_reason!r}"
            return failed(output.request_id, Boundary.ENGINE, "request_failed", message)
        latency_s = time.monotonic() - running.submitted_s
        return self._tokenization.generation(running.request, running.rendered, completion.token_ids, reason, latency_s)


@dataclass(frozen=True, slots=True)
class _Running:
    request: Request
    rendered: Rendered
    submitted_s: float


def _sampling_params(request: Request, rendered: Rendered, end_ids: Sequence[int]) -> Any:
    """Return the request in vLLM's words.

    Raises:
        ValueError: vLLM would draw with another temperature than the one asked for.
        Exception: vLLM refuses a value.
    """
    from vllm import SamplingParams
    from vllm.sampling_params import RequestOutputKind

    sampling = request.sampling
    params = SamplingParams(
        **_drawing(request, rendered),
        max_tokens=rendered.max_new_tokens,
        # Our end ids alone end a text: vLLM's own idea of them is the tokenizer's one.
        ignore_eos=True,
        stop_token_ids=list(end_ids),
        stop=list(request.stop),
        detokenize=bool(request.stop),
        skip_special_tokens=False,  # stop strings are looked for in the text that is stored
        output_kind=RequestOutputKind.FINAL_ONLY,
        **({} if request.thinking_cap is None else {"thinking_token_budget": request.thinking_cap}),
    )
    if params.extra_args is None and params.temperature != sampling.temperature:
        raise ValueError(f"temperature {sampling.temperature} is too small; give 0 or at least {params.temperature}")
    return params


def _drawing(request: Request, rendered: Rendered) -> dict[str, Any]:
    """Return how vLLM draws, or that it takes what our logits processor leaves it."""
    sampling = request.sampling
    if sampling.noise == "counter" and sampling.temperature > 0:
        own = [request.seed, sampling.temperature, sampling.top_p, sampling.top_k, sampling.repetition_penalty]
        return {"temperature": 0.0, "extra_args": {COUNTER_NOISE: own}}
    return {
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "top_k": sampling.top_k,  # 0 is no limit for vLLM too
        "repetition_penalty": sampling.repetition_penalty,
        "seed": _stream_seed(request.seed, len(rendered.prefix_ids)),
    }


def _stream_seed(seed: int, prefix_tokens: int) -> int:
    """Return the 63-bit seed of the stream that the tokens after the prefix are drawn from."""
    if not prefix_tokens:
        return seed
    digest = hashlib.sha256(f"stream/{seed}/{prefix_tokens}".encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 1


def _loaded(whole: Any, weights: Weights) -> LoadedModel:
    """Return what was loaded, read back from the ``VllmConfig`` that the layers were built by."""
    import torch
    import transformers
    import vllm
    from vllm.platforms import current_platform

    config = whole.model_config
    bits, weight_format = _weights_in(whole.quant_config, config.dtype.itemsize * 8)
    return LoadedModel(
        engine="vllm",
        model_revision=weights.revision,
        weight_bits=bits,
        weight_format=weight_format,
        compute_dtype=str(config.dtype).removeprefix("torch."),
        device=current_platform.get_device_name(),
        context=config.max_model_len,
        versions={"vllm": vllm.__version__, "torch": torch.__version__, "transformers": transformers.__version__},
    )


def _weights_in(quantization: Any, dense_bits: int) -> tuple[int | None, str]:
    """Return bits and format of the weights by the configuration that the layers were built by."""
    if quantization is None:
        return dense_bits, "dense"
    # Names of kernels, such as auto_gptq and gptq_marlin, for weights of one format.
    weight_format = "gptq" if "gptq" in quantization.get_name() else quantization.get_name()
    rules = getattr(quantization, "dynamic", None) or {}  # those with -: leave layers dense, others may change bits
    own = [rule["bits"] for pattern, rule in rules.items() if "bits" in rule and not pattern.startswith("-:")]
    return alike([getattr(quantization, "weight_bits", None), *own], weight_format)
