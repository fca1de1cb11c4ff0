"""What the terminal says of a run's tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runner.report.numbers import NOTHING

if TYPE_CHECKING:
    from bench.metrics.tool_use import ToolUse


def tool_lines(found: ToolUse | None) -> list[str]:
    """Return how tools were used, and what went wrong with them; nothing for a run without tools."""
    if found is None:
        return []
    kinds = ", ".join(f"{kind} {_share(share)}" for kind, share in found.errors.items() if share)
    return [
        f"tools: {_count(found.calls, 2)} calls a sample, made in {_share(found.calling)} of them, "
        f"{_count(found.tokens, 1)} tokens of results (in no count of output)",
        f"samples with an error in the use of tools: {_share(found.erring)}{f' ({kinds})' if kinds else ''}",
    ]


def _share(value: float | None) -> str:
    return NOTHING if value is None else f"{value:.3f}"


def _count(value: float | None, decimals: int) -> str:
    return NOTHING if value is None else f"{value:.{decimals}f}"
