"""What an engine gives back: one generated stretch of text with its token counts."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from runner.sampling.request import ModelCall

# ids: counted on token ids; provider: an API's own figures; derived: cut from a longer stored text;
# estimated: from characters or words.
UsageSource = Literal["ids", "provider", "derived", "estimated"]


class FinishReason(StrEnum):
    """Why a text ended."""

    STOP = "stop"  # the model ended it (end token or stop string)
    LENGTH = "length"  # a cap or the context ended it
    TOOL_CALLS = "tool_calls"
    REFUSED = "refused"  # blocked by a provider's filter
    ERROR = "error"


class Boundary(StrEnum):
    """Where an error arose."""

    PROMPT = "prompt"  # the prompt can't be rendered or doesn't fit the context
    ENGINE = "engine"  # the engine failed on this request or died of it
    TRANSPORT = "transport"  # network or provider
    TOOL = "tool"
    SAMPLE = "sample"  # the sample's own state machine


@dataclass(frozen=True, slots=True)
class Failure:
    """An error as data: stored with the sample, which a rerun tries again.

    Attributes:
        boundary: Where it arose.
        kind: Short stable name, e.g. ``prompt_too_long``, ``engine_died``, ``out_of_memory``.
        message: What happened, for a person.
    """

    boundary: Boundary
    kind: str
    message: str


@dataclass(frozen=True, slots=True)
class Usage:
    """Token counts of a stretch of text; unit: tokens of the model's own tokenizer unless ``source`` says otherwise.

    Attributes:
        prompt: The rendered prompt, without any continued prefix.
        thinking: Strictly between the thinking markers.
        answer: Output that is neither thinking nor a thinking marker, end token included.
        output: All that the model produced, end token and markers included.
        injected: Forced into the text by us; in no other count.
        tool: What tools gave back, without what a template puts around it; in no other count but that of a prompt.
        cached: Of the prompt, what a provider read from its cache, which it bills at another price.
        resent: Prompts of the turns after the first, each with all that was said before, as a provider bills them;
            their cached tokens are in ``cached``.
        source: How the counts were obtained.
        reused: Output tokens that were taken from a stored text instead of being generated; they count as output.
    """

    prompt: int = 0
    thinking: int = 0
    answer: int = 0
    output: int = 0
    injected: int = 0
    source: UsageSource = "ids"
    reused: int = 0
    tool: int = 0
    cached: int = 0
    resent: int = 0


@dataclass(frozen=True, slots=True)
class Generation:
    """The text for one request.

    Attributes:
        key: The request's key.
        text: The new text, thinking markers kept, end token removed.
        finish_reason: Why it ended.
        usage: Counts of this stretch alone.
        token_ids: The new ids, end token included; None where an engine has none.
        latency_s: Seconds from submission to the end.
        max_tokens: The cap that really acted on the new tokens (context included); None if unknown.
        prompt_sha256: Hash of the rendered prompt's ids or text, hex; empty on a prompt failure.
        prompt_tail: The last characters of the rendered prompt (a template may open the thinking there).
        failure: Set exactly when ``finish_reason`` is ``error``.
        derived_from: Other runs whose stored ids it was cut from or continues, by the names of their folders.
        tool_calls: Calls that a provider reports apart from the text; an engine with a text alone has none, even if the
            text holds some.
        raw_turn: The assistant's turn in the provider's own form as JSON, where a further turn needs it (signed
            thinking): comes back as ``Message.raw``.
        request_id: The provider's id of the call; empty where there is none.
    """

    key: str
    text: str
    finish_reason: FinishReason
    usage: Usage = field(default_factory=Usage)
    token_ids: tuple[int, ...] | None = None
    latency_s: float = 0.0
    max_tokens: int | None = None
    prompt_sha256: str = ""
    prompt_tail: str = ""
    failure: Failure | None = None
    derived_from: tuple[str, ...] = ()
    tool_calls: tuple[ModelCall, ...] = ()
    raw_turn: str = ""
    request_id: str = ""


def failed(key: str, boundary: Boundary, kind: str, message: str) -> Generation:
    """Return the generation that reports a failure of the request ``key``."""
    return Generation(key, "", FinishReason.ERROR, failure=Failure(boundary, kind, message))
