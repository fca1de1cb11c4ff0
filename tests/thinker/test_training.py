"""The training loop, at a thousandth of its length: every phase is gone through, the same from the same seed."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite

import torch

from thinker.lessons import vocabulary_texts
from thinker.network import new_model
from thinker.training import FINISHING, LEARNING, Progress, train
from thinker.vocabulary import tokenizer

TOKENIZER = tokenizer(vocabulary_texts())
PHASES = (replace(LEARNING, tokens=24_000), replace(FINISHING, tokens=8_000))


def trained(seed: int) -> tuple[list[Progress], torch.Tensor]:
    model = new_model(TOKENIZER, seed)
    return list(train(model, TOKENIZER, PHASES, seed)), model.get_input_embeddings().weight.detach()


def test_every_phase_is_gone_through_and_changes_the_model() -> None:
    progress, weights = trained(0)
    first, second = progress  # below two hundred steps each phase says once where it stands
    assert 24_000 <= first.tokens < 30_000
    assert 32_000 <= second.tokens < 38_000
    assert isfinite(first.loss)
    assert isfinite(second.loss)
    assert second.loss < first.loss
    assert not torch.equal(weights, new_model(TOKENIZER, 0).get_input_embeddings().weight)


def test_the_same_seed_gives_the_same_lessons_and_another_one_others() -> None:
    (first, _), (again, _), (other, _) = trained(0), trained(0), trained(1)
    losses = [[round(point.loss, 3) for point in progress] for progress in (first, again, other)]
    assert losses[0] == losses[1] != losses[2]
