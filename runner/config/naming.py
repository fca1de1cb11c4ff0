"""How a point is called in folders and tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from runner.config.settings import Settings
from runner.config.tools import ToolName

_PUBLISHED_TEMPERATURE = 0.1  # of conf/sampling/benchmark.yaml


def tools_name(names: Sequence[str]) -> str:
    """Return what a choice of tools is called: ``none``, ``all``, or their names."""
    everything = set(names) == set(get_args(ToolName))
    return "all" if everything else "+".join(names) or "none"


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
    if settings.tools.names:
        parts.append(f"{tools_name(settings.tools.names)}_tools")
    if settings.sampling.name != "benchmark":
        parts.append(settings.sampling.name)
    elif settings.sampling.temperature != _PUBLISHED_TEMPERATURE:
        parts.append(f"t{settings.sampling.temperature:g}")
    if settings.sampling.seed:
        parts.append(f"seed{settings.sampling.seed}")
    if settings.suite.seed:
        parts.append(f"data{settings.suite.seed}")
    return "-".join(parts)
