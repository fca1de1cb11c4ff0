from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
import torch
from scipy.stats import chisquare, kstest
from transformers import (
    RepetitionPenaltyLogitsProcessor,
    TemperatureLogitsWarper,
    TopKLogitsWarper,
    TopPLogitsWarper,
)

from runner.engines import drawing
from runner.engines.drawing import Draw, draw_tokens, uniform
from runner.engines.noise import gumbel, noise_key, random_bits
from runner.sampling.request import Noise, SamplingParams

# The first numbers of SplitMix64 from state 0, as its authors publish them, signed.
SPLITMIX = (0xE220A8397B1DCDAF - (1 << 64), 0x6E789E6AA1B965F4)

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
@pytest.mark.parametrize("noise", ["stream", "counter"])
@pytest.mark.parametrize("ties", [False, True])
def test_short_lists_draw_what_the_whole_vocabulary_draws(
    sampling: SamplingParams, noise: Noise, ties: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    sampling = replace(sampling, noise=noise)
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
@pytest.mark.parametrize("noise", ["stream", "counter"])
def test_draws_follow_the_distribution_that_transformers_would_draw_from(
    sampling: SamplingParams, noise: Noise
) -> None:
    values = logits(1, spread=1.5)[:, :40]
    scores = TemperatureLogitsWarper(max(sampling.temperature, 1e-6))(None, values)
    scores = TopKLogitsWarper(sampling.top_k)(None, scores) if sampling.top_k else scores
    scores = TopPLogitsWarper(sampling.top_p)(None, scores) if sampling.top_p < 1 else scores
    expected = scores.softmax(-1)[0].tolist()
    count, sampling = 4000, replace(sampling, noise=noise)
    drawn = Counter(draw_tokens(values.expand(count, -1), [Draw(sampling, 1, position) for position in range(count)]))
    for token, share in enumerate(expected):
        assert abs(drawn[token] / count - share) <= 4 * (share * (1 - share) / count) ** 0.5
    assert fit(drawn, expected, count) > 1e-3


def fit(drawn: Counter[int | None], expected: list[float], count: int) -> float:
    """Return the p-value of a chi-square test; rare tokens share a cell with the first."""
    wanted = [share * count / sum(expected) for share in expected]
    cells = [[drawn[token], number] for token, number in enumerate(wanted) if number >= 5]
    cells[0][0] += sum(drawn[token] for token, number in enumerate(wanted) if number < 5)
    cells[0][1] += sum(number for number in wanted if number < 5)
    return float(chisquare(*zip(*cells, strict=True)).pvalue) if len(cells) > 1 else 1.0


def test_greedy_takes_the_lowest_id_of_the_largest_and_needs_no_seed() -> None:
    assert draw_tokens(torch.tensor([[1.0, 3.0, 3.0]]), [Draw(SamplingParams(), 1, 0)]) == [1]


def test_rows_do_not_depend_on_their_neighbours() -> None:
    values = logits(6)
    params = [SamplingParams(), SamplingParams(1.0), SamplingParams(0.8, 0.9), SamplingParams(1.0, 1.0, 5)]
    params += [SamplingParams(1.0, noise="counter"), SamplingParams(0.8, 0.9, noise="counter")]
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


def test_noise_depends_on_seed_position_and_token_and_never_changes() -> None:
    keys = torch.tensor([noise_key(seed, position) for seed in range(9) for position in range(9)])
    bits = random_bits(keys, torch.arange(50).expand(81, -1))
    assert len(set(bits.flatten().tolist())) == 81 * 50
    assert random_bits(torch.tensor([0]), torch.tensor([[0, 1]])).tolist() == [[SPLITMIX[0], SPLITMIX[1]]]
    assert noise_key(1, 2) == -579075687573359297
    assert gumbel(torch.tensor([noise_key(1, 2)]), torch.tensor([[3]])).item() == pytest.approx(2.1707615852355957)


def test_noise_is_standard_gumbel_and_unlike_its_neighbours() -> None:
    keys = torch.tensor([noise_key(7, position) for position in range(40)])
    noise = gumbel(keys, torch.arange(2000).expand(40, -1))
    assert kstest(noise.flatten().numpy(), "gumbel_r").pvalue > 1e-3
    assert abs(float(torch.corrcoef(noise).fill_diagonal_(0).max())) < 0.12
    assert abs(float(torch.corrcoef(torch.stack([noise[:, :-1].flatten(), noise[:, 1:].flatten()]))[0, 1])) < 0.02


def test_two_slightly_different_models_draw_the_same_tokens_with_the_same_noise() -> None:
    values = logits(1, spread=1.5).expand(400, -1)[:, :200]
    other = values + torch.randn(400, 200, generator=torch.Generator().manual_seed(2)) * 0.02
    draws = [Draw(SamplingParams(1.0, noise="counter"), 1, position) for position in range(400)]
    same = sum(a == b for a, b in zip(draw_tokens(values, draws), draw_tokens(other, draws), strict=True))
    assert same >= 380
