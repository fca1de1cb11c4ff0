"""Runs are compared where they differ in one choice alone."""

from __future__ import annotations

import pandas as pd
import pytest

from runner.report.choices import alike_but

USUAL = {"model": "m", "precision": "fp32", "prompt": "standard", "effort": "default", "tools": "none", "context": "c"}


def points(*rows: dict) -> pd.DataFrame:
    none = {"budget": None, "budget_kind": None, "budget_form": None}
    return pd.DataFrame([{**USUAL, **none, **row} for row in rows])


def budget(tokens: int, kind: str, form: str = "") -> dict:
    return {"budget": tokens, "budget_kind": kind, "budget_form": f"{kind}{form}"}


def test_a_budget_is_compared_with_budgets_of_its_kind_and_with_none() -> None:
    table = points({}, budget(64, "total"), budget(64, "thinking"), budget(128, "total"))
    assert alike_but(table, "budget") == [[0, 1, 3], [0, 2]]


@pytest.mark.parametrize("other", [{"context": "d"}, budget(64, "thinking", " 20"), {"tools": "calculator"}])
def test_a_second_difference_makes_no_pair(other: dict) -> None:
    assert alike_but(points({"prompt": "concise", **other}, budget(64, "thinking", " 10")), "prompt") == []


def test_the_usual_choice_is_the_baseline() -> None:
    assert alike_but(points({"prompt": "concise"}, {"prompt": "standard"}), "prompt") == [[1, 0]]
