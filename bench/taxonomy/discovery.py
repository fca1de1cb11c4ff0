"""Collects the rules of a folder, one a file."""

from __future__ import annotations

from importlib import import_module
from itertools import pairwise
from pkgutil import iter_modules
from types import ModuleType
from typing import Protocol, TypeVar


class Ordered(Protocol):
    """What a rule has, whatever it finds."""

    @property
    def name(self) -> str:
        """Stored with what the rule finds."""

    @property
    def order(self) -> int:
        """Its place among the rules of its folder, unique."""


R = TypeVar("R", bound=Ordered)


def discover(folder: ModuleType, kind: type[R]) -> tuple[R, ...]:
    """Return ``RULE`` of every file in a folder, in the order in which they are asked.

    Raises:
        ValueError: a file has no ``RULE`` of that kind, or two rules share an order.
    """
    rules: list[R] = []
    for module in iter_modules(folder.__path__):
        rule = getattr(import_module(f"{folder.__name__}.{module.name}"), "RULE", None)
        if not isinstance(rule, kind):
            raise ValueError(f"{folder.__name__}.{module.name}: RULE has to be a {kind.__name__}, not {rule!r}")
        rules.append(rule)
    rules.sort(key=lambda rule: rule.order)
    for one, other in pairwise(rules):
        if one.order == other.order:
            raise ValueError(f"the rules {one.name} and {other.name} both have order {one.order}; give one another")
    return tuple(rules)
