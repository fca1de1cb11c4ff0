"""Two runs on the same problems: differences by task and over tasks, and the samples that only one got right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from runner.config.settings import Scoring
from runner.errors import UserError
from runner.results.layout import RunFolder
from runner.results.run import Run
from runner.results.verdict_table import read_verdicts

if TYPE_CHECKING:
    import pandas as pd

    from bench.metrics.pairs import PairedRuns

MEASURES = ("accuracy", "output_tokens")
_COLUMNS = (
    "problem_id", "repeat", "task", "status", "outcome", "answer", "gold", "output_tokens", "usage_source",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ComparedRuns:
    """Two runs beside each other.

    Attributes:
        by: The differences B - A of each of :data:`MEASURES`, over the problems that both answered.
        only_a: Problems that A answered and B did not; they are in no figure.
        only_b: The same of B.
        flips: A row a sample that one run alone got right: ``problem_id``, ``repeat``, ``task``, ``gold``,
            ``answer_a``, ``answer_b``, ``right`` (``a`` or ``b``) and both runs' ``output_tokens_a`` and ``…_b``.
        token_sources: How tokens were counted in A, and in B.
    """

    by: dict[str, PairedRuns]
    only_a: int
    only_b: int
    flips: pd.DataFrame
    token_sources: tuple[str, str]


def compare_runs(a: tuple[RunFolder, Run], b: tuple[RunFolder, Run], scoring: Scoring) -> ComparedRuns:
    """Compare two runs over the problems that both answered.

    Problems are the same where their ids are: these name task, wording and data.

    Raises:
        UserError: there is no such problem, or verdicts can't be made.
    """
    from bench.metrics.pairs import compare

    one, other = (read_verdicts(folder, scoring, columns=list(_COLUMNS)).to_pandas() for folder, _ in (a, b))
    found = {measure: compare(one, other, measure) for measure in MEASURES}
    accuracy = found["accuracy"]
    if accuracy.overall is None:
        raise UserError(f"{a[0].path} and {b[0].path} share no answered problem: {_asked(a[1])}; {_asked(b[1])}")
    sources = [", ".join(sorted(frame["usage_source"].unique())) for frame in (one, other)]
    return ComparedRuns(found, accuracy.only_a, accuracy.only_b, _flips(one, other), (sources[0], sources[1]))


def _asked(run: Run) -> str:
    suite = run.settings["suite"]
    tasks = ", ".join(suite.get("tasks") or ()) or "all its tasks"
    return f"suite {suite['name']} with seed {suite['seed']}, {tasks}"


def _flips(one: pd.DataFrame, other: pd.DataFrame) -> pd.DataFrame:
    from bench.metrics.samples import answered

    key = ["problem_id", "repeat"]
    kept = [*key, "outcome", "answer", "output_tokens"]
    both = answered(one)[[*kept, "task", "gold"]].merge(answered(other)[kept], on=key, suffixes=("_a", "_b"))
    right_a, right_b = both["outcome_a"] == "correct", both["outcome_b"] == "correct"
    both["right"] = right_a.map({True: "a", False: "b"})
    return both[right_a != right_b].sort_values(["task", *key], ignore_index=True)
