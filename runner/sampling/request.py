"""What is asked of an engine: one stretch of text to generate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from pydantic import JsonValue

from runner.tools.protocol import ToolSpec

Role = Literal["system", "user", "assistant", "tool"]
Noise = Literal["counter", "stream"]
UNCAPPED = -1  # a thinking_cap by which a provider leaves the length to the model, whatever the model does untold


@dataclass(frozen=True, slots=True)
class ModelCall:
    """A call of a tool as a model made it.

    Attributes:
        id: Names the call in the conversation; nine letters and digits where it is not a provider's.
        name: The tool's name as written.
        arguments: JSON text as written; may be none.
    """

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Message:
    """One chat message; ``content`` reaches the model byte for byte.

    Attributes:
        role: Who speaks.
        content: What is said; of an assistant's turn that calls tools, its visible text without the calls.
        calls: Tools that an assistant's turn calls.
        call_id: Of a tool's message, the call that it answers.
        name: Of a tool's message, the tool.
        reasoning: Of an assistant's turn, its thinking without the markers; whether the model sees it again is its
            template's, or its provider's, to say.
        raw: Of an assistant's turn, ``Generation.raw_turn``: an engine that wrote one sends it back in place of
            ``content``, ``calls`` and ``reasoning``.
    """

    role: Role
    content: str
    calls: tuple[ModelCall, ...] = ()
    call_id: str = ""
    name: str = ""
    reasoning: str = ""
    raw: str = ""


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of the assistant's turn that stands before the text asked for now.

    Attributes:
        text: The text of the stretch, thinking markers included.
        token_ids: The ids the model produced, or None for text that an engine has yet to encode.
        injected: True for forced text (a closing marker, an observation): never counted as model output.
    """

    text: str
    token_ids: tuple[int, ...] | None = None
    injected: bool = False


@dataclass(frozen=True, slots=True)
class SamplingParams:
    """How the next token is drawn. The defaults leave the model's distribution as it is.

    Attributes:
        temperature: 0 is greedy.
        top_p: Smallest set of tokens whose probability reaches this share, in (0, 1].
        top_k: The k most likely tokens; 0 is no limit.
        repetition_penalty: Divides (multiplies) the positive (negative) logits of tokens seen before; 1 is none.
        noise: ``counter`` decides a token by noise of its own, a hash of seed, absolute position and token id;
            ``stream`` leaves it to the engine's random numbers.
    """

    temperature: float = 0.0
    top_p: float = 1.0
    top_k: int = 0
    repetition_penalty: float = 1.0
    noise: Noise = "stream"


@dataclass(frozen=True, slots=True)
class Reserve:
    """Room in the context that a text leaves to what will follow it.

    Attributes:
        text: What will be forced.
        tokens: New tokens that will be asked for behind it.
    """

    text: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Request:
    """One stretch of text to generate.

    Attributes:
        key: Unique among the requests in flight, stable across runs: ``<sample key>#<turn>``.
        messages: The conversation so far; the engine's chat template renders it once.
        sampling: How tokens are drawn.
        seed: Seed of this sample, 63 bits: the same request with the same seed gives the same text, whatever runs
            beside it. Whether a continuation draws what the uninterrupted text would have is the engine's to say.
        max_tokens: Cap on new tokens; None lets the text run to the end of the context.
        prefix: The assistant's turn so far, continued without a new turn marker.
        stop: Strings that end the text; only for models that do not think.
        template_options: Extra variables for the chat template, e.g. ``{"enable_thinking": False}``.
        thinking_cap: Cap on thinking tokens that the engine itself enforces; None for none. Only for engines whose
            capabilities have it, and never together with a ``prefix``.
            :data:`UNCAPPED` only for models with a ``thinking_cap`` in their file.
        reserve: What is to follow in the same context; None for nothing. Where it doesn't fit one token is asked for,
            and what follows gets the rest.
        tools: Tools that the model is told of in its own way (its template's or its provider's) and may call. Only for
            engines whose capabilities have ``native_tools``.
    """

    key: str
    messages: tuple[Message, ...]
    sampling: SamplingParams
    seed: int
    max_tokens: int | None
    prefix: tuple[Segment, ...] = ()
    stop: tuple[str, ...] = ()
    template_options: Mapping[str, JsonValue] = field(default_factory=dict)
    thinking_cap: int | None = None
    reserve: Reserve | None = None
    tools: tuple[ToolSpec, ...] = ()
