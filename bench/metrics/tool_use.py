"""How a run's samples used their tools: calls, tokens that came back, and shares with an error of each kind."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from bench.metrics.samples import answered
from bench.taxonomy.tool_errors import ToolError

# What is read of the verdicts, a sample a row.
COLUMNS = ("task", "status", "outcome", "tool_calls", "tool_tokens", "tool_errors")


@dataclass(frozen=True, slots=True)
class ToolUse:
    """Means over the tasks of the samples that were answered and graded; None of no samples.

    Attributes:
        calls: Calls a sample, those that could not be made among them.
        calling: Share of samples that call at least once.
        tokens: Tokens a sample that tools gave back; in no other count.
        erring: Share of samples with an error of any kind.
        errors: Share of samples with an error of each kind; a sample may show several.
    """

    calls: float | None
    calling: float | None
    tokens: float | None
    erring: float | None
    errors: Mapping[str, float | None]


def tool_use(samples: pd.DataFrame) -> ToolUse:
    """Return how tools were used.

    Args:
        samples: A row a sample with :data:`COLUMNS`.
    """
    found = answered(samples)
    kinds = found["tool_errors"].astype(str).map(lambda text: {kind for kind, *_ in json.loads(text)})
    flags = pd.DataFrame(
        {
            "calls": found["tool_calls"].astype(float),
            "calling": (found["tool_calls"] > 0).astype(float),
            "tokens": found["tool_tokens"].astype(float),
            "erring": kinds.map(bool).astype(float),
            **{kind.value: kinds.map(lambda one, kind=kind: kind.value in one).astype(float) for kind in ToolError},
        }
    )
    means = flags.groupby(found["task"].astype(str)).mean().mean()
    known = {str(name): None if pd.isna(value) else float(value) for name, value in means.items()}
    return ToolUse(
        calls=known["calls"],
        calling=known["calling"],
        tokens=known["tokens"],
        erring=known["erring"],
        errors={kind.value: known[kind.value] for kind in ToolError},
    )
