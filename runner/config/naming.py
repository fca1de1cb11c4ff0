"""How a point is called in folders and tables."""

from __future__ import annotations

from runner.config.settings import Settings

_PUBLISHED_TEMPERATURE = 0.1  # of conf/sampling/benchmark.yaml


def point_name(settings: Settings) -> str:
    """Return a short name that says what sets the point apart: model and every choice that is not the default."""
    parts = [settings.model.name, settings.suite.name]
    if settings.precision.name != "auto":
        parts.append(settings.precision.name)
    if settings.engine.name != "auto":
        parts.append(settings.engine.name)
    if settings.budget.tokens is not None:
        kind = "" if settings.budget.kind == "total" else settings.budget.kind
        parts.append(f"b{settings.budget.tokens}{kind}")
    if settings.effort.level != "default":
        parts.append(f"{settings.effort.level}_effort")
    if settings.prompt.name != "standard":
        parts.append(settings.prompt.name)
    if settings.sampling.name != "benchmark":
        parts.append(settings.sampling.name)
    elif settings.sampling.temperature != _PUBLISHED_TEMPERATURE:
        parts.append(f"t{settings.sampling.temperature:g}")
    if settings.sampling.seed:
        parts.append(f"seed{settings.sampling.seed}")
    if settings.suite.seed:
        parts.append(f"data{settings.suite.seed}")
    return "-".join(parts)
