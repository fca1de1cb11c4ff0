"""Finds and builds an engine of the user's own: a class named by its dotted path."""

from __future__ import annotations

import importlib
from collections.abc import Callable

from bench.problem import Problem
from runner.config.custom import CustomSettings
from runner.config.settings import Settings
from runner.engines.base import Engine, EngineCapabilities
from runner.errors import UserError


def capabilities_of(engine: CustomSettings) -> EngineCapabilities:
    """Return what the user's engine says that it can do.

    Raises:
        UserError: there is no such class, or it does not say.
    """
    found = getattr(_class_at(engine.path), "capabilities", None)
    if not isinstance(found, EngineCapabilities):
        raise UserError(
            f"engine.path={engine.path}: the class has no attribute capabilities = EngineCapabilities(...); an engine "
            "says there what it can do (docs/engines.md)"
        )
    return found


def make_custom(settings: Settings, engine: CustomSettings, problem_of: Callable[[str], Problem]) -> Engine:
    """Build the user's engine: its class is called with the point's settings, its options and ``problem_of``.

    Raises:
        UserError: there is no such class, it can't be built, or what it builds is no engine.
    """
    try:
        made = _class_at(engine.path)(settings, dict(engine.options), problem_of)
    except UserError:
        raise
    except Exception as error:  # a user's class may raise anything
        raise UserError(f"engine.path={engine.path} can't be built: {_said(error)}") from error
    missing = [name for name in _ATTRIBUTES if not hasattr(made, name)]
    if missing:
        raise UserError(f"engine.path={engine.path} is no engine: it has no {', '.join(missing)} (docs/engines.md)")
    return made


_ATTRIBUTES = (
    "capabilities", "loaded", "default_sampling", "window", "in_flight", "submit", "poll", "cancel", "close",
)  # fmt: skip


def _class_at(path: str) -> Callable[..., Engine]:
    module, _, name = path.rpartition(".")
    try:
        found = getattr(importlib.import_module(module), name)
    except Exception as error:  # importing runs the user's file, which may raise anything
        raise UserError(
            f"engine.path={path} can't be imported: {_said(error)}; give module.Class of a file that lies here or in "
            "PYTHONPATH"
        ) from error
    if not isinstance(found, type):
        raise UserError(f"engine.path={path} is a {type(found).__name__}, not a class")
    made: Callable[..., Engine] = found
    return made


def _said(error: BaseException) -> str:
    return f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0]}"
