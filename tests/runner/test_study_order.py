"""Runs of a study stand in one order, by choices, efforts and budgets, and have a name for all that differs."""

from __future__ import annotations

from typing import get_args

import pytest

from runner.config.compose import compose
from runner.config.model import EffortLevel
from runner.report.study import rank, set_apart


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


THINKING = "budget=thinking budget.tokens=64"


@pytest.mark.parametrize(
    ("typed", "apart"),
    [
        (["sampling.seed=1", "sampling.seed=2"], [{"sampling.seed": "1"}, {"sampling.seed": "2"}]),
        (
            [f"{THINKING} budget.answer_tokens=8", f"{THINKING} budget.answer_tokens=9"],
            [{"budget.answer_tokens": "8"}, {"budget.answer_tokens": "9"}],
        ),
        (
            ["precision=int4", "precision=int4 precision.compute=fp32", "precision=bf16"],
            [
                {"precision": "int4", "precision.compute": "auto"},
                {"precision": "int4", "precision.compute": "fp32"},
                {"precision": "bf16", "precision.compute": "–"},
            ],
        ),
        (["suite.sizes=[8]", "suite.sizes=[8,16]"], [{"suite.sizes": "[8]"}, {"suite.sizes": "[8, 16]"}]),
        (["sampling.noise=auto", "sampling.noise=counter outputs=x tracking=off"], [{}, {}]),
        (["budget.tokens=8", "budget.tokens=9"], [{"budget": "8"}, {"budget": "9"}]),
    ],
)
def test_rows_are_told_apart_by_every_setting_that_differs_and_no_other(
    typed: list[str], apart: list[dict[str, str]]
) -> None:
    runs = [(compose(line.split()).model_dump(mode="json"), "scripted") for line in typed]
    assert set_apart(runs) == [{"model": "smollm2_135m", **chosen} for chosen in apart]
