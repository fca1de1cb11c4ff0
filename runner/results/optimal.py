"""Which runs are of OptimalThinkingBench, and what they found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from runner.config.settings import Scoring
from runner.results.layout import RunFolder
from runner.results.run import Run
from runner.results.verdict_table import read_verdicts

if TYPE_CHECKING:
    import pandas as pd

    from bench.metrics.optimal_figures import Change, OptimalThinking

# Suites of this name, and those whose names begin with it and an underscore, are the benchmark's or parts of it.
_SUITE = "optimal_thinking"


def is_optimal_suite(name: str) -> bool:
    """Tell whether the suite of this name is OptimalThinkingBench or a part of it."""
    return name == _SUITE or name.startswith(f"{_SUITE}_")


def optimal_of(samples: pd.DataFrame, settings: Mapping[str, Any], scoring: Scoring) -> OptimalThinking | None:
    """Return a run's figures of the benchmark; None for a run of another suite, or without an answer.

    Args:
        samples: A row a sample with :data:`bench.metrics.optimal_means.COLUMNS`.
        settings: As ``run.json`` holds them.
        scoring: Who decides, which also says how the areas are made.
    """
    if not is_optimal_suite(settings["suite"]["name"]):
        return None
    from bench.metrics.optimal_figures import optimal_thinking

    return optimal_thinking(samples, scoring.value)


def compare_benchmark(a: tuple[RunFolder, Run], b: tuple[RunFolder, Run], scoring: Scoring) -> tuple[Change, ...]:
    """Return the benchmark's figures of two runs over the problems that both answered; none for other suites."""
    if not all(is_optimal_suite(run.settings["suite"]["name"]) for _, run in (a, b)):
        return ()
    from bench.metrics.optimal_figures import compare_optimal
    from bench.metrics.optimal_means import COLUMNS

    one, other = (read_verdicts(folder, scoring, columns=list(COLUMNS)).to_pandas() for folder, _ in (a, b))
    return compare_optimal(one, other, scoring.value)
