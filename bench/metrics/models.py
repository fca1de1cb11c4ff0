"""What comparisons over models work on: one model's figures and what kind of model it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

# In the order of training.
Kind = Literal["base", "instruct", "reasoning"]
KINDS: tuple[Kind, ...] = ("base", "instruct", "reasoning")


@dataclass(frozen=True, slots=True)
class ModelFigures:
    """One model as it was run.

    Attributes:
        name: Unique.
        family: E.g. ``qwen3``.
        kind: What it was tuned for. A hybrid is ``reasoning`` where it thought and ``instruct`` where not.
        params_b: Parameters in billions; None where nobody says.
        accuracy: In [0, 1].
        tokens: Mean output tokens.
        score: Overthinking Score, all under the same bounds; None where there is none.
        lineage: What tells models of the same origin, e.g. ``qwen_14b``; None if it has no kin here.
    """

    name: str
    family: str
    kind: Kind
    params_b: float | None
    accuracy: float
    tokens: float
    score: float | None = None
    lineage: str | None = None
