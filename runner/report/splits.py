"""Whether a run finds some problems harder than others of the same tasks: negative answers, long lists."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

    from runner.report.frames import StudyFrames

MIN_PROBLEMS = 5  # of a task on either side; below it the task says nothing


@dataclass(frozen=True, slots=True)
class Split:
    """One run's accuracy on problems that have a property, and on the others of the same tasks.

    Attributes:
        run: Its name.
        meaning: The property, e.g. ``a negative answer``.
        inside: Accuracy on problems that have it, mean over tasks.
        outside: Accuracy on the others.
        n_inside: Samples that have it.
        n_outside: The others.
        p: Exact p over the tasks as strata, see :func:`bench.metrics.stratified.stratified_p`, then Holm's over all
            splits of the study; 1 where the means over tasks and the samples lean in opposite directions.
    """

    run: str
    meaning: str
    inside: float
    outside: float
    n_inside: int
    n_outside: int
    p: float

    @property
    def difference(self) -> float:
        """Inside - outside."""
        return self.inside - self.outside


def splits(frames: StudyFrames) -> tuple[Split, ...]:
    """Return the splits of every run by the properties in :data:`PROPERTIES`, where a task has both kinds of problems.

    Repeats of a problem would not be independent: of them the first counts.
    """
    from bench.metrics.multiple import holm
    from bench.metrics.samples import answered

    answers = answered(frames.samples)
    answers = answers[answers["repeat"] == 0]
    found = [
        split
        for run, samples in answers.groupby("run", observed=True)
        for meaning, has in PROPERTIES.items()
        if (split := _split(str(run), meaning, samples, has)) is not None
    ]
    adjusted = holm([split.p for split in found]).tolist()
    return tuple(
        Split(one.run, one.meaning, one.inside, one.outside, one.n_inside, one.n_outside, p)
        for one, p in zip(found, adjusted, strict=True)
    )


def _negative(samples: pd.DataFrame) -> pd.Series[bool]:
    return (samples["gold_sign"] == "negative").where(samples["gold_sign"].notna())


def _long(samples: pd.DataFrame) -> pd.Series[bool]:
    if "size" not in samples:
        return samples["task"].map(lambda _: None)
    middle = samples.groupby("task", observed=True)["size"].transform("median")
    return (samples["size"] > middle).where(samples["size"].notna())


# What a problem may have: True, False, or missing where the question does not arise.
PROPERTIES: Mapping[str, Callable[[pd.DataFrame], pd.Series[bool]]] = {
    "a negative answer": _negative,
    "a list longer than the median": _long,
}


def _split(
    run: str, meaning: str, samples: pd.DataFrame, has: Callable[[pd.DataFrame], pd.Series[bool]]
) -> Split | None:
    tables = list(_tables(samples, has))
    if not tables:
        return None
    from bench.metrics.stratified import leaning, stratified_p

    inside, outside = (sum(table[side][0] / sum(table[side]) for table in tables) / len(tables) for side in (0, 1))
    counts = [sum(sum(table[side]) for table in tables) for side in (0, 1)]
    p = stratified_p(tables) if leaning(tables) * (inside - outside) > 0 else 1.0
    return Split(run, meaning, inside, outside, counts[0], counts[1], p)


def _tables(samples: pd.DataFrame, has: Callable[[pd.DataFrame], pd.Series[bool]]) -> Iterator[Sequence[Sequence[int]]]:
    """Yield for each task right and wrong answers with the property, and without it."""
    property_ = has(samples)
    right = samples["outcome"] == "correct"
    for _, rows in samples.groupby("task", observed=True):
        sides = [right[rows.index][property_[rows.index] == side] for side in (True, False)]
        if min(map(len, sides)) >= MIN_PROBLEMS:
            yield [[int(side.sum()), int((~side).sum())] for side in sides]
