"""The typed settings of the engines that ask a provider over the network."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from runner.config.fields import Group, Line, Natural, Positive, Real, Text


class ApiSettings(Group):
    """What the engines of all providers have in common."""

    max_restarts: Natural = Field(description="How often a dead engine is built again")
    base_url: Line | None = Field(description="Address of a compatible server; null asks the provider itself")
    api_key_env: Line = Field(description="Environment variable that holds the key; the key itself is stored nowhere")
    max_concurrency: Positive = Field(description="Most calls at once; fewer while the provider says it is too much")
    timeout_s: Annotated[Real, Field(gt=0)] = Field(description="Seconds that one call may take")
    max_retries: Natural = Field(description="How often a call is repeated that failed in a way that may pass")
    backoff_s: Annotated[Real, Field(gt=0)] = Field(
        description="Seconds before the first repetition; twice as long before each further one, with jitter"
    )
    max_wait_s: Annotated[Real, Field(gt=0)] = Field(
        description="Longest wait before a repetition; a provider that asks for a longer one ends the run"
    )
    max_cost: Annotated[Real, Field(gt=0)] | None = Field(
        description="US dollars that a run may cost, its earlier attempts counted; null for no limit"
    )
    prices: Text | None = Field(description="YAML file of prices; null takes conf/prices.yaml")
    batch: bool = Field(description="Hand all in as a batch: cheaper, and answered within a day")


class OpenAISettings(ApiSettings):
    """OpenAI, or any server that speaks its protocol."""

    name: Literal["openai"]
    api: Literal["chat", "responses"] = Field(description="Chat Completions or Responses")
    token_cap_field: Literal["auto", "max_completion_tokens", "max_tokens"] = Field(
        description="Which field of Chat Completions caps the output; auto: max_completion_tokens for OpenAI itself, "
        "max_tokens for a compatible server"
    )
    continues: bool = Field(
        description="The server goes on with a text of the assistant (continue_final_message), as vLLM's does"
    )


class AnthropicSettings(ApiSettings):
    """Anthropic's Messages, or a server that speaks its protocol."""

    name: Literal["anthropic"]
    api_version: Literal["2023-06-01", "2026-10-21"] = Field(
        description="anthropic-version of every call; the later one takes no temperature, top_p and top_k"
    )
    max_output_tokens: Positive = Field(
        description="Cap on output, thinking included, where the budget has none: Messages takes no call without one"
    )


class GoogleSettings(ApiSettings):
    """Google's generateContent (Gemini)."""

    name: Literal["google"]
    include_thoughts: bool = Field(description="Have summaries of the thinking sent; they are not the thinking itself")
