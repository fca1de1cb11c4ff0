"""Routers: for each question one of two runs, thinking or direct, and what choosing so would have scored.

Nothing is generated: a routed set of samples is made of the samples of two finished runs on the same problems. What a
response is worth decides a choice: on the overthinking side of OptimalThinkingBench, and on tasks that are of neither
side, its part of AUC_OAA; on the underthinking side whether it is right.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import pandas as pd

from bench.metrics.intervals import Interval, bootstrap_rng, mean_of_draws, percentile_interval, resampled_means
from bench.metrics.optimal_means import counted, headlines, parts_of
from bench.metrics.optimal_thinking import PART_OF, response_auc
from bench.metrics.samples import answered

Mode = Literal["thinking", "direct"]
Choice: TypeAlias = Mapping[str, Mode]  # by problem id

# What is read of the verdicts, a sample a row.
COLUMNS = (
    "problem_id", "repeat", "task", "status", "outcome", "score", "thinking_state", "thinking_tokens", "output_tokens",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class RouterFigures:
    """What a router would have scored.

    Attributes:
        router: Its name.
        problems: Questions that it was scored on.
        n: Samples.
        share_thinking: Share of questions that it lets the model think about.
        accuracy: Mean over tasks.
        thinking_tokens: Mean over tasks.
        value: What is gained by a response, mean over tasks: see the module's text.
        interval: Of ``value``: problem bootstrap, stratified over tasks; None where a task has below two problems.
        auc_oaa: AUC_OAA of the benchmark's overthinking side; None without it.
        acc_ut: Accuracy on its underthinking side; None without it.
        f1: F1 of the two; None where one is missing.
    """

    router: str
    problems: int
    n: int
    share_thinking: float
    accuracy: float
    thinking_tokens: float
    value: float
    interval: Interval | None
    auc_oaa: float | None
    acc_ut: float | None
    f1: float | None


def paired_modes(thinking: pd.DataFrame, direct: pd.DataFrame) -> pd.DataFrame:
    """Return the answered samples of the problems that both runs answered, with ``mode``, ``correct`` and ``value``.

    Args:
        thinking: Samples of the run that thinks, with :data:`COLUMNS`.
        direct: Of the one that does not.
    """
    frames = [answered(frame).assign(mode=mode) for frame, mode in ((thinking, "thinking"), (direct, "direct"))]
    both = set(frames[0]["problem_id"]) & set(frames[1]["problem_id"])
    found = pd.concat([frame[frame["problem_id"].isin(both)] for frame in frames], ignore_index=True)
    names = {name: found[name].astype(str) for name in ("task", "problem_id")}
    right = (found["outcome"] == "correct") & (found["thinking_state"].astype(str) != "unclosed")
    correct = right.to_numpy(dtype=np.float64)
    area = response_auc(correct, found["thinking_tokens"])
    hard = np.array([task in PART_OF and PART_OF[task].side == "under" for task in names["task"]], dtype=bool)
    found = found.assign(**names, correct=correct, value=np.where(hard, correct, area))
    return found.sort_values(["task", "problem_id", "mode", "repeat"], ignore_index=True)


def routed(pairs: pd.DataFrame, choice: Choice) -> pd.DataFrame:
    """Return the samples that a choice leads to; problems without one are left out."""
    return pairs[pairs["problem_id"].map(choice) == pairs["mode"]]


def always(pairs: pd.DataFrame, mode: Mode) -> Choice:
    """Return the choice of one mode for every question."""
    return dict.fromkeys(pairs["problem_id"], mode)


def oracle_by_task(pairs: pd.DataFrame) -> Choice:
    """Return the better mode of each task for all of its questions; of equal ones the direct one.

    Source: OptimalThinkingBench, oracle router per sub-benchmark. It is chosen and scored on the same samples.
    """
    means = pairs.groupby(["task", "mode"])["value"].mean().unstack("mode")
    best: dict[str, Mode] = {
        str(task): "thinking" if row["thinking"] > row["direct"] else "direct" for task, row in means.iterrows()
    }
    return {str(problem): best[str(task)] for problem, task in zip(pairs["problem_id"], pairs["task"], strict=True)}


def oracle_by_problem(pairs: pd.DataFrame) -> pd.DataFrame | None:
    """Return the samples that the better mode of each question leads to; None where a run repeated no question.

    Each half of the repeats is scored by what was better on the other half, so chance is not counted as knowledge:
    chosen and scored on the same samples, two equal modes would seem to gain by it. Of few repeats it knows little, and
    may then score below the oracle by task.
    """
    halves = [pairs[pairs["repeat"] % 2 == half] for half in (0, 1)]
    if any(half["mode"].nunique() < 2 for half in halves):
        return None
    parts = [routed(scored, _better(chosen)) for chosen, scored in (halves, halves[::-1])]
    return pd.concat(parts)


def _better(samples: pd.DataFrame) -> Choice:
    """Return the better mode of each question; where both are worth the same, the better one of its task."""
    gains = problem_gains(samples)
    by_task = oracle_by_task(samples)
    own: dict[str, Mode] = {
        str(problem): "thinking" if gain > 0 else "direct"
        for problem, gain in zip(gains["problem_id"], gains["gain"], strict=True)
        if gain != 0
    }
    return {**by_task, **own}


def by_score(scores: Mapping[str, float], threshold: float) -> Choice:
    """Return thinking for each question whose difficulty score reaches the threshold."""
    return {problem: "thinking" if score >= threshold else "direct" for problem, score in scores.items()}


def best_threshold(pairs: pd.DataFrame, scores: Mapping[str, float]) -> float:
    """Return the threshold under which the mean value over tasks is highest; of equal ones the highest.

    ``inf``, thinking about nothing, is among them.

    Args:
        pairs: See :func:`paired_modes`; questions that are not scored on later.
        scores: Difficulty by problem id.
    """
    gains = problem_gains(pairs)
    weights = 1 / gains.groupby("task")["gain"].transform("size")  # a task counts as much as any other
    frame = pd.DataFrame({"score": gains["problem_id"].map(scores), "gain": gains["gain"] * weights})
    steps = frame.groupby("score")["gain"].sum().sort_index(ascending=False)
    total = steps.cumsum()
    best = int(np.argmax(total.to_numpy())) if len(total) else -1
    return float(total.index[best]) if best >= 0 and total.iloc[best] > 1e-12 else float("inf")


def problem_gains(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return by question ``problem_id``, ``task`` and ``gain``: mean value of thinking minus that of the other."""
    means = pairs.groupby(["task", "problem_id", "mode"])["value"].mean().unstack("mode").dropna().reset_index()
    return means.assign(gain=means["thinking"] - means["direct"])[["problem_id", "task", "gain"]]


