"""The training loop."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import torch
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn.functional import cross_entropy
from torch.optim import AdamW, Muon, Optimizer
from transformers import LlamaForCausalLM

from thinker.lessons import HARDER_TASKS, LAST_LEARNT, Batch, Lessons


@dataclass(frozen=True, slots=True)
class Phase:
    """A stretch of training: the rates rise at its start, then fall to nothing in a straight line.

    Attributes:
        tokens: Seen in all, padding included.
        muon_rate: Learning rate of the matrices.
        adam_rate: Of embedding and norms.
        tasks: In which shares they are taught.
        copying: Share of the lessons that only copy, and up to which share of the tokens.
    """

    tokens: int
    muon_rate: float
    adam_rate: float
    tasks: Mapping[str, float]
    copying: tuple[tuple[float, float], ...] = ()


# Without lessons that only copy, the model learns late or never to look up the items of a list.
LEARNING = Phase(24_000_000, 0.02, 0.004, HARDER_TASKS, copying=((1.0, 0.04), (0.3, 0.15)))
# What the first phase leaves unsure, at four tenths of its rates.
FINISHING = Phase(4_000_000, 0.008, 0.0016, LAST_LEARNT)
_BATCH_TOKENS = 4096
_WARM_UP = 30  # steps


@dataclass(frozen=True, slots=True)
class Progress:
    """Where training stands: tokens seen, mean loss since the last one, seconds since the start."""

    tokens: int
    loss: float
    seconds: float


def train(model: LlamaForCausalLM, tokenizer: Tokenizer, phases: Sequence[Phase], seed: int) -> Iterator[Progress]:
    """Train a model in place, and yield where it stands every two hundred steps."""
    _quicken(model)
    before, start = 0, time.monotonic()
    for number, phase in enumerate(phases):
        lessons = Lessons(tokenizer, len(phases) * seed + number)
        for seen, loss in _trained(model, lessons, phase):
            yield Progress(before + seen, loss, time.monotonic() - start)
        before += phase.tokens


def _trained(model: LlamaForCausalLM, lessons: Lessons, phase: Phase) -> Iterator[tuple[int, float]]:
    """Train for one phase; yield tokens seen in it, and the mean loss since the last time."""
    optimizers = _optimizers(model, phase)
    rates = [optimizer.param_groups[0]["lr"] for optimizer in optimizers]
    seen, losses = 0, []
    for step, batch in enumerate(_stream(lessons, phase)):
        left = max(0.0, 1 - seen / phase.tokens) * min(1.0, (step + 1) / _WARM_UP)
        for optimizer, rate in zip(optimizers, rates, strict=True):
            optimizer.param_groups[0]["lr"] = rate * left
        losses.append(_step(model, batch, optimizers))
        seen += batch.ids.numel()
        if step % 200 == 199 or seen >= phase.tokens:
            yield seen, sum(losses) / len(losses)
            losses.clear()
        if seen >= phase.tokens:
            return


def _quicken(model: LlamaForCausalLM) -> None:
    """Replace the norms by those of torch: the same weights and results in fewer passes over memory."""
    for name, module in list(model.named_modules()):
        if type(module).__name__ == "LlamaRMSNorm":
            quick = torch.nn.RMSNorm(module.weight.shape, eps=module.variance_epsilon)
            quick.weight = module.weight
            model.get_submodule(name.rpartition(".")[0]).register_module(name.rpartition(".")[2], quick)


def _stream(lessons: Lessons, phase: Phase) -> Iterator[Batch]:
    seen = 0
    while True:
        copying = next((share for share, until in phase.copying if seen < until * phase.tokens), 0.0)
        for batch in lessons.batches(_BATCH_TOKENS, phase.tasks, copying):
            seen += batch.ids.numel()
            yield batch


def _optimizers(model: LlamaForCausalLM, phase: Phase) -> tuple[Optimizer, ...]:
    matrices = [weight for weight in model.model.layers.parameters() if weight.ndim == 2]
    chosen = {id(weight) for weight in matrices}
    others = [weight for weight in model.parameters() if id(weight) not in chosen]
    return (
        Muon(matrices, lr=phase.muon_rate, weight_decay=0.0),
        AdamW(others, lr=phase.adam_rate, betas=(0.9, 0.98), weight_decay=0.0),
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
