"""Rules over all points of a sweep: no two labels for one thing, and one way to limit tokens."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from runner.config.model import sent_text
from runner.config.settings import Settings


def same_effect(points: Sequence[Settings]) -> list[str]:
    """Return what is wrong with the points taken together, a line each; empty if nothing is.

    - Two efforts, or two prompts, that send a model the same would be two rows of one thing. An effort of ``default``
      sends what the effort does that the model's file names as ``default_effort``.
    - Figures under two ways to limit tokens don't compare: 256 tokens of all output are not 256 of thinking. Points
      without a limit go with either.

    Looks at the settings alone: what ``auto`` stands for on a machine is not known here.
    """
    return [*_same_efforts(points), *_same_prompts(points), *_mechanisms(points)]


def _same_efforts(points: Sequence[Settings]) -> Iterator[str]:
    models: dict[str, dict[str, str]] = {}
    for point in points:
        models.setdefault(point.model.name, {})[point.effort.level] = _sent(point)
    for name, levels in models.items():
        for one, other in _equal(levels):
            yield f"effort={one},{other}: model={name} is sent {levels[one] or 'nothing'} for both; leave one out"


def _same_prompts(points: Sequence[Settings]) -> Iterator[str]:
    texts = {point.prompt.name: f"{point.prompt.system!r} {point.prompt.user!r}" for point in points}
    for one, other in _equal(texts):
        yield f"prompt={one},{other}: both have the same texts; leave one out"


def _mechanisms(points: Sequence[Settings]) -> Iterator[str]:
    kinds = dict.fromkeys(point.budget.kind for point in points if point.budget.tokens is not None)
    if len(kinds) > 1:
        yield (
            f"budget={','.join(kinds)}: one sweep limits tokens in one way; choose one of them. Points without a "
            "limit, budget=total budget.tokens=null, go with either"
        )


def _sent(point: Settings) -> str:
    """Return what tells the model of a point how hard to think, as text; empty where nothing does."""
    model, level = point.model, point.effort.level
    effective = model.default_effort if level == "default" else level
    return "" if effective is None else sent_text(model.efforts.get(effective, {}))


def _equal(labels: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield every two labels that stand for the same."""
    return ((one, other) for one, other in combinations(labels, 2) if labels[one] == labels[other])
