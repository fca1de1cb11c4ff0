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
            alone) included; None where it reads no answer at all, and the rest can't be told apart either.
        denominator: Of ``grader``, the part of the denominator.
        changed: Samples that the two graders see differently.
        protocol: What prompt, budget and suite change, by a run of the study that differs in these alone and has the
            published ones; 0 if this one has them, None without such a run.
        model: What is left: the model's revision and precision, the engine, the problems, chance; with ``grader`` or
            ``protocol`` None, these too.
    """

    run: str
    label: str
    ours: float
    published: float
    grader: float | None
    denominator: float | None
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


def _released(path: Path) -> tuple[float | None, float | None, int]:
    """Return a run's accuracy by the published code's ways, over all and over parsed answers, and what changes.

    The second is None where it reads no answer.
    """
    from bench.metrics.figures import COLUMNS

    key = ["problem_id", "repeat"]
    ours, theirs = (
        read_verdicts(RunFolder(path), scoring, columns=["task", "category", "repeat", *COLUMNS]).to_pandas()
        for scoring in (Scoring.PAPER, Scoring.RELEASED_CODE)
    )
    _, overall = figures_of(theirs)
    both = ours[[*key, "outcome"]].merge(theirs[[*key, "outcome"]], on=key)
    changed = (both["outcome_x"] == "correct") != (both["outcome_y"] == "correct")
    return overall.accuracy, overall.accuracy_parsed, int(changed.sum())


def _gap(
    row: Mapping[Any, Any],
    points: Sequence[Mapping[Any, Any]],
    released: Mapping[str, tuple[float | None, float | None, int]],
) -> Gap:
    over_all, parsed, changed = released[row["run"]]
    like = next((released[other["run"]][1] for other in points if _as_published(other, row)), None)
    ours, published = row["accuracy"], row["published_accuracy"]
    protocol = 0.0 if row["published_setting"] else None if like is None or parsed is None else like - parsed
    return Gap(
        run=row["run"],
        label=row["label"],
        ours=ours,
        published=published,
        grader=None if parsed is None else parsed - ours,
        denominator=None if parsed is None or over_all is None else parsed - over_all,
        changed=changed,
        protocol=protocol,
        model=published - (ours if parsed is None else parsed) - (protocol or 0.0),
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
            *(NOTHING if part is None else f"{part:+.3f}" for part in (gap.grader, gap.denominator, gap.protocol)),
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
    parts = [f"{gap.label}: {gap.ours:.3f}, published {gap.published:.3f}."]
    if gap.grader is None or gap.denominator is None:
        parts.append("The published code's ways read no answer in these texts.")
    else:
        parts.append(
            f"Of the difference {signed(gap.grader)} is the grader ({gap.changed} samples graded otherwise, "
            f"{signed(gap.denominator)} by its denominator)."
        )
    if gap.protocol is None:
        parts.append(f"Left are {signed(gap.model)}: prompt, budget or suite, the model and chance.")
    else:
        parts.append(f"{signed(gap.protocol)} is prompt, budget and suite, {signed(gap.model)} the model and chance.")
    return " ".join(parts)
