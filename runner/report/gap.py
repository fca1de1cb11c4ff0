"""Why an accuracy differs from the published one: what the grader, the protocol and the model have to do with it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from runner.config.settings import Scoring
from runner.report.findings import Finding, Topic
from runner.report.numbers import NOTHING, signed
from runner.report.tables import TextTable
from runner.results.layout import RunFolder
from runner.results.summary import figures_of
from runner.results.verdict_table import read_verdicts

if TYPE_CHECKING:
    from runner.report.frames import StudyFrames

LARGEST = 20_000  # samples of runs with a published row; more would take minutes to grade in the published way


@dataclass(frozen=True, slots=True)
class Gap:
    """One run's accuracy beside the published one; ours + grader + protocol + model = published.

    Attributes:
        run: Its name.
        label: What it is called.
        ours: Accuracy by our grader over all answers, mean over the tasks.
        published: Accuracy as printed.
        grader: What the published code's ways of grading change on the same texts, its denominator (parsed answers
            alone) included.
        denominator: Of ``grader``, the part of the denominator.
        changed: Samples that the two graders see differently.
        protocol: What prompt, budget and suite change, by a run of the study that differs in these alone and has the
            published ones; 0 if this one has them, None without such a run.
        model: What is left: the model's revision and precision, the engine, the problems, chance; with ``protocol``
            None, that too.
    """

    run: str
    label: str
    ours: float
    published: float
    grader: float
    denominator: float
    changed: int
    protocol: float | None
    model: float


def gaps(frames: StudyFrames, most: int = LARGEST) -> tuple[Gap, ...]:
    """Return the gap of every run with a published row; none if these runs have more than ``most`` samples.

    Raises:
        UserError: verdicts of the published code's ways can't be made.
        StorageError: they can't be written.
    """
    points = [row for row in frames.points.to_dict("records") if row["published_as"] and row["n"]]
    if sum(row["n"] for row in points) > most:
        return ()
    released = {row["run"]: _released(Path(row["path"])) for row in points}
    return tuple(_gap(row, points, released) for row in points)


def _released(path: Path) -> tuple[float, float, int]:
    """Return a run's accuracy by the published code's ways, over all and over parsed answers, and what changes."""
    from bench.metrics.figures import COLUMNS

    key = ["problem_id", "repeat"]
    ours, theirs = (
        read_verdicts(RunFolder(path), scoring, columns=["task", "category", "repeat", *COLUMNS]).to_pandas()
        for scoring in (Scoring.PAPER, Scoring.RELEASED_CODE)
    )
    _, overall = figures_of(theirs)
    both = ours[[*key, "outcome"]].merge(theirs[[*key, "outcome"]], on=key)
    changed = (both["outcome_x"] == "correct") != (both["outcome_y"] == "correct")
    return overall.accuracy or 0.0, overall.accuracy_parsed or 0.0, int(changed.sum())


def _gap(
    row: Mapping[Any, Any],
    points: Sequence[Mapping[Any, Any]],
    released: Mapping[str, tuple[float, float, int]],
) -> Gap:
    over_all, parsed, changed = released[row["run"]]
    like = next((released[other["run"]][1] for other in points if _as_published(other, row)), None)
    protocol = 0.0 if row["published_setting"] else None if like is None else like - parsed
    published = row["published_accuracy"]
    return Gap(
        run=row["run"],
        label=row["label"],
        ours=row["accuracy"],
        published=published,
        grader=parsed - row["accuracy"],
        denominator=parsed - over_all,
        changed=changed,
        protocol=protocol,
        model=published - parsed - (protocol or 0.0),
    )


def _as_published(other: Mapping[Any, Any], row: Mapping[Any, Any]) -> bool:
    """Tell whether a run has the published prompt, budget and suite, and otherwise the choices of another."""
    alike = ("published_as", "model", "model_revision", "precision", "compute_dtype", "effort", "sampling", "tools")
    return bool(other["published_setting"]) and all(other[name] == row[name] for name in alike)


def gap_findings(found: Iterable[Gap]) -> list[Finding]:
    """Return a sentence a run."""
    return [Finding(Topic.GAP, _sentence(gap), (gap.run,)) for gap in found]


def gap_table(found: Sequence[Gap]) -> TextTable:
    """Return a row a run."""
    columns = ("run", "ours", "grader", "of it denominator", "protocol", "model and rest", "published")
    rows = tuple(
        (
            gap.label,
            f"{gap.ours:.3f}",
            f"{gap.grader:+.3f}",
            f"{gap.denominator:+.3f}",
            NOTHING if gap.protocol is None else f"{gap.protocol:+.3f}",
            f"{gap.model:+.3f}",
            f"{gap.published:.3f}",
        )
        for gap in found
    )
    note = (
        "Accuracy: ours + grader + protocol + model and rest = published. Grader: the same texts graded in the "
        "published code's ways. Protocol: prompt, budget and suite; without a run of the published ones it is part of "
        "the rest."
    )
    return TextTable("gaps", "Beside the published figures", columns, rows, note)


def _sentence(gap: Gap) -> str:
    protocol = (
        "prompt, budget or suite, the model and chance"
        if gap.protocol is None
        else f"{signed(gap.protocol)} prompt, budget and suite, {signed(gap.model)} the model and chance"
    )
    rest = f"{signed(gap.model)} {protocol}" if gap.protocol is None else protocol
    return (
        f"{gap.label}: {gap.ours:.3f}, published {gap.published:.3f}. Of the difference {signed(gap.grader)} is the "
        f"grader ({gap.changed} samples graded otherwise, {signed(gap.denominator)} by its denominator), {rest}."
    )
