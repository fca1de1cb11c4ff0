"""What one choice changes with all else alike: paired differences by precision, prompt, effort, budget and tools."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bench.metrics.pairs import PairedDifference, compare
from runner.report.choices import alike_but, level, rows

if TYPE_CHECKING:
    import pandas as pd

COMPARED = ("precision", "prompt", "effort", "budget", "tools")
MOST = 40  # pairs a factor; a page with more is read by nobody, and each costs two bootstraps
_COLUMNS = ["problem_id", "task", "status", "outcome", "output_tokens"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs that differ in one factor.

    Attributes:
        base: Place of the baseline in the study's points.
        other: Place of the other run.
        base_level: The baseline's choice.
        other_level: The other's.
        accuracy: Over tasks, other - base.
        tokens: Mean output tokens over tasks, other - base.
    """

    base: int
    other: int
    base_level: str
    other_level: str
    accuracy: PairedDifference
    tokens: PairedDifference


def by_factor(name: str, points: pd.DataFrame, samples: Mapping[str, pd.DataFrame]) -> tuple[Comparison, ...]:
    """Return the comparisons of runs that differ in one factor and in nothing else, at most :data:`MOST`.

    Args:
        name: One of :data:`COMPARED`, or ``model``.
        points: A row a run.
        samples: The samples of each run, by its name.
    """
    pairs = [(group[0], other) for group in alike_but(points, name) for other in group[1:]][:MOST]
    every = rows(points)
    found = []
    for base, other in pairs:
        one, two = (samples[every[place]["run"]][_COLUMNS] for place in (base, other))
        accuracy, tokens = compare(one, two, "accuracy").overall, compare(one, two, "output_tokens").overall
        if accuracy is not None and tokens is not None:
            levels = level(every[base], name), level(every[other], name)
            found.append(Comparison(base, other, *levels, accuracy, tokens))
    return tuple(found)
