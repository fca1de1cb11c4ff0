"""The engines that ask a provider: what each can do, and building one."""

from __future__ import annotations

import os
from collections.abc import Mapping

from runner.config import machine
from runner.config.settings import AnthropicSettings, ApiEngineSettings, ApiSettings, OpenAISettings, Settings
from runner.engines.base import EngineCapabilities, LoadedModel
from runner.engines.transport import ApiEngine, Provider
from runner.errors import UserError
from runner.sampling.request import SamplingParams

# The client library of each, as its distribution is called.
LIBRARIES: Mapping[str, str] = {"openai": "openai", "anthropic": "anthropic", "google": "google-genai"}
# A server of the user's own may want no key, but the client libraries want one.
_NO_KEY = "none"
# What providers draw by untold.
_UNTOLD = SamplingParams(temperature=1.0)


def api_capabilities(engine: ApiEngineSettings) -> EngineCapabilities:
    """Return what an engine can do, without its client library."""
    if isinstance(engine, OpenAISettings):
        from runner.engines.openai import capabilities_of

        return capabilities_of(engine)
    if isinstance(engine, AnthropicSettings):
        from runner.engines.anthropic import CAPABILITIES

        return CAPABILITIES
    from runner.engines.google import CAPABILITIES

    return CAPABILITIES


def make_api_engine(settings: Settings, engine: ApiEngineSettings) -> ApiEngine:
    """Return the engine that asks a provider; nothing is sent yet.

    Raises:
        UserError: there is no key.
    """
    key = key_of(engine)
    loaded = LoadedModel(
        engine=engine.name,
        model_revision=settings.model.revision or "as served",
        weight_bits=None,
        weight_format="provider",
        compute_dtype="unknown",
        device="provider",
        context=None,
        versions={LIBRARIES[engine.name]: machine.version(LIBRARIES[engine.name]) or "unknown"},
    )
    provider = _provider(settings, engine, key or _NO_KEY)
    return ApiEngine(provider, engine, loaded, _UNTOLD, secret=key)


def key_of(engine: ApiSettings) -> str:
    """Return the key; empty for a server of the user's own, which may want none.

    Raises:
        UserError: there is none.
    """
    key = os.environ.get(engine.api_key_env, "").strip()
    if key or engine.base_url is not None:
        return key
    raise UserError(f"engine.api_key_env={engine.api_key_env}: not set; export {engine.api_key_env}=... with your key")


def _provider(settings: Settings, engine: ApiEngineSettings, key: str) -> Provider:
    if isinstance(engine, OpenAISettings):
        from runner.engines.openai import OpenAIProvider

        return OpenAIProvider(settings.model, engine, key, drawn=settings.sampling.source == "fixed")
    if isinstance(engine, AnthropicSettings):
        from runner.engines.anthropic import AnthropicProvider

        return AnthropicProvider(settings.model, engine, key, drawn=settings.sampling.source == "fixed")
    from runner.engines.google import GoogleProvider

    return GoogleProvider(settings.model, engine, key)
