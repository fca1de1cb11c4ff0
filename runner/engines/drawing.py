"""Draws the next token of every row so that a row's text depends on its own logits, seed and position alone."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import torch
from torch import Tensor

from runner.engines.noise import gumbel, noise_key
from runner.sampling.request import SamplingParams

T = TypeVar("T")

# Lengths of the lists of likeliest tokens that are tried before the whole vocabulary, to the same result: most
# nuclei fit into the first.
_LISTS = (64, 1024)
# Below it a temperature is greedy for every float32 logit, and dividing by it would overflow.
_LEAST_TEMPERATURE = 1e-6


@dataclass(frozen=True, slots=True)
class Draw:
    """What a row's next token depends on beside its logits.

    Attributes:
        sampling: How it is drawn.
        seed: Seed of the request.
        position: Absolute position of the new token in prompt, prefix and output.
        seen: Ids so far, for the repetition penalty.
    """

    sampling: SamplingParams
    seed: int
    position: int
    seen: Sequence[int] = ()


def uniform(seed: int, position: int) -> float:
    """Return the number in [0, 1) that decides the token at ``position``: 52 bits of SHA-256."""
    digest = hashlib.sha256(f"draw/{seed}/{position}".encode()).digest()
    return float((int.from_bytes(digest[:8], "big") >> 12) * 2.0**-52)


def draw_tokens(logits: Tensor, draws: Sequence[Draw]) -> list[int | None]:
    """Return the next token of every row; None where the logits have no finite maximum.

    Temperature 0 takes the largest logit (the lowest id of equals). Otherwise: temperature, then the ``top_k``
    likeliest, then of those the smallest set that reaches ``top_p``; of what is left, with noise ``stream`` the
    inverse of the cumulative distribution in the order of ids at :func:`uniform`, with ``counter`` the token with the
    largest sum of log-probability and :func:`runner.engines.noise.gumbel`.

    Args:
        logits: Float tensor [rows, vocabulary].
        draws: One a row.
    """
    logits = _penalised(logits.float(), draws)
    largest, likeliest = logits.max(dim=-1)
    tokens: list[int | None] = [
        token if finite else None for token, finite in zip(likeliest.tolist(), largest.isfinite().tolist(), strict=True)
    ]
    rows = [row for row, draw in enumerate(draws) if draw.sampling.temperature > 0 and tokens[row] is not None]
    if rows:
        chosen = [draws[row] for row in rows]
        for row, token in zip(rows, _sample(_scaled(logits[rows], chosen), chosen), strict=True):
            tokens[row] = token
    return tokens


def _penalised(logits: Tensor, draws: Sequence[Draw]) -> Tensor:
    rows = [row for row, draw in enumerate(draws) if draw.sampling.repetition_penalty != 1.0 and draw.seen]
    if rows:
        logits = logits.clone()
    for row in rows:
        penalty = draws[row].sampling.repetition_penalty
        ids = torch.tensor(sorted(set(draws[row].seen)), device=logits.device)
        values = logits[row, ids]
        logits[row, ids] = torch.where(values > 0, values / penalty, values * penalty)
    return logits


def _scaled(logits: Tensor, draws: Sequence[Draw]) -> Tensor:
    """Return log-probabilities at each row's temperature, before top-k and top-p."""
    temperatures = torch.tensor([max(draw.sampling.temperature, _LEAST_TEMPERATURE) for draw in draws])
    return ((logits - logits.amax(-1, keepdim=True)) / temperatures.to(logits.device)[:, None]).log_softmax(-1)


def _sample(logs: Tensor, draws: Sequence[Draw]) -> list[int]:
    """Return a token a row of log-probabilities: by the cheapest way that is exact for the row."""
    vocabulary = logs.shape[-1]
    tokens: list[int | None] = [None] * len(draws)
    uncut = [row for row, draw in enumerate(draws) if draw.sampling.top_k == 0 and draw.sampling.top_p >= 1]
    for noise, way in (("stream", _any_by_stream), ("counter", _any_by_counter)):
        rows = [row for row in uncut if draws[row].sampling.noise == noise]
        if rows:
            _put(tokens, rows, way(logs if len(rows) == len(draws) else logs[rows], [draws[row] for row in rows]))
    for length in (*(length for length in _LISTS if length < vocabulary), vocabulary):
        rows = [row for row, token in enumerate(tokens) if token is None]
        if rows:
            _put(tokens, rows, _from_list(logs[rows], length, [draws[row] for row in rows]))
    return [token for token in tokens if token is not None]


def _put(places: list[T], rows: Sequence[int], found: Sequence[T]) -> None:
    for row, one in zip(rows, found, strict=True):
        places[row] = one


def _any_by_stream(logs: Tensor, draws: Sequence[Draw]) -> list[int]:
    return _inverse(_probabilities(logs), draws)


