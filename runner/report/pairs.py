"""The pairs of runs of a study that differ in one choice, with p-values that allow for how many were tested."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from runner.report.comparisons import COMPARED, Comparison, by_factor
from runner.report.numbers import missing

if TYPE_CHECKING:
    from runner.report.frames import StudyFrames

# What texts depend on beside the choices; where it differs too, a difference may come from it.
_COMPUTED = ("compute_dtype", "weight_format", "weight_bits", "model_revision", "engine", "device")
_UNSAID = {"model": {"model_revision", "weight_bits", "weight_format"}, "precision": set(_COMPUTED[:4])}


@dataclass(frozen=True, slots=True)
class StudyPair:
    """Two runs of a study that differ in one choice.

    Attributes:
        factor: The choice, e.g. ``budget``.
        base: Label of the run that the other is compared with.
        other: Label of the other.
        runs: Names of both, the base first.
        compared: The paired differences, other - base.
        p_accuracy: Holm's p over all pairs of the study, of the difference in accuracy.
        p_tokens: The same of output tokens.
        also: What differs beside the choice, e.g. ``compute_dtype float32 and bfloat16``.
    """

    factor: str
    base: str
    other: str
    runs: tuple[str, str]
    compared: Comparison
    p_accuracy: float
    p_tokens: float
    also: tuple[str, ...]


def study_pairs(frames: StudyFrames) -> tuple[StudyPair, ...]:
    """Compare the runs of a study by every choice in which they differ with all others alike, models first."""
    from bench.metrics.multiple import holm

    samples = {str(run): frame for run, frame in frames.samples.groupby("run", observed=True)}
    empty = frames.samples.iloc[:0]
    by_run = {run: samples.get(run, empty) for run in frames.points["run"]}
    found = [(name, pair) for name in ("model", *COMPARED) for pair in by_factor(name, frames.points, by_run)]
    accuracy = holm([pair.accuracy.p for _, pair in found]).tolist()
    tokens = holm([pair.tokens.p for _, pair in found]).tolist()
    points = frames.points.to_dict("records")
    return tuple(_pair(name, pair, points, *ps) for (name, pair), *ps in zip(found, accuracy, tokens, strict=True))


def _pair(name: str, pair: Comparison, points: Sequence[Any], p_accuracy: float, p_tokens: float) -> StudyPair:
    base, other = points[pair.base], points[pair.other]
    also = tuple(
        f"{column} {base[column]} and {other[column]}"
        for column in _COMPUTED
        if column not in _UNSAID.get(name, ())
        and base[column] != other[column]
        and not (missing(base[column]) and missing(other[column]))
    )
    runs = (base["run"], other["run"])
    return StudyPair(name, base["label"], other["label"], runs, pair, p_accuracy, p_tokens, also)
