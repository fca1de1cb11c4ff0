"""The published tables of tools are found by our names of the models."""

from __future__ import annotations

import pytest

from runner.config.compose import compose
from runner.config.sweep import read_sweep
from runner.results.published_tools import published_algorithmic, published_tools


def test_every_model_of_the_study_has_its_published_row() -> None:
    models = [model for entry in read_sweep("tools").points for word in entry for model in _models(str(word))]
    assert len(models) == 12
    for model in models:
        row = published_tools(compose([f"model={model}", "plan=true"]).model.name)
        assert row is not None
        assert row.without is not None
        assert row.within is not None
        assert row.without < row.within


def test_larger_problems_were_printed_with_tools_alone() -> None:
    small, large = published_algorithmic("qwen3_32b", "hanoi", 5), published_algorithmic("qwen3_32b", "hanoi", 7)
    assert small is not None
    assert large is not None
    assert (small.without, small.within) == pytest.approx((0.4342, 0.7123))
    assert large.without is None
    assert large.within == pytest.approx(0.4823)
    assert published_algorithmic("phi4", "hanoi", 5) is None


def _models(word: str) -> list[str]:
    return word.removeprefix("model=").split(",") if word.startswith("model=") else []