def _any_by_counter(logs: Tensor, draws: Sequence[Draw]) -> list[int]:
    return _noisiest(logs, torch.arange(logs.shape[-1], device=logs.device).expand_as(logs), draws)


def _from_list(logs: Tensor, length: int, draws: Sequence[Draw]) -> list[int | None]:
    """Draw from the ``length`` likeliest tokens; None for a row whose nucleus they may not hold.

    The order is by probability, of equals by id: no algorithm, device or length of the list changes it.
    """
    vocabulary = logs.shape[-1]
    if length == vocabulary:
        likely, ids = _probabilities(logs).sort(dim=-1, descending=True, stable=True)
        nucleus, _ = _nucleus(likely, draws, vocabulary)
        every = torch.arange(vocabulary, device=logs.device).expand_as(ids)
        return [*_choose(torch.zeros_like(nucleus).scatter(1, ids, nucleus), every, draws)]
    listed = logs.topk(length)
    ids, order = listed.indices.cpu().sort(-1)  # few numbers: the CPU is quick, and adds up alike everywhere
    by_id = _probabilities(listed.values.cpu()).gather(1, order)
    likely, order = by_id.sort(dim=-1, descending=True, stable=True)
    nucleus, complete = _nucleus(likely, draws, vocabulary)
    chosen = _choose(torch.zeros_like(nucleus).scatter(1, order, nucleus), ids, draws)
    return [token if sure else None for token, sure in zip(chosen, complete.tolist(), strict=True)]


def _probabilities(logs: Tensor) -> Tensor:
    return (logs.cpu() if logs.device.type == "mps" else logs).double().exp()  # mps has no double


def _nucleus(likely: Tensor, draws: Sequence[Draw], vocabulary: int) -> tuple[Tensor, Tensor]:
    """Return ``likely`` with zeros outside the nucleus, and for every row whether it surely is all of the nucleus.

    Args:
        likely: The largest probabilities [rows, listed], in order.
        draws: One a row.
        vocabulary: Number of all tokens.
    """
    listed, device = likely.shape[1], likely.device
    top_k = torch.tensor([[draw.sampling.top_k or vocabulary] for draw in draws], device=device)
    top_p = torch.tensor([[draw.sampling.top_p] for draw in draws], dtype=torch.double, device=device)
    allowed = torch.where(torch.arange(listed, device=device) < top_k, likely, 0.0)
    total = torch.where(top_k < vocabulary, allowed.sum(-1, keepdim=True), 1.0)
    before = allowed.cumsum(-1) - allowed
    nucleus = torch.where(before < torch.where(top_p < 1, top_p * total, torch.inf), allowed, 0.0)
    least = likely.gather(1, (nucleus > 0).sum(-1, keepdim=True) - 1)
    # Equals of the least token may stand outside the list, unless the list goes on below them.
    complete = (least > likely[:, -1:]) & ((top_k <= listed) | (top_k >= vocabulary))
    return nucleus, complete[:, 0]


def _choose(weights: Tensor, ids: Tensor, draws: Sequence[Draw]) -> list[int]:
    """Return a token a row of weights, by the noise that the row asks for.

    Args:
        weights: Probabilities up to a factor [rows, listed], 0 for what can't be drawn.
        ids: Their tokens, rising in every row.
        draws: One a row.
    """
    places = [0] * len(draws)
    stream = [row for row, draw in enumerate(draws) if draw.sampling.noise == "stream"]
    if stream:
        _put(places, stream, _inverse(weights[stream], [draws[row] for row in stream]))
    counter = [row for row, draw in enumerate(draws) if draw.sampling.noise == "counter"]
    if counter:
        _put(places, counter, _noisiest(weights[counter].log(), ids[counter], [draws[row] for row in counter]))
    chosen = ids.gather(1, torch.tensor(places, device=ids.device)[:, None])
    return [token for (token,) in chosen.tolist()]


def _noisiest(logs: Tensor, ids: Tensor, draws: Sequence[Draw]) -> list[int]:
    """Return the place in every row with the largest log-probability once its noise is added."""
    keys = torch.tensor([noise_key(draw.seed, draw.position) for draw in draws], device=logs.device)
    places: list[int] = gumbel(keys, ids.to(logs.device)).add(logs).argmax(-1).tolist()
    return places


def _inverse(weights: Tensor, draws: Sequence[Draw]) -> list[int]:
    """Return the place in every row where its cumulative weight passes the row's uniform number."""
    cumulative = weights.cumsum(-1)
    numbers = [[uniform(draw.seed, draw.position)] for draw in draws]
    targets = torch.tensor(numbers, dtype=torch.double, device=weights.device) * cumulative[:, -1:]
    places: list[int] = torch.searchsorted(cumulative, targets, right=True)[:, 0].tolist()
    return places
