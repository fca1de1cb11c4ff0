"""What a study says, in plain sentences made from its figures; the same for the page and for Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from bench.metrics.intervals import Interval
from bench.metrics.pairs import PairedDifference
from bench.metrics.power import detectable_unpaired
from runner.report.numbers import missing, p_value, signed
from runner.report.pairs import StudyPair
from runner.report.splits import Split
from runner.results.summary import counted_alike

if TYPE_CHECKING:
    import pandas as pd

    from runner.report.frames import StudyFrames

ALPHA = 0.05
_OFTEN = 0.1  # share of a run's samples from which cut texts and patterns are worth a sentence
_MUCH = 0.05  # difference in accuracy between kinds of problems from which it is


class Topic(StrEnum):
    """What a finding is about."""

    CAUTION = "caution"  # why a figure is to be read with care
    OVERALL = "overall"  # the runs as a whole
    PAIR = "pair"  # two runs that differ in one choice
    PROBLEMS = "problems"  # problems that a run finds harder than others
    TRACES = "traces"  # what texts look like
    GAP = "gap"  # why a figure differs from the published one


@dataclass(frozen=True, slots=True)
class Finding:
    """One sentence.

    Attributes:
        topic: What it is about.
        text: The sentence, or two.
        runs: Names of the runs that it speaks of; empty for the whole study.
    """

    topic: Topic
    text: str
    runs: tuple[str, ...] = ()


def findings(
    frames: StudyFrames,
    pairs: Sequence[StudyPair],
    splits: Sequence[Split] = (),
    traces: pd.DataFrame | None = None,
) -> list[Finding]:
    """Return what a study says, cautions first.

    Args:
        frames: The study.
        pairs: Of it, see :func:`runner.report.pairs.study_pairs`.
        splits: Of it, see :func:`runner.report.splits.splits`.
        traces: Shares of patterns by run, see :func:`runner.report.taxonomy.pattern_shares`; None if none were looked
            for.
    """
    points = frames.points.to_dict("records")
    found = [
        *_cautions(points),
        *_unequal(frames.samples),
        *_overall(points),
        *_detectable(frames.samples),
        *map(_pair, pairs),
        *_hard(splits, points),
        *_cut(points),
    ]
    return found if traces is None else [*found, *_patterns(points, traces)]


def _cautions(points: Sequence[Mapping[Any, Any]]) -> Iterator[Finding]:
    formats = _by(points, "compute_dtype", but="none")
    if len(formats) > 1:
        each = "; ".join(f"{name}: {_names(rows)}" for name, rows in formats.items())
        yield Finding(
            Topic.CAUTION, f"The runs do not compute in one number format, which may change texts by itself ({each})."
        )
    sources = _by(points, "token_sources")
    if not counted_alike([source for names in sources for source in names.split(", ")]):
        each = "; ".join(f"{name}: {_names(rows)}" for name, rows in sources.items())
        yield Finding(
            Topic.CAUTION, f"Tokens were not all counted in one way, so their numbers are no measure ({each})."
        )
    for row in points:
        if row["partial"]:
            missing = row["errors"] + row["ungraded"]
            yield Finding(
                Topic.CAUTION,
                f"{row['label']} is partial: {missing} samples have no verdict, so its accuracy may be anything from "
                f"{row['accuracy_if_wrong']:.3f} to {row['accuracy_if_right']:.3f}.",
                (row["run"],),
            )


def _unequal(samples: pd.DataFrame) -> Iterator[Finding]:
    problems = samples.groupby("run", observed=True)["problem_id"].nunique()
    every = samples["problem_id"].nunique()
    if len(problems) > 1 and problems.min() < every:
        yield Finding(
            Topic.CAUTION,
            f"The runs did not all answer the same problems ({problems.min()} to {problems.max()} of {every}): "
            "an order of all runs compares answers to different questions; pairs are compared on what both answered.",
        )


def _overall(points: Sequence[Mapping[Any, Any]]) -> Iterator[Finding]:
    known = [row for row in points if row["n"]]
    if not known:
        yield Finding(Topic.OVERALL, "No run of this study has an answer yet.")
        return
    best = max(known, key=lambda row: row["accuracy"])
    yield Finding(Topic.OVERALL, f"Most accurate: {_described(best)}.", (best["run"],))
    if len(known) > 1:
        score = max(known, key=lambda row: row["overthinking"])
        text = (
            f"Highest Overthinking Score ({score['overthinking']:.3f}, bounds {score['bounds']}): {_described(score)}."
        )
        yield Finding(Topic.OVERALL, text, (score["run"],))
        front = [row for row in known if row["on_front"]]
        text = f"No other run is both more accurate and shorter than {_names(front)}."
        yield Finding(Topic.OVERALL, text, tuple(row["run"] for row in front))


def _detectable(samples: pd.DataFrame) -> Iterator[Finding]:
    problems = samples.groupby("run", observed=True)["problem_id"].nunique()
    smallest = detectable_unpaired(int(problems.min())) if len(problems) > 1 else None
    if smallest is not None:
        yield Finding(
            Topic.OVERALL,
            f"Two runs on different problems, {problems.min()} each, would have to differ by up to {smallest:.3f} in "
            "accuracy to be told apart four times out of five; two runs on the same problems by less.",
        )


def _pair(pair: StudyPair) -> Finding:
    accuracy, tokens = pair.compared.accuracy, pair.compared.tokens
    sure = pair.p_accuracy < ALPHA
    verdict = (
        ("more accurate" if accuracy.difference > 0 else "less accurate") if sure else "not shown to differ in accuracy"
    )
    also = f" They also differ in {', '.join(pair.also)}." if pair.also else ""
    text = (
        f"{pair.factor}: {pair.other} against {pair.base} is {verdict}: {accuracy.a:.3f} → {accuracy.b:.3f}, "
        f"{_difference(accuracy, 3)}, p {_p(pair.p_accuracy)}; output tokens {tokens.a:,.0f} → {tokens.b:,.0f}, "
        f"{_difference(tokens, 0)}, p {_p(pair.p_tokens)} ({accuracy.problems} shared problems, Holm over all pairs)."
    )
    return Finding(Topic.PAIR, text + also, pair.runs)


def _hard(splits: Sequence[Split], points: Sequence[Mapping[Any, Any]]) -> Iterator[Finding]:
    labels = {row["run"]: row["label"] for row in points}
    for split in splits:
        if split.p < ALPHA and abs(split.difference) >= _MUCH:
            worse = "worse" if split.difference < 0 else "better"
            text = (
                f"{labels[split.run]} is {worse} on problems with {split.meaning} than on others of the same tasks: "
                f"{split.inside:.3f} against {split.outside:.3f} (p {_p(split.p)}, Holm over all such tests; "
                f"{split.n_inside} and {split.n_outside} samples)."
            )
            yield Finding(Topic.PROBLEMS, text, (split.run,))


def _cut(points: Sequence[Mapping[Any, Any]]) -> Iterator[Finding]:
    for row in points:
        if row["n"] and row["truncated_share"] >= _OFTEN:
            enforced = not missing(row["budget"]) and row["budget_kind"] != "hint"
            limit = "its budget" if enforced else "the context"
            text = (
                f"{row['label']}: {row['truncated_share']:.0%} of the samples did not end by themselves before {limit}."
            )
            yield Finding(Topic.TRACES, text, (row["run"],))


def _patterns(points: Sequence[Mapping[Any, Any]], traces: pd.DataFrame) -> Iterator[Finding]:
    labels = {row["run"]: row["label"] for row in points}
    for run, shares in traces.iterrows():
        for pattern, share in shares.drop("traces").items():
            if share >= _OFTEN and pattern in _SAID:
                text = f"{labels[str(run)]}: {share:.0%} of {shares['traces']:.0f} traces {_SAID[str(pattern)]}."
                yield Finding(Topic.TRACES, text, (str(run),))


_SAID = {
    "redundant_verification": "derive again what they had derived (redundant verification)",
    "self_contradiction": "assert something and its negation (self-contradiction)",
    "irrelevant_exploration": "hold a stretch that can't bear on the answer (irrelevant exploration)",
    "stopping_failure": "end in repetition or in random tokens (stopping failure)",
}


def _by(points: Sequence[Mapping[Any, Any]], column: str, but: str = "") -> dict[str, list[Mapping[Any, Any]]]:
    found: dict[str, list[Mapping[Any, Any]]] = {}
    for row in points:
        if row[column] not in (but, ""):
            found.setdefault(row[column], []).append(row)
    return found


def _names(rows: Sequence[Mapping[Any, Any]], most: int = 5) -> str:
    shown = " | ".join(row["label"] for row in rows[:most])
    return shown if len(rows) <= most else f"{shown} and {len(rows) - most} more"


def _described(row: Mapping[Any, Any]) -> str:
    accuracy = f"accuracy {row['accuracy']:.3f}{_ends(row['accuracy_low'], row['accuracy_high'], 3)}"
    tokens = f"{row['output_tokens']:,.0f}{_ends(row['output_tokens_low'], row['output_tokens_high'], 0)}"
    return f"{row['label']}, {accuracy} with {tokens} output tokens, {row['thinking_tokens']:,.0f} of them thinking"


def _ends(low: float | None, high: float | None, decimals: int) -> str:
    return "" if missing(low) else f" [{low:,.{decimals}f}, {high:,.{decimals}f}]"


def _difference(found: PairedDifference, decimals: int) -> str:
    ends: Interval | None = found.interval
    shown = signed(found.difference, decimals)
    return shown if ends is None else shown + _ends(ends.low, ends.high, decimals).replace("-", "−")


def _p(value: float) -> str:
    shown = p_value(value)
    return shown if shown.startswith("<") else f"= {shown}"
