"""Runs experiments: from a typed configuration to stored, graded and summarised samples.

In a notebook: ``runner.load("outputs/STUDY")`` and ``runner.summary("outputs/STUDY")``, both data frames.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from runner.results.load import load, summary

__all__ = ["load", "summary"]


def __getattr__(name: str) -> Any:
    """Import what needs pandas on first use, so that the command line answers at once."""
    if name not in __all__:
        raise AttributeError(f"module 'runner' has no attribute {name!r}")
    from runner.results import load

    return getattr(load, name)
