"""The settings of the engine that plays a part."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from runner.config.fields import Group, Natural, Positive, Real

# How calls of tools are written where a model is told of them in its own way; where a prompt tells of them it is ReAct.
CallForm = Literal["hermes", "llama", "mistral", "bare", "structured"]
# What goes wrong with a call: the form of it (fence … made_up), where it stands (in_thinking), what it asks
# (unknown_tool, fails, wrong_logic), what is made of the result (ignored), or that it comes again (again).
Slip = Literal[
    "none", "fence", "json", "broken", "inline", "lower_case", "no_input", "several", "made_up", "in_thinking",
    "unknown_tool", "fails", "wrong_logic", "ignored", "again",
]  # fmt: skip


class ScriptedSettings(Group):
    """An engine that plays a part: for tests and demonstrations, never a model's result."""

    name: Literal["scripted"]
    max_restarts: Natural = Field(description="How often a dead engine is built again")
    accuracy: Annotated[float, Field(ge=0, le=1)] = Field(description="Share of samples answered right")
    task_accuracy: Mapping[str, Annotated[float, Field(ge=0, le=1)]] = Field(description="The same for single tasks")
    negative_accuracy: Annotated[float, Field(ge=0, le=1)] | None = Field(
        None, description="The same where the answer is a negative number; null makes no difference"
    )
    thinking_tokens: Natural = Field(description="Mean length of the thinking; 0 does not think")
    rechecks: Natural = Field(0, description="Steps that the thinking derives and then derives again")
    answer_tokens: Natural = Field(description="Mean length of the text before the box")
    overrun: Annotated[float, Field(ge=0, le=1)] = Field(description="Share of samples that never stop by themselves")
    fail: Annotated[float, Field(ge=0, le=1)] = Field(description="Share of requests that end in an error")
    odd_bytes: Annotated[float, Field(ge=0, le=1)] = Field(description="Share of texts with control characters")
    tool_calls: Annotated[float, Field(ge=0, le=1)] = Field(description="Share of samples that first call a tool")
    calls: Positive = Field(1, description="Calls of such a sample before it answers")
    accuracy_with_tools: Annotated[float, Field(ge=0, le=1)] | None = Field(
        None, description="Share answered right by those that read a tool's result; null makes no difference"
    )
    call_form: CallForm = Field("hermes", description="How it writes native calls; ReAct has one form")
    slip: Slip = Field("none", description="What goes wrong with the calls")
    slips: Annotated[float, Field(ge=0, le=1)] = Field(1.0, description="Share of calling samples in which it does")
    unboxed: Annotated[float, Field(ge=0, le=1)] = Field(description="Share of answers given without a box")
    window: Positive = Field(description="Requests in flight")
    step_s: Annotated[Real, Field(ge=0)] = Field(description="Seconds one step takes")
    die_at: Natural | None = Field(description="A process's first engine dies at this request; null never")
