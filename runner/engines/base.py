"""What every engine is: a queue that never blocks on submission, with stated capabilities."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from runner.config.settings import GptqSettings, NumberFormat, Precision
from runner.errors import EXIT_FAILED
from runner.sampling.generation import Generation
from runner.sampling.request import Request, SamplingParams

# Number formats of the settings as torch and vLLM name them.
DTYPES = {"fp16": "float16", "bf16": "bfloat16", "fp32": "float32"}


def number_format(precision: Precision) -> NumberFormat:
    """Return what a precision computes in."""
    return precision.compute if isinstance(precision, GptqSettings) else precision.name


def format_option(precision: Precision) -> str:
    """Return the option that says what a precision computes in."""
    return "precision.compute" if isinstance(precision, GptqSettings) else "precision"


def alike(bits: Iterable[int | None], weight_format: str) -> tuple[int | None, str]:
    """Return bits and format of quantised weights; where layers differ no bits, and all of them with the format."""
    several = sorted({one for one in bits if one is not None})
    if len(several) > 1:
        return None, f"{weight_format} of {' and '.join(map(str, several))} bits"
    return (several[0] if several else None), weight_format


class EngineDied(Exception):
    """The engine is gone with everything in flight.

    Attributes:
        restartable: Whether a fresh one can be built in this process; not after a GPU's context is lost.
    """

    def __init__(self, message: str, *, restartable: bool = True) -> None:
        super().__init__(message)
        self.restartable = restartable


class EngineStopped(Exception):
    """The run ends here, for a reason that asking again at once would not change; what was generated is kept.

    Attributes:
        code: What the command exits with.
        lasting: Whether the other points of this engine would end so too.
    """

    def __init__(self, message: str, *, code: int = EXIT_FAILED, lasting: bool = True) -> None:
        super().__init__(message)
        self.code = code
        self.lasting = lasting


@dataclass(frozen=True, slots=True)
class EngineCapabilities:
    """What a study may ask of an engine; preflight refuses what one can't do.

    Attributes:
        continues: Takes ``Request.prefix``.
        token_ids: Returns the ids it generated.
        seeds: The same request with the same seed gives the same text, whatever runs beside it.
        stop_strings: Honours ``Request.stop``.
        local: Runs the weights on this machine.
        continues_draws: A continued text draws what the uninterrupted one would have drawn. Without it that holds
            for greedy decoding and counter noise alone.
        counter_noise: Draws by ``SamplingParams.noise == "counter"``.
        thinking_cap: Honours ``Request.thinking_cap``.
        native_tools: Takes ``Request.tools`` and messages of tools. A local engine does as far as the model's chat
            template does.
    """

    continues: bool
    token_ids: bool
    seeds: bool
    stop_strings: bool
    local: bool
    continues_draws: bool = False
    counter_noise: bool = False
    thinking_cap: bool = False
    native_tools: bool = False


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """What was really loaded, read back from the engine; stored in ``run.json`` and checked on resume.

    Attributes:
        engine: Name of the engine, e.g. ``transformers``.
        model_revision: Commit or content hash of the weights.
        weight_bits: Bits of a stored weight; None where a provider does not say, or layers differ.
        weight_format: ``dense``, ``gptq``, …
        compute_dtype: ``float32``, ``bfloat16``, …
        device: ``cpu`` or the GPU's name.
        context: Most tokens of prompt and output together; None where a provider does not say.
        versions: Package name to version of what did the work.
    """

    engine: str
    model_revision: str
    weight_bits: int | None
    weight_format: str
    compute_dtype: str
    device: str
    context: int | None
    versions: Mapping[str, str]

    @property
    def weights(self) -> str:
        """Bits and format of the weights in words, e.g. ``4-bit gptq weights``."""
        bits = "" if self.weight_bits is None else f"{self.weight_bits}-bit "
        return f"{bits}{self.weight_format} weights"


class Engine(Protocol):
    """A queue of requests. Not thread-safe: one driver owns it."""

    capabilities: EngineCapabilities
    loaded: LoadedModel
    default_sampling: SamplingParams  # what the model's generation_config recommends
    window: int  # how many requests are worth having in flight

    @property
    def in_flight(self) -> int:
        """Requests submitted and not yet returned by :meth:`poll`."""
        ...

    def submit(self, request: Request) -> None:
        """Queue a request; never blocks, never raises for what is wrong with the request itself."""
        ...

    def poll(self, timeout_s: float) -> list[Generation]:
        """Do or await one unit of work and return what finished, possibly nothing.

        A unit is a vLLM step, some decoding steps of a batch, or API calls that ended. With work in
        flight that has to be awaited it blocks for ``timeout_s`` at most; a local step is not cut short.

        Raises:
            EngineDied: the engine is gone.
            EngineStopped: nothing more is to be had now; everything that finished was returned before.
        """
        ...

    def cancel(self, key: str) -> None:
        """Drop a request; it is not returned any more. Unknown keys are ignored."""
        ...

    def close(self) -> None:
        """Release memory and processes; the engine is unusable afterwards. Idempotent."""
        ...
