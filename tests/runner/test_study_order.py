"""Runs of a study stand in one order: choices, efforts on their one scale, budgets by size."""

from __future__ import annotations

from typing import get_args

from runner.config.compose import compose
from runner.config.model import EffortLevel
from runner.report.study import rank


def test_efforts_stand_in_the_order_of_their_scale() -> None:
    levels = list(get_args(EffortLevel))
    assert levels == ["default", "none", "minimal", "low", "medium", "high"]
    settings = compose([]).model_dump(mode="json")
    ranks = [rank({**settings, "effort": {"level": level}}, "scripted") for level in levels]
    assert ranks == sorted(ranks)


def test_no_budget_stands_behind_the_largest() -> None:
    settings = [compose([f"budget.tokens={tokens}"]).model_dump(mode="json") for tokens in (64, 128, 1024, "null")]
    ranks = [rank(one, "scripted") for one in settings]
    assert ranks == sorted(ranks)
