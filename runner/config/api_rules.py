"""Rules for engines that ask a provider, checked before the first call: who answers, and what it takes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.util import find_spec
from urllib.parse import urlsplit

from runner.config import machine
from runner.config.prices import missing_price, price_of
from runner.config.provider_rules import anthropic_mistakes, google_mistakes
from runner.config.settings import (
    AnthropicSettings,
    ApiSettings,
    ConcreteEngine,
    GoogleSettings,
    OpenAISettings,
    Settings,
    ThinkingBudget,
)

# The module by which each engine's client library is found.
_MODULES = {"openai": "openai", "anthropic": "anthropic", "google": "google.genai"}


def api_mistakes(settings: Settings, engine: ConcreteEngine) -> Iterator[str]:
    """Yield why a point can't be asked of a provider, a line each; nothing for models and engines on this machine.

    Raises:
        UserError: the file of prices can't be read.
    """
    yield from _wrong_provider(settings, engine)
    if not isinstance(engine, ApiSettings):
        return
    if settings.precision.name != "auto":
        yield f"precision={settings.precision.name}: who serves the model decides; use precision=auto"
    if engine.max_cost is not None:
        yield from _unknown_cost(settings, engine)
    if engine.batch:
        yield from _no_batch(settings)
    address = urlsplit(engine.base_url or "")
    if "@" in address.netloc or address.query:
        yield (
            "engine.base_url holds a user, a password or a query, which would be stored; put the key into the variable "
            "that engine.api_key_env names"
        )
    if isinstance(engine, OpenAISettings):
        yield from _openai(settings, engine)
    elif isinstance(engine, AnthropicSettings):
        yield from anthropic_mistakes(settings, engine)
    elif isinstance(engine, GoogleSettings):
        yield from google_mistakes(settings, engine)


def api_unavailable(engine: ApiSettings, name: str) -> Iterator[str]:
    """Yield why this machine can't ask a provider that another one may, a line each.

    Args:
        engine: The engine.
        name: Its name.
    """
    if not has_library(name):
        yield f"engine={name} is not installed here: {machine.install_command('api')}"
    if engine.base_url is None and not os.environ.get(engine.api_key_env, "").strip():
        yield f"engine={name}: no key; export {engine.api_key_env}=..., or name another variable by engine.api_key_env"


def has_library(name: str) -> bool:
    """Tell whether an engine's client library is installed."""
    try:
        return find_spec(_MODULES[name]) is not None
    except ModuleNotFoundError:  # the package above it is missing
        return False


def _wrong_provider(settings: Settings, engine: ConcreteEngine) -> Iterator[str]:
    model = settings.model
    if model.source == "api":
        own = isinstance(engine, ApiSettings) and engine.name == model.provider
        if not own and not (isinstance(engine, ApiSettings) and engine.base_url is not None):
            yield f"model={model.name} is asked over the network: it needs engine={model.provider}"
    elif isinstance(engine, ApiSettings) and engine.base_url is None and model.source != "none":
        yield (
            f"model={model.name} with engine={engine.name}: {engine.name} does not serve it; give engine.base_url of a "
            "server that does, or engine=auto"
        )


def _unknown_cost(settings: Settings, engine: ApiSettings) -> Iterator[str]:
    asked = f"engine.max_cost={engine.max_cost}"
    if price_of(settings.model, engine) is None:
        yield f"{asked}: {missing_price(settings.model, engine)}"
    if engine.batch:
        yield f"{asked} with engine.batch=true: a batch is paid as a whole; look at plan=true and leave max_cost out"
    if settings.shards > 1:
        yield f"{asked} with shards={settings.shards}: shards don't know what the others cost; use shards=1"


def _no_batch(settings: Settings) -> Iterator[str]:
    if isinstance(settings.budget, ThinkingBudget):
        yield "budget=thinking with engine.batch=true: it takes two turns, and a batch has one; use engine.batch=false"
    if settings.tools.names:
        yield "tools with engine.batch=true: a batch has one turn; use engine.batch=false"
    if settings.shards > 1:
        yield f"shards={settings.shards} with engine.batch=true: a batch is handed in as a whole; use shards=1"


def _openai(settings: Settings, engine: OpenAISettings) -> Iterator[str]:
    sampling, model = settings.sampling, settings.model
    own = engine.base_url is None
    if sampling.source == "fixed":
        if own and model.kind == "reasoning" and (sampling.temperature, sampling.top_p) != (1, 1):
            yield (
                f"sampling={sampling.name}: OpenAI takes no temperature and top_p for {model.id}; use "
                "sampling=model_default"
            )
        extra = {"top_k": sampling.top_k, "repetition_penalty": sampling.repetition_penalty - 1}
        for name in (name for name, value in extra.items() if value):
            if own or engine.api == "responses":
                yield f"sampling.{name}: OpenAI's {engine.api} API has no such field; leave it out"
    if engine.api == "responses":
        if engine.continues:
            yield "engine.continues=true with engine.api=responses: Responses continues no text; use engine.api=chat"
        if engine.token_cap_field != "auto":
            yield f"engine.token_cap_field={engine.token_cap_field}: of engine.api=chat alone; use auto"
    if engine.continues and own:
        yield "engine.continues=true: OpenAI continues no text; it is for a server of yours (engine.base_url)"
    if own and engine.token_cap_field == "max_tokens" and model.kind == "reasoning":
        yield f"engine.token_cap_field=max_tokens: OpenAI takes max_completion_tokens alone for {model.id}; use auto"
