"""What Anthropic and Google take of a call, checked before the first one is paid for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from runner.config.settings import AnthropicSettings, GoogleSettings, NativeBudget, Settings, TotalBudget

LEAST_THINKING = 1024  # tokens, of Messages
_LEAST_TOP_P = 0.95  # of Messages with thinking
_MOST_TEMPERATURE = {"anthropic": 1.0, "google": 2.0}
_EFFORT_FIELDS = frozenset({"thinking", "output_config"})
_DYNAMIC = -1  # a thinkingBudget that leaves the length to the model


def anthropic_mistakes(settings: Settings, engine: AnthropicSettings) -> Iterator[str]:
    """Yield why Messages does not take a point, a line each; a server of yours may take more."""
    yield from _in_common(settings, engine)
    effort = f"effort={settings.effort.level}"
    sent = settings.model.effort_options(settings.effort.level) if settings.model.source == "api" else {}
    if foreign := sorted(set(sent) - _EFFORT_FIELDS):
        yield f"{effort}: model={settings.model.name} sends {', '.join(foreign)}; known are thinking and output_config"
    thinking = _mapping(sent.get("thinking"))
    cap = _native_cap(settings)
    tokens, asked = thinking.get("budget_tokens"), effort
    if cap is not None:
        tokens, asked = cap, f"budget=native budget.tokens={cap}"
    if isinstance(tokens, int):
        yield from _unthinkable(settings, engine, tokens, asked)
    if settings.sampling.source == "fixed" and engine.base_url is None:
        thinks = cap is not None or thinking.get("type") in ("enabled", "adaptive")
        yield from _anthropic_sampling(settings, engine, thinks)


def _unthinkable(settings: Settings, engine: AnthropicSettings, tokens: int, asked: str) -> Iterator[str]:
    budget = settings.budget
    most, name = engine.max_output_tokens, "engine.max_output_tokens"
    if isinstance(budget, TotalBudget) and budget.tokens is not None:
        most, name = budget.tokens, "budget.tokens"
    if tokens < LEAST_THINKING:
        yield f"{asked}: {tokens} tokens of thinking; {LEAST_THINKING} is the least that Messages takes"
    elif tokens >= most:
        yield f"{asked}: {tokens} tokens of thinking have to be less than all output, {name}={most}; give more of that"


def _anthropic_sampling(settings: Settings, engine: AnthropicSettings, thinks: bool) -> Iterator[str]:
    sampling = settings.sampling
    plain = (sampling.temperature, sampling.top_k) == (1, 0)
    if engine.api_version != "2023-06-01" and not (plain and sampling.top_p == 1):
        yield (
            f"sampling={sampling.name} with engine.api_version={engine.api_version}: it takes no temperature, top_p "
            "and top_k; use sampling=model_default, or engine.api_version=2023-06-01 for a model that still has them"
        )
    elif thinks and not (plain and sampling.top_p >= _LEAST_TOP_P):
        yield (
            f"sampling={sampling.name}: a Claude that thinks takes temperature 1, no top_k and a top_p of "
            f"{_LEAST_TOP_P} or more; use sampling=model_default"
        )


def google_mistakes(settings: Settings, engine: GoogleSettings) -> Iterator[str]:
    """Yield why generateContent does not take a point, a line each."""
    model, sampling = settings.model, settings.sampling
    if model.source != "api":
        yield f"model={model.name} with engine=google: it asks models of Google alone; use engine=openai for a server"
        return
    yield from _in_common(settings, engine)
    if sampling.source == "model":
        yield (
            f"sampling={sampling.name}: Google does not say what its models draw by; write it out, "
            "sampling.source=fixed sampling.temperature=... sampling.top_p=..."
        )
    effort = f"effort={settings.effort.level}"
    sent = model.effort_options(settings.effort.level)
    config = _mapping(_mapping(sent.get("generationConfig")).get("thinkingConfig"))
    if {"thinkingBudget", "thinkingLevel"} <= config.keys():
        yield f"{effort}: model={model.name} sends a thinkingBudget and a thinkingLevel; only one is taken"
    tokens, asked = config.get("thinkingBudget"), effort
    cap = _native_cap(settings)
    if cap is not None:
        tokens, asked = cap, f"budget=native budget.tokens={cap}"
        if model.thinking_cap is None:
            yield f"{asked}: model={model.name} has no thinking_cap in its file, so it is not known to take one"
    if isinstance(tokens, int) and tokens != _DYNAMIC and model.thinking_cap and not model.thinking_cap.takes(tokens):
        yield f"{asked}: {tokens} tokens of thinking; model={model.name} takes {model.thinking_cap.words}"


def _in_common(settings: Settings, engine: AnthropicSettings | GoogleSettings) -> Iterator[str]:
    model, sampling = settings.model, settings.sampling
    if model.kind == "base":
        yield f"model={model.name} with engine={engine.name}: it takes chats, and a base model plain text"
    if sampling.source == "fixed" and sampling.repetition_penalty != 1:
        yield f"sampling.repetition_penalty={sampling.repetition_penalty}: engine={engine.name} has none; use 1"
    most = _MOST_TEMPERATURE[engine.name]
    if sampling.source == "fixed" and engine.base_url is None and sampling.temperature > most:
        yield f"sampling.temperature={sampling.temperature}: engine={engine.name} takes 0 to {most}"
    if _native_cap(settings) is not None and settings.effort.level != "default":
        yield f"budget=native with effort={settings.effort.level}: both say how much to think; use effort=default"


def _native_cap(settings: Settings) -> int | None:
    return settings.budget.tokens if isinstance(settings.budget, NativeBudget) else None


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
