"""The tables of a study as text: what stands in them, whatever they are written as."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bench.metrics.pairs import PairedDifference
from runner.report.numbers import NOTHING, missing, p_value
from runner.report.pairs import StudyPair

if TYPE_CHECKING:
    from runner.report.frames import StudyFrames


@dataclass(frozen=True, slots=True)
class TextTable:
    """A table of texts.

    Attributes:
        name: Of its file, ``[a-z_]``.
        title: What stands above it.
        columns: Headings; the first column is text, the others are numbers.
        rows: Cells, as many as headings.
        note: What has to be known to read it.
    """

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str


def tables(frames: StudyFrames, pairs: Sequence[StudyPair]) -> tuple[TextTable, ...]:
    """Return the leaderboard, the accuracy by task, and the pairs where there are any."""
    found = (leaderboard(frames), by_task(frames))
    return (*found, pair_table(pairs)) if pairs else found


def leaderboard(frames: StudyFrames) -> TextTable:
    """Return a row a run, the highest Overthinking Score first, with the published figures beside ours."""
    points = frames.points.sort_values("overthinking", ascending=False, kind="stable", na_position="last")
    columns = (
        "run", "n", "accuracy", "95 % interval", "output tokens", "95 % interval", "thinking tokens", "parsed",
        "instruction", "truncated", "O", "mean of O", "published accuracy", "published tokens",
    )  # fmt: skip
    rows = tuple(_leader(row) for row in points.to_dict("records"))
    return TextTable(
        name="leaderboard",
        title="Leaderboard",
        columns=columns,
        rows=rows,
        note="Accuracy and tokens: means over the tasks, intervals by task-stratified bootstrap over problems. O: "
        "Overthinking Score of the means, bounds reference (0, 7900) tokens; mean of O: over the tasks. Published: "
        "the model's row of the main table; with another prompt, budget or suite than there it stands in brackets.",
    )


def by_task(frames: StudyFrames) -> TextTable:
    """Return the accuracy of each run and task."""
    tasks = list(dict.fromkeys(frames.tasks.get("task", ())))
    found = {(row["run"], row["task"]): row for row in frames.tasks.to_dict("records")}
    rows = tuple(
        (label, *(_share(found.get((run, task), {}).get("accuracy")) for task in tasks))
        for run, label in zip(frames.points["run"], frames.points["label"], strict=True)
    )
    return TextTable("tasks", "Accuracy by task", ("run", *tasks), rows, "Unparsed, cut and refused answers count.")


def pair_table(pairs: Sequence[StudyPair]) -> TextTable:
    """Return a row for each pair of runs that differ in one choice."""
    columns = (
        "pair", "choice", "problems", "accuracy difference", "95 % interval", "p (Holm)", "token difference",
        "95 % interval", "p (Holm)",
    )  # fmt: skip
    rows = tuple(_pair(pair) for pair in pairs)
    note = (
        "Differences over the problems that both answered, mean over the tasks; intervals by paired bootstrap, p by "
        "sign flips, by problem, adjusted over all rows of the column."
    )
    return TextTable("pairs", "Pairs that differ in one choice", columns, rows, note)


def _leader(row: Mapping[Any, Any]) -> tuple[str, ...]:
    there = "{}" if row["published_setting"] else "({})"
    published = (_share(row["published_accuracy"]), _count(row["published_output_tokens"]))
    return (
        row["label"],
        str(row["n"]),
        _share(row["accuracy"]),
        _span(row["accuracy_low"], row["accuracy_high"], 3),
        _count(row["output_tokens"]),
        _span(row["output_tokens_low"], row["output_tokens_high"], 1),
        _count(row["thinking_tokens"]),
        _share(row["parsed"]),
        _share(row["instruction_followed"]),
        _share(row["truncated_share"]),
        _share(row["overthinking"]),
        _share(row["overthinking_mean"]),
        *(value if value == NOTHING else there.format(value) for value in published),
    )


def _pair(pair: StudyPair) -> tuple[str, ...]:
    accuracy, tokens = pair.compared.accuracy, pair.compared.tokens
    first = (f"{pair.other} against {pair.base}", pair.factor, str(accuracy.problems))
    return (*first, *_paired(accuracy, 3), p_value(pair.p_accuracy), *_paired(tokens, 1), p_value(pair.p_tokens))


def _paired(one: PairedDifference, decimals: int) -> Iterable[str]:
    ends = one.interval
    return f"{one.difference:+.{decimals}f}", NOTHING if ends is None else _span(ends.low, ends.high, decimals)


def _share(value: Any) -> str:
    return NOTHING if missing(value) else f"{value:.3f}"


def _count(value: Any) -> str:
    return NOTHING if missing(value) else f"{value:.1f}"


def _span(low: Any, high: Any, decimals: int) -> str:
    return NOTHING if missing(low) else f"[{low:.{decimals}f}, {high:.{decimals}f}]"
