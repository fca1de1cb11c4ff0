from __future__ import annotations

from collections import Counter

import pytest
import torch
from transformers import (
    RepetitionPenaltyLogitsProcessor,
    TemperatureLogitsWarper,
    TopKLogitsWarper,
    TopPLogitsWarper,
)

from runner.engines import drawing
from runner.engines.drawing import Draw, draw_tokens, uniform
from runner.sampling.request import SamplingParams

VOCABULARY = 3000


def logits(rows: int, spread: float = 3.0) -> torch.Tensor:
    return torch.randn(rows, VOCABULARY, generator=torch.Generator().manual_seed(1)) * spread


@pytest.mark.parametrize(
    "sampling",
    [
        SamplingParams(0.1, 0.9),
        SamplingParams(1.0, 0.9),
        SamplingParams(1.0, 0.9, top_k=20),
        SamplingParams(1.0, 1.0, top_k=64),
        SamplingParams(1.0, 1.0, top_k=100_000),
        SamplingParams(2.0, 0.999),
    ],
)
@pytest.mark.parametrize("ties", [False, True])
def test_short_lists_draw_what_the_whole_vocabulary_draws(
    sampling: SamplingParams, ties: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = logits(100)
    values = values.round() if ties else values
    draws = [Draw(sampling, seed, position=9) for seed in range(100)]
    short = draw_tokens(values, draws)
    monkeypatch.setattr(drawing, "_LISTS", ())
    assert short == draw_tokens(values, draws)


@pytest.mark.parametrize(
    "sampling",
    [SamplingParams(1.0, 0.8), SamplingParams(0.5, 0.9, top_k=8), SamplingParams(0.7), SamplingParams(1e-30)],
)
def test_draws_follow_the_distribution_that_transformers_would_draw_from(sampling: SamplingParams) -> None:
    values = logits(1, spread=1.5)[:, :40]
    scores = TemperatureLogitsWarper(max(sampling.temperature, 1e-6))(None, values)
    scores = TopKLogitsWarper(sampling.top_k)(None, scores) if sampling.top_k else scores
    scores = TopPLogitsWarper(sampling.top_p)(None, scores) if sampling.top_p < 1 else scores
    expected = scores.softmax(-1)[0].tolist()
    count = 4000
    drawn = Counter(draw_tokens(values.expand(count, -1), [Draw(sampling, 1, position) for position in range(count)]))
    for token, share in enumerate(expected):
        assert abs(drawn[token] / count - share) <= 4 * (share * (1 - share) / count) ** 0.5


def test_greedy_takes_the_lowest_id_of_the_largest_and_needs_no_seed() -> None:
    assert draw_tokens(torch.tensor([[1.0, 3.0, 3.0]]), [Draw(SamplingParams(), 1, 0)]) == [1]


def test_rows_do_not_depend_on_their_neighbours() -> None:
    values = logits(6)
    params = [SamplingParams(), SamplingParams(1.0), SamplingParams(0.8, 0.9), SamplingParams(1.0, 1.0, 5)] * 2
    draws = [Draw(params[row], row, row) for row in range(6)]
    alone = [draw_tokens(values[row : row + 1], [draws[row]])[0] for row in range(6)]
    assert draw_tokens(values, draws) == alone
    assert draw_tokens(values.flip(0), draws[::-1]) == alone[::-1]


def test_repetition_penalty_is_that_of_transformers() -> None:
    values, seen = logits(1), (5, 17, 17, 2000)
    seen_best = (*seen, int(values.argmax()))
    expected = RepetitionPenaltyLogitsProcessor(1.7)(torch.tensor([seen_best]), values.clone()).argmax()
    assert draw_tokens(values, [Draw(SamplingParams(repetition_penalty=1.7), 1, 4, seen_best)]) == [int(expected)]
    assert torch.equal(values, logits(1))


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_logits_without_a_finite_maximum_give_no_token(bad: float) -> None:
    values = torch.tensor([[0.0, bad, 1.0], [0.0, -torch.inf, 1.0]])
    for sampling in (SamplingParams(), SamplingParams(0.7, 0.9)):
        assert draw_tokens(values, [Draw(sampling, 1, 0), Draw(SamplingParams(), 1, 0)]) == [None, 2]


def test_uniform_numbers_depend_on_seed_and_position_and_never_change() -> None:
    assert len({uniform(seed, position) for seed in range(9) for position in range(9)}) == 81
    assert uniform(1, 2) == 0.496778737749489
