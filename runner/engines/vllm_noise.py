"""Counter noise inside vLLM: a logits processor that draws each token itself and leaves vLLM no other choice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from vllm.v1.sample.logits_processor import BatchUpdate, LogitsProcessor
from vllm.v1.sample.logits_processor.builtin import process_dict_updates

from runner.engines.drawing import Draw, draw_tokens
from runner.engines.vllm import COUNTER_NOISE
from runner.sampling.request import SamplingParams


@dataclass(slots=True)
class _Drawn:
    """A request of the batch that draws with counter noise."""

    sampling: SamplingParams
    seed: int
    prompt: Sequence[int]
    output: Sequence[int]  # grows while vLLM generates

    def draw(self) -> Draw:
        seen = (*self.prompt, *self.output) if self.sampling.repetition_penalty != 1.0 else ()
        return Draw(self.sampling, self.seed, position=len(self.prompt) + len(self.output), seen=seen)


class CounterNoise(LogitsProcessor):  # type: ignore[misc]  # vLLM is not typed
    """Replaces the logits of such a request by ones that allow the drawn token alone; vLLM decodes it greedily.

    It runs in vLLM's core process, on the logits before any penalty or temperature of vLLM.
    """

    def __init__(self, vllm_config: Any, device: torch.device, is_pin_memory: bool) -> None:
        self._rows: dict[int, _Drawn] = {}

    def is_argmax_invariant(self) -> bool:
        """Return False: it decides what greedy decoding takes."""
        return False

    def update_state(self, batch_update: BatchUpdate | None) -> None:
        """Follow the requests that enter, leave and move in the batch."""
        process_dict_updates(self._rows, batch_update, _drawn)

    def apply(self, logits: Tensor) -> Tensor:
        """Draw; a row whose logits are not finite is left as it is."""
        places = sorted(self._rows)
        if not places:
            return logits
        tokens = draw_tokens(logits[places], [self._rows[place].draw() for place in places])
        found = [(place, token) for place, token in zip(places, tokens, strict=True) if token is not None]
        rows = torch.tensor([place for place, _ in found], dtype=torch.long, device=logits.device)
        logits[rows] = -torch.inf
        logits[rows, torch.tensor([token for _, token in found], dtype=torch.long, device=logits.device)] = 0.0
        return logits


def _drawn(params: Any, prompt: list[int] | None, output: list[int]) -> _Drawn | None:
    stated = (params.extra_args or {}).get(COUNTER_NOISE)
    if stated is None:
        return None
    seed, temperature, top_p, top_k, repetition_penalty = stated
    sampling = SamplingParams(temperature, top_p, top_k, repetition_penalty, "counter")
    return _Drawn(sampling, seed, tuple(prompt or ()), output)
