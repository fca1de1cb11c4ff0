"""What a run and two runs say of OptimalThinkingBench on a terminal, and how its figures are written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from runner.report.numbers import NOTHING, signed

if TYPE_CHECKING:
    from bench.metrics.optimal_figures import Change, Estimate, OptimalThinking

_NAMES = {
    "f1": "F1",
    "f1_output": "F1 on output tokens",
    "auc_oaa": "AUC_OAA",
    "auc_oaa_output": "AUC_OAA on output tokens",
    "overthinking_accuracy": "accuracy, easy side",
    "overthinking_tokens": "thinking tokens, easy side",
    "acc_ut": "accuracy, hard side",
}


def optimal_lines(found: OptimalThinking | None) -> list[str]:
    """Return what a run's table says of the benchmark, for a terminal; nothing for another suite."""
    if found is None:
        return []
    figures = [f"{_NAMES[name]} {said(getattr(found, name))}" for name in ("f1", "auc_oaa", "acc_ut")]
    used = found.overthinking_tokens.value
    thinking = [] if used is None else [f"{used:.0f} thinking tokens on the easy side"]
    by = "" if found.scoring == "paper" else f" (scoring {found.scoring})"
    lines = [f"OptimalThinkingBench{by}: {', '.join([*figures, *thinking])}"]
    return [*lines, f"without {', '.join(found.missing)}: not the benchmark's own figures"] if found.missing else lines


def comparison_lines(changes: Sequence[Change]) -> list[str]:
    """Return the benchmark's figures of two runs, a line each."""
    if not changes:
        return []
    lines = ["OptimalThinkingBench: B - A on the same problems; intervals: paired bootstrap by problem"]
    for change in changes:
        decimals = 0 if change.name == "overthinking_tokens" else 3
        ends = change.interval
        between = "" if ends is None else f" [{signed(ends.low, decimals)}, {signed(ends.high, decimals)}]"
        values = f"A {change.a:.{decimals}f}, B {change.b:.{decimals}f}"
        lines.append(f"  {_NAMES[change.name]}: {values}, {signed(change.b - change.a, decimals)}{between}")
    return lines


def said(estimate: Estimate) -> str:
    """A share with its interval."""
    ends = span(estimate)
    return share(estimate) if ends == NOTHING else f"{share(estimate)} {ends}"


def share(estimate: Estimate) -> str:
    """A share with three decimals, a dash for none."""
    return NOTHING if estimate.value is None else f"{estimate.value:.3f}"


def tokens(estimate: Estimate) -> str:
    """A whole number of tokens."""
    return NOTHING if estimate.value is None else f"{estimate.value:.0f}"


def span(estimate: Estimate) -> str:
    """The interval of a share, a dash for none."""
    ends = estimate.interval
    return NOTHING if ends is None else f"[{ends.low:.3f}, {ends.high:.3f}]"
