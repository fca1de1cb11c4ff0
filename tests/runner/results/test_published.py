"""The published main table is the one that was printed, and our score is the one it used."""

from __future__ import annotations

import pytest

from bench.metrics.overthinking import REFERENCE, overthinking_score
from runner.errors import UserError
from runner.results.published import main_table, published

# Rows whose printed score does not follow from their own accuracy and tokens. The first two carry each other's.
EXCEPTIONS = {
    "Qwen3|14",
    "Qwen3|32",
    "Phi-3-mini-128k (I)|3.8",
    "Phi-3-medium-4k (I)|14",
    "Phi-3-medium-128k (I)|14",
    "Qwen2.5-Math (I)|1.5",
}


def test_33_of_the_39_published_scores_recompute() -> None:
    rows = main_table().values()
    off = {
        row.name
        for row in rows
        if abs(overthinking_score(row.accuracy, row.output_tokens, REFERENCE) - row.overthinking) > 0.002
    }
    assert len(rows) == 39
    assert off == EXCEPTIONS


def test_two_published_scores_are_swapped() -> None:
    for row, other in (("Qwen3|14", "Qwen3|32"), ("Qwen3|32", "Qwen3|14")):
        own = published(row)
        printed_elsewhere = published(other).overthinking
        assert overthinking_score(own.accuracy, own.output_tokens, REFERENCE) == pytest.approx(
            printed_elsewhere, abs=0.002
        )


def test_a_row_is_found_by_model_and_size() -> None:
    assert published("GPT-4.1|").output_tokens == 338.8
    assert published("Phi-4|14").accuracy == pytest.approx(0.7892)


def test_an_unknown_row_is_refused_with_near_ones() -> None:
    with pytest.raises(UserError, match=r"Qwen3\|8"):
        published("Qwen3|9")