def router_figures(name: str, samples: pd.DataFrame) -> RouterFigures:
    """Return what some routed samples score, at least one.

    Args:
        name: The router's.
        samples: From :func:`routed` or :func:`oracle_by_problem`.
    """
    by_task = samples.groupby("task", sort=True)
    means = by_task[["correct", "thinking_tokens", "value"]].mean().mean()
    found, _ = headlines(parts_of(counted(samples, "paper"), "paper"))
    return RouterFigures(
        router=name,
        problems=int(samples["problem_id"].nunique()),
        n=len(samples),
        share_thinking=_share(samples),
        accuracy=float(means["correct"]),
        thinking_tokens=float(means["thinking_tokens"]),
        value=float(means["value"]),
        interval=_interval(samples),
        auc_oaa=found["auc_oaa"],
        acc_ut=found["acc_ut"],
        f1=found["f1"],
    )


def _share(samples: pd.DataFrame) -> float:
    """Return the share of questions that are thought about; one that is in one half of its repeats counts half."""
    thinks = (samples["mode"] == "thinking").astype(float)
    return float(thinks.groupby(samples["problem_id"]).mean().mean())


def _interval(samples: pd.DataFrame) -> Interval | None:
    draws = mean_of_draws(
        [
            resampled_means(rows[["value"]], rows["problem_id"], bootstrap_rng(f"router {task}"))
            for task, rows in samples.groupby("task", sort=True)
        ]
    )
    return None if draws is None else percentile_interval(draws[:, 0], "task-stratified bootstrap")
