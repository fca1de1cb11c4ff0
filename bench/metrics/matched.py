"""Models of one origin and size that differ in their tuning: what tuning changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from bench.metrics.models import KINDS, Kind, ModelFigures


@dataclass(frozen=True, slots=True)
class MatchedPair:
    """Two models of one lineage.

    Attributes:
        lineage: What they share.
        before: The less tuned one.
        after: The more tuned one.
        kinds: Kinds of both.
        accuracy_change: after - before, in accuracy.
        token_factor: Mean tokens after / before; None if the one before wrote nothing.
        score_change: after - before, in Overthinking Score; None where one has none.
    """

    lineage: str
    before: str
    after: str
    kinds: tuple[Kind, Kind]
    accuracy_change: float
    token_factor: float | None
    score_change: float | None


def matched_pairs(models: Sequence[ModelFigures]) -> tuple[MatchedPair, ...]:
    """Return all pairs of one lineage and different kinds, from less to more tuned, by lineage and kinds.

    Source: LLMThinkBench, matched base, instruct and reasoning-tuned models. Whether a change is noise is what
    :func:`bench.metrics.pairs.compare` says of the two runs.
    """
    ordered = sorted(
        (model for model in models if model.lineage is not None),
        key=lambda model: (model.lineage, KINDS.index(model.kind), model.name),
    )
    pairs = (pair for pair in combinations(ordered, 2) if pair[0].lineage == pair[1].lineage)
    return tuple(_pair(before, after) for before, after in pairs if before.kind != after.kind)


def _pair(before: ModelFigures, after: ModelFigures) -> MatchedPair:
    scored = before.score is not None and after.score is not None
    return MatchedPair(
        lineage=before.lineage or "",
        before=before.name,
        after=after.name,
        kinds=(before.kind, after.kind),
        accuracy_change=after.accuracy - before.accuracy,
        token_factor=after.tokens / before.tokens if before.tokens else None,
        score_change=(after.score or 0.0) - (before.score or 0.0) if scored else None,
    )
