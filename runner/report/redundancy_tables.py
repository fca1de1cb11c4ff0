"""What the traces of some runs say, as tables: redundancy, turns of thought, cost, levels, stopping, a baseline."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from runner.report.numbers import NOTHING, missing
from runner.report.tables import TextTable

if TYPE_CHECKING:
    import pandas as pd

    from bench.metrics.measured import Mean
    from bench.metrics.redundancy.against import Scored
    from bench.metrics.redundancy.efficiency import Efficiency

# Facts of a problem that say how hard it is, the first that a run has counts.
LEVELS = ("level", "difficulty", "size")
# Tokens after the first correct answer at which a run is stopped in thought.
EXTRAS = (0, 16, 64, 256, 1024)


@dataclass(frozen=True, slots=True)
class Redundancy:
    """The traces of some runs.

    Attributes:
        samples: By the run's label, a row a sample: the columns of its verdict and of
            :func:`runner.results.redundancy.redundancy_of`.
        embedding: What turned sentences into vectors, by name; None for nothing.
    """

    samples: Mapping[str, pd.DataFrame]
    embedding: str | None


def redundancy_tables(found: Redundancy, baseline: str | None = None) -> tuple[TextTable, ...]:
    """Return the tables of some runs: redundancy, thoughts, cost, levels, stopping, and against a baseline.

    Args:
        found: The runs.
        baseline: Label of the run that the others are compared with.
    """
    tables = [_redundancy(found), _thoughts(found), _cost(found), _levels(found), _stopping(found)]
    if baseline is not None:
        tables.append(_against(found, baseline))
    if ablated := _ablation(found):
        tables.append(ablated)
    return tuple(table for table in tables if table.rows)


def _redundancy(found: Redundancy) -> TextTable:
    rows = tuple(
        (
            label,
            str(len(frame)),
            *_measured(frame, "erd", 100, 1),
            *_measured(frame, "external", 1, 1),
            *_measured(frame, "ird", 100, 1),
            _percent(frame["missing"].notna()),
            _percent(frame.loc[frame["needed"].notna(), "short"]),
            _percent(frame.loc[frame["needed"].notna(), "ambiguous"]),
            ", ".join(sorted(frame["basis"].dropna().unique())) or NOTHING,
        )
        for label, frame in found.samples.items()
    )
    columns = (
        "run", "samples", "ERD ×100", "95 % interval", "external tokens", "95 % interval", "IRD ×100",
        "95 % interval", "no answer %", "short %", "ambiguous %", "tokens by",
    )  # fmt: skip
    by = f"sentences by {found.embedding}, averaged per window" if found.embedding else "not computed"
    note = (
        "ERD: share of the trace's tokens after the first sentence with the right answer; external tokens: their "
        f"number. IRD: mean cosine of neighbouring windows before it ({by}). Means over the tasks, with bootstrap "
        "intervals. No answer: share of samples whose trace has no such sentence, so no figure. Short: fewer than "
        "20 sentences before it, so windows do not overlap. Ambiguous: an answer of less than two digits."
    )
    return TextTable("redundancy", "Redundancy of traces", columns, rows, note)


def _thoughts(found: Redundancy) -> TextTable:
    rows = tuple(
        (
            label,
            *_measured(frame, "trace_tokens", 1, 1),
            *_measured(frame, "needed_share", 1, 3),
            *_measured(frame, "switches", 1, 2),
            *_measured(frame, "reflections", 1, 2),
        )
        for label, frame in found.samples.items()
    )
    heads = ("trace tokens", "first-correct share", "thought switches", "reflections")
    columns = ("run", *(name for head in heads for name in (head, "95 % interval")))
    note = (
        "First-correct share: tokens up to the first correct answer, of all of the trace. Thought switches: "
        "sentences that begin another line of thought. Reflections: words such as wait, verify, double-check."
    )
    return TextTable("thoughts", "Turns of thought", columns, rows, note)


def _cost(found: Redundancy) -> TextTable:
    from bench.metrics.redundancy.efficiency import efficiency

    rows = tuple((label, *_efficiency(efficiency(frame))) for label, frame in found.samples.items())
    note = (
        "Tokens, seconds and dollars of all samples, wrong ones too, by right answers. Seconds: latencies of "
        "samples that may have run side by side."
    )
    return TextTable("cost", "What a right answer costs", ("run", *_EFFICIENCY), rows, note)


def _levels(found: Redundancy) -> TextTable:
    from bench.metrics.redundancy.efficiency import by_level

    rows = []
    for label, frame in found.samples.items():
        level = next((name for name in LEVELS if name in frame), None)
        if level is None:
            continue
        for value, one in by_level(frame, level).items():
            part = frame[frame[level].notna()]
            part = part[[_same(cell, value) for cell in part[level]]]
            rows.append((f"{label}, {level} {value}", *_efficiency(one), *_measured(part, "erd", 100, 1)))
    columns = ("run", *_EFFICIENCY, "ERD ×100", "95 % interval")
    return TextTable(
        "levels", "By level of difficulty", columns, tuple(rows), "Problems without a level are in no row."
    )


def _stopping(found: Redundancy) -> TextTable:
    from bench.metrics.redundancy.stopping import stopped_at_first
    from bench.metrics.samples import answered

    rows = tuple(
        (
            f"{label}, {'as it was' if point.extra is None else f'+ {point.extra} tokens'}",
            f"{point.accuracy:.3f}",
            f"{point.tokens:.1f}",
            f"{100 * point.shortened:.1f}",
        )
        for label, frame in found.samples.items()
        for point in stopped_at_first(answered(frame), EXTRAS)
    )
    note = (
        "What if every trace had ended so many tokens after its first correct answer, and the model had said that "
        "answer: an upper bound, since only who knows the answer can stop there. Means over all samples."
    )
    columns = ("run", "accuracy", "output tokens", "shortened %")
    return TextTable("stopping", "Stopped at the first correct answer", columns, rows, note)


def _against(found: Redundancy, baseline: str) -> TextTable:
    from bench.metrics.redundancy.against import against

    base = found.samples[baseline]
    rows = []
    for label, frame in found.samples.items():
        if label == baseline:
            continue
        one = against(frame, base)
        pairs = ((one.accuracy, one.baseline_accuracy, 3), (one.tokens, one.baseline_tokens, 1))
        rows.append(
            (
                label,
                str(one.problems),
                *(f"{_number(ours, digits)} ({_number(theirs, digits)})" for ours, theirs, digits in pairs),
                *_scored(one.aes),
                *_scored(one.equilibrium),
            )
        )
    columns = ("run", "problems", "accuracy", "output tokens", "AES", "95 % interval", "smooth score", "95 % interval")
    note = (
        f"Against {baseline}, whose figures stand in brackets, on the problems that both answered; intervals by "
        "paired bootstrap over problems. AES: α·ΔLen + β·ΔAcc, or α·ΔLen − γ·|ΔAcc| where accuracy falls, (α, β, γ) "
        "= (1, 3, 5). Smooth score: weighted harmonic mean of relative accuracy and brevity, weight the baseline's "
        "accuracy; 1 is the baseline."
    )
    return TextTable("against", "Against the baseline", columns, tuple(rows), note)


def _ablation(found: Redundancy) -> TextTable | None:
    pairs = next(([name for name in frame if str(name).startswith("ird ")] for frame in found.samples.values()), [])
    if not pairs:
        return None
    columns = ("run", "0.1, 0.05", *(", ".join(str(name).split()[1:]) for name in pairs))
    rows = tuple(
        (label, *(_number(frame[name].astype(float).mean() * 100, 1) for name in ("ird", *pairs)))
        for label, frame in found.samples.items()
    )
    note = "IRD ×100 by share of the sentences in a window and between two windows (α, β); means over all samples."
    return TextTable("ablation", "Windows", columns, rows, note)


_EFFICIENCY = ("samples", "right", "tokens per right", "accuracy per 1,000", "seconds per right", "dollars per right")


def _efficiency(one: Efficiency) -> Iterator[str]:
    yield from (str(one.n), str(one.correct), _number(one.tokens_per_correct, 1), _number(one.accuracy_per_1000, 3))
    yield from (_number(one.seconds_per_correct, 2), _number(one.dollars_per_correct, 4))


def _measured(frame: pd.DataFrame, name: str, times: float, digits: int) -> tuple[str, str]:
    from bench.metrics.measure import Measure
    from bench.metrics.measured import measured_by

    def values(rows: pd.DataFrame) -> Any:
        return rows[name].astype(float).to_numpy() * times

    overall: Mean = measured_by(frame, Measure(name, 0, "", "", "DESIGN", values)).overall
    ends = overall.interval
    return _number(overall.mean, digits), NOTHING if ends is None else f"{ends.low:.{digits}f}–{ends.high:.{digits}f}"


def _scored(one: Scored) -> tuple[str, str]:
    ends = one.interval
    return _number(one.value, 3), NOTHING if ends is None else f"{ends.low:.3f} … {ends.high:.3f}"


def _number(value: float | None, digits: int) -> str:
    return NOTHING if value is None or missing(value) else f"{value:,.{digits}f}"


def _percent(flags: pd.Series[Any]) -> str:
    return NOTHING if flags.empty else f"{100 * flags.astype(float).mean():.1f}"


def _same(cell: Any, value: str) -> bool:
    return str(int(cell)) == value if isinstance(cell, float) and cell.is_integer() else str(cell) == value
