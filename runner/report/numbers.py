"""How single numbers are written wherever a study is shown."""

from __future__ import annotations

from typing import Any

NOTHING = "–"


def missing(value: Any) -> bool:
    """Tell whether a frame's cell holds nothing."""
    return value is None or value != value


def signed(value: float, decimals: int = 3) -> str:
    """Return a difference, with a minus as wide as a plus."""
    return f"{value:+,.{decimals}f}".replace("-", "−")


def p_value(value: float) -> str:
    """Return a p-value; below a thousandth no digits, since permutations resolve no more."""
    return "< 0.001" if value < 0.001 else f"{value:.3f}"
