"""Models of one origin, by their tuning."""

from __future__ import annotations

import pytest

from bench.metrics.matched import matched_pairs
from bench.metrics.models import Kind, ModelFigures


def model(
    name: str, kind: Kind, lineage: str | None, accuracy: float, tokens: float, score: float | None = None
) -> ModelFigures:
    return ModelFigures(name, "f", kind, 14, accuracy, tokens, score, lineage)


def test_all_pairs_of_a_lineage_from_less_to_more_tuned() -> None:
    found = matched_pairs(
        [
            model("thinker", "reasoning", "x", 0.9, 3_000, 0.7),
            model("plain", "base", "x", 0.5, 100, 0.6),
            model("chat", "instruct", "x", 0.6, 200),
            model("other", "instruct", "y", 0.6, 200),
            model("kinless", "base", None, 0.6, 200),
        ]
    )
    assert [(pair.before, pair.after) for pair in found] == [
        ("plain", "chat"),
        ("plain", "thinker"),
        ("chat", "thinker"),
    ]
    assert (found[1].accuracy_change, found[1].token_factor) == pytest.approx((0.4, 30))
    assert found[1].score_change == pytest.approx(0.1)
    assert found[2].score_change is None


def test_models_of_one_kind_are_no_pair_and_silence_has_no_factor() -> None:
    assert matched_pairs([model("a", "base", "x", 0, 1), model("b", "base", "x", 0, 1)]) == ()
    (pair,) = matched_pairs([model("a", "base", "x", 0, 0), model("b", "instruct", "x", 0, 1)])
    assert pair.token_factor is None
