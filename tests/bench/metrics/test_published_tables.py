"""Our formulas on the published tables, where these agree with themselves."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from bench.metrics.families import family_trends
from bench.metrics.matched import matched_pairs
from bench.metrics.means import means
from bench.metrics.models import Kind, ModelFigures
from bench.metrics.overthinking import REFERENCE, overthinking_score
from bench.metrics.stability import leave_one_out

TABLES = Path(__file__).resolve().parents[3] / "runner" / "data" / "published"


def rows(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader((TABLES / f"{name}.csv").read_text("utf-8").splitlines()))


MAIN = rows("llmthinkbench_main")
NAMES = [f"{row['model']}|{row['params_b']}" for row in MAIN]
ACCURACY = np.array([float(row["accuracy_pct"]) / 100 for row in MAIN])
TOKENS = np.array([float(row["tokens"]) for row in MAIN])
PRINTED = np.array([float(row["o_score"]) for row in MAIN])

# Printed O that does not follow from the row's own accuracy and tokens.
ODD = {
    "Qwen3|14",
    "Qwen3|32",
    "Phi-3-mini-128k (I)|3.8",
    "Phi-3-medium-4k (I)|14",
    "Phi-3-medium-128k (I)|14",
    "Qwen2.5-Math (I)|1.5",
}


def test_33_of_39_scores_recompute_within_0002() -> None:
    off = np.abs(overthinking_score(ACCURACY, TOKENS, REFERENCE) - PRINTED)
    assert {name for name, error in zip(NAMES, off, strict=True) if error > 0.002} == ODD
    assert len(NAMES) - len(ODD) == 33


def test_two_printed_scores_are_exchanged() -> None:
    ours = dict(zip(NAMES, overthinking_score(ACCURACY, TOKENS, REFERENCE), strict=True))
    printed = dict(zip(NAMES, PRINTED, strict=True))
    assert ours["Qwen3|14"] == pytest.approx(printed["Qwen3|32"], abs=0.002)
    assert ours["Qwen3|32"] == pytest.approx(printed["Qwen3|14"], abs=0.002)


def test_the_harmonic_mean_is_the_one_that_was_printed() -> None:
    kept = [row for row, name in enumerate(NAMES) if name not in ODD]
    for form in ("arithmetic", "geometric", "f_half", "f_two"):
        other = [getattr(means(ACCURACY[row], TOKENS[row], REFERENCE), form) for row in kept]
        assert np.median(np.abs(other - PRINTED[kept])) > 0.005


def test_one_published_model_holds_the_ranking_of_the_pool() -> None:
    found = leave_one_out(dict(zip(NAMES, zip(ACCURACY.tolist(), TOKENS.tolist(), strict=True), strict=True)))
    assert found is not None
    moving = [drop.run for drop in found.drops if drop.largest_score_change > 0]
    assert moving == ["Phi-4-reasoning-plus|14", "Phi-3-mini-128k (I)|3.8"]  # the longest and the briefest
    assert found.lowest_tau == pytest.approx(0.946, abs=0.001)


def test_the_published_matched_pairs() -> None:
    kinds: dict[str, Kind] = {"none": "base", "instruct": "instruct", "cot": "reasoning"}
    models = [
        ModelFigures(
            row["variant"], "", kinds[row["training"]], None, float(row["accuracy_pct"]) / 100, float(row["tokens"]),
            lineage=row["pair"],
        )
        for row in rows("llmthinkbench_cot_pairs")
    ]  # fmt: skip
    changes = {(pair.before, pair.after): pair for pair in matched_pairs(models)}
    assert changes["Phi-4", "Phi-4-reasoning"].accuracy_change == pytest.approx(-0.0669)
    assert changes["Phi-4", "Phi-4-reasoning"].token_factor == pytest.approx(16.0, abs=0.01)
    assert changes["Phi-4-mini", "Phi-4-mini-reasoning"].accuracy_change == pytest.approx(0.1538)
    assert changes["Qwen2.5-14B", "Qwen2.5-14B-instruct"].token_factor == pytest.approx(260.2 / 148.5)
    assert len(changes) == 5


def test_the_published_qwen3_32b_is_below_14b_in_accuracy() -> None:
    models = [
        ModelFigures(f"{row['model']}|{row['params_b']}", row["model"], "reasoning", float(row["params_b"]),
                     float(row["accuracy_pct"]) / 100, float(row["tokens"]))
        for row in MAIN
        if row["model"] in ("Qwen3", "Qwen2.5 (I)")
    ]  # fmt: skip
    found = {trend.family: trend for trend in family_trends(models)}
    assert found["Qwen3"].reversals == (("Qwen3|14", "Qwen3|32"),)
    assert found["Qwen2.5 (I)"].reversals == ()
    assert found["Qwen2.5 (I)"].slope == pytest.approx(0.2456, abs=1e-4)
