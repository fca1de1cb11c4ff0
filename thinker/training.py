"""The training loop."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from dataclasses import dataclass

import torch
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn.functional import cross_entropy
from torch.optim import AdamW, Muon, Optimizer
from transformers import LlamaForCausalLM

from thinker.lessons import Batch, Lessons

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Plan:
    """How long and how fast to train.

    Attributes:
        tokens: Seen in all, padding included.
        batch_tokens: Of one step.
        copying: Share of the lessons that only copy, and up to which share of all tokens; without them the model learns
            late or never to look up the items of a list.
        muon_rate: Learning rate of the matrices.
        adam_rate: Of embedding and norms.
        warm_up: Steps over which the rates rise; afterwards they fall to nothing in a straight line.
    """

    tokens: int = 24_000_000
    batch_tokens: int = 4096
    copying: tuple[tuple[float, float], ...] = ((1.0, 0.04), (0.3, 0.15))
    muon_rate: float = 0.02
    adam_rate: float = 0.004
    warm_up: int = 30


@dataclass(frozen=True, slots=True)
class Progress:
    """Where training stands: tokens seen, mean loss since the last one, seconds since the start."""

    tokens: int
    loss: float
    seconds: float


def train(model: LlamaForCausalLM, tokenizer: Tokenizer, plan: Plan, seed: int) -> Iterator[Progress]:
    """Train a model in place, and yield where it stands every two hundred steps."""
    _quicken(model)
    optimizers = _optimizers(model, plan)
    rates = [optimizer.param_groups[0]["lr"] for optimizer in optimizers]
    seen, losses, start = 0, [], time.monotonic()
    for step, batch in enumerate(_stream(Lessons(tokenizer, seed), plan)):
        left = max(0.0, 1 - seen / plan.tokens) * min(1.0, (step + 1) / plan.warm_up)
        for optimizer, rate in zip(optimizers, rates, strict=True):
            optimizer.param_groups[0]["lr"] = rate * left
        losses.append(_step(model, batch, optimizers))
        seen += batch.ids.numel()
        if step % 200 == 199 or seen >= plan.tokens:
            yield Progress(seen, sum(losses) / len(losses), time.monotonic() - start)
            losses.clear()
        if seen >= plan.tokens:
            return


def _quicken(model: LlamaForCausalLM) -> None:
    """Replace the norms by those of torch: the same weights and results in fewer passes over memory."""
    for name, module in list(model.named_modules()):
        if type(module).__name__ == "LlamaRMSNorm":
            quick = torch.nn.RMSNorm(module.weight.shape, eps=module.variance_epsilon)
            quick.weight = module.weight
            model.get_submodule(name.rpartition(".")[0]).register_module(name.rpartition(".")[2], quick)


def _stream(lessons: Lessons, plan: Plan) -> Iterator[Batch]:
    seen = 0
    while True:
        copying = next((share for share, until in plan.copying if seen < until * plan.tokens), 0.0)
        for batch in lessons.batches(plan.batch_tokens, copying):
            seen += batch.ids.numel()
            yield batch


def _optimizers(model: LlamaForCausalLM, plan: Plan) -> tuple[Optimizer, ...]:
    matrices = [weight for weight in model.model.layers.parameters() if weight.ndim == 2]
    chosen = {id(weight) for weight in matrices}
    others = [weight for weight in model.parameters() if id(weight) not in chosen]
    return (
        Muon(matrices, lr=plan.muon_rate, weight_decay=0.0),
        AdamW(others, lr=plan.adam_rate, betas=(0.9, 0.98), weight_decay=0.0),
    )


def _step(model: LlamaForCausalLM, batch: Batch, optimizers: tuple[Optimizer, ...]) -> float:
    loss = _loss(model, batch)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    for optimizer in optimizers:
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
    return float(loss.item())


def _loss(model: LlamaForCausalLM, batch: Batch) -> Tensor:
    """Return the weighted loss; padding stands at the end, where no earlier token attends to it."""
    hidden = model.model(input_ids=batch.ids[:, :-1], use_cache=False).last_hidden_state
    counted = batch.weights > 0
    logits = model.lm_head(hidden[counted])
    each = cross_entropy(logits, batch.ids[:, 1:][counted], reduction="none")
    return (each * batch.weights[counted]).sum()
