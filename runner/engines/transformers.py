"""The engine that decodes with Hugging Face transformers, in batches that rows enter and leave."""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from runner.config import machine
from runner.config.settings import ModelSettings, Precision, TransformersSettings
from runner.engines.base import EngineCapabilities, EngineDied
from runner.engines.row import Row
from runner.engines.tokenization import Tokenization
from runner.errors import UserError
from runner.sampling.generation import Boundary, FinishReason, Generation, failed
from runner.sampling.request import Request
from runner.weights.weights import Weights

if TYPE_CHECKING:
    from runner.engines.decoding import Batch

log = logging.getLogger(__name__)

# Requests in flight per place in a batch: the more, the better rows of like length and cap find together.
_WINDOW_BATCHES = 4
# Rows come and go when this share of the batch is free: both hold up all that decode.
_FREE_SHARE = 0.25
# Prompts computed at once: enough to keep any device busy, few enough to answer Ctrl-C in seconds on a CPU.
_PROMPT_TOKENS = 2048
# They differ in length by this share at most, for what is padded is computed too.
_PADDING_SHARE = 0.125


class TransformersEngine:
    """Decodes on one device.

    A row leaves the batch when it ends and a waiting one takes its place, as far as the model's cache is a plain
    one; with sliding windows or recurrent states a batch decodes to its end before the next begins. Its own loop
    draws the tokens: nothing in the model's ``generation_config`` acts but the ids that end a text.

    The draws of a row never depend on its neighbours. Its logits do within rounding, which float32 does not show
    in practice; in 16 bits a near tie may fall otherwise in other company.
    """

    capabilities = EngineCapabilities(
        continues=True,
        token_ids=True,
        seeds=True,
        stop_strings=True,
        local=True,
        continues_draws=True,
        counter_noise=True,
        native_tools=True,
    )

    def __init__(
        self, model: ModelSettings, precision: Precision, settings: TransformersSettings, weights: Weights
    ) -> None:
        """Load the model.

        Raises:
            UserError: the device or number format can't be had here, or the weights can't be used.
        """
        try:
            import torch

            from runner.engines import loading
            from runner.engines.decoding import Forward
        except ImportError as error:
            advice = machine.install_command("transformers")
            raise UserError(f"engine=transformers needs torch and transformers ({error}): {advice}") from error
        if settings.threads is not None:
            torch.set_num_threads(settings.threads)
        device = loading.pick_device(settings.device)
        config = loading.load_config(weights, model)
        context = loading.context_of(config, model)
        with loading.quiet():
            self.tokenization = Tokenization.load(weights.folder, model, context)
        network = loading.load_model(weights, model, config, precision, device)
        self.loaded = loading.describe(network, weights, context)
        self.default_sampling = self.tokenization.default_sampling()
        self.window = _WINDOW_BATCHES * settings.batch_size
        self.batch_size = settings.batch_size
        self._forward = Forward(network)
        self._batch: Batch | None = None
        self._joining: list[Row] = []  # rows whose prompts are being computed
        self._filling = False  # rows join until the batch is full
        self._pending: deque[Row] = deque()
        self._ready: list[Generation] = []

    @property
    def writer(self) -> Tokenization:
        return self.tokenization

    @property
    def in_flight(self) -> int:
        return len(self._ready) + len(self._pending) + len(self._decoding)

    def submit(self, request: Request) -> None:
        rendered = self.tokenization.render(request)
        if isinstance(rendered, Generation):
            self._ready.append(rendered)
        else:
            self._pending.append(Row(request, rendered, time.monotonic()))

    def poll(self, timeout_s: float) -> list[Generation]:
        """Decode until a row ends or ``timeout_s`` is over, at least one step."""
        deadline = time.monotonic() + timeout_s
        while not self._ready and (self._pending or self._decoding):
            self._advance()
            if time.monotonic() >= deadline:
                break
        ready, self._ready = self._ready, []
        return ready

    def cancel(self, key: str) -> None:
        self._ready = [generation for generation in self._ready if generation.key != key]
        self._pending = deque(row for row in self._pending if row.request.key != key)
        self._drop([row for row in self._decoding if row.request.key == key])

    def close(self) -> None:
        from runner.engines.loading import free_memory

        self._batch = None
        self._ready.clear()
        self._pending.clear()
        self._forward.release()
        free_memory()

    @property
    def _decoding(self) -> list[Row]:
        return [] if self._batch is None else self._batch.rows

    def _advance(self) -> None:
        """Compute the prompts of some rows, or one token of every row that decodes.

        What goes wrong is an outcome of the rows it happened to.
        """
        trouble = None
        try:
            if self._pending and self._admits():
                self._admit()
            else:
                self._decode()
        except Exception as error:  # a model is a program: it may raise anything
            trouble = _Trouble.of(error)
        if trouble is not None:  # after the error is gone, and with it the memory that its traceback holds
            self._recover(trouble)

    def _admits(self) -> bool:
        if self._batch is None:
            return True
        alone = self._pending[0].alone or any(row.alone for row in self._batch.rows)
        free = self.batch_size - len(self._batch.rows)
        self._filling = free > 0 and (self._filling or free >= _FREE_SHARE * self.batch_size)
        return self._filling and self._forward.joinable and not alone

    def _admit(self) -> None:
        from runner.engines.decoding import Batch

        self._joining = self._take(self.batch_size - len(self._decoding))
        newcomers = Batch(self._forward, self._joining)
        if self._batch is None:
            self._batch = newcomers
        else:
            self._batch.join(newcomers)
        self._joining = []

    def _take(self, free: int) -> list[Row]:
        """Take the oldest waiting row, and of the others those most like it in cap, then in length."""
        oldest = self._pending[0]
        others = [row for row in self._pending if not row.alone and row is not oldest]
        if oldest.alone:
            others = []
        elif self._forward.joinable:  # else the batch has to be filled at once
            slack = int(len(oldest.ids) * _PADDING_SHARE)
            others = [row for row in others if abs(len(row.ids) - len(oldest.ids)) <= slack]
            free = min(free, max(1, _PROMPT_TOKENS // (len(oldest.ids) + slack)))
        others.sort(key=lambda row: _distance(oldest, row))
        taken = [oldest, *others[: free - 1]]
        gone = set(taken)
        self._pending = deque(row for row in self._pending if row not in gone)
        return taken

    def _decode(self) -> None:
        if self._batch is None:
            return
        if self._batch.holes >= _FREE_SHARE:
            self._batch.compact()
        ended = {row: end for row, token in self._batch.draw() if (end := self._end(row, token))}
        self._ready += ended.values()
        self._drop(ended)
        if self._batch is not None:
            self._batch.step()

    def _end(self, row: Row, token: int | None) -> Generation | None:
        if token is None:
            advice = "its logits are not finite; try another precision"
            return failed(row.request.key, Boundary.ENGINE, "not_finite", advice)
        if token in self.tokenization.end_ids or self._stopped(row):
            reason = FinishReason.STOP
        elif row.new >= row.rendered.max_new_tokens:
            reason = FinishReason.LENGTH
        else:
            return None
        latency_s = time.monotonic() - row.submitted_s
        return self.tokenization.generation(row.request, row.rendered, row.new_ids, reason, latency_s)

    def _stopped(self, row: Row) -> bool:
        return bool(row.request.stop) and self.tokenization.stopped(row.request, row.new_ids)

    def _drop(self, rows: Collection[Row]) -> None:
        if self._batch is not None and rows:
            self._batch.drop(rows)
            self._batch = self._batch if self._batch.rows else None

    def _recover(self, trouble: _Trouble) -> None:
        """Queue the rows that were being decoded again, with what they have so far, or give them up.

        Out of memory halves the batch; a row for which a batch of one is too large is given up. After any other
        error each row gets one more try, alone.
        """
        from runner.engines.loading import free_memory

        rows = self._decoding + self._joining
        self._batch, self._joining = None, []
        if trouble.device_lost:
            raise EngineDied(trouble.message, restartable=False)
        free_memory()
        hopeless = rows if trouble.memory and len(rows) == 1 else [row for row in rows if row.alone]
        if trouble.memory and len(rows) > 1:
            self.batch_size = max(1, min(self.batch_size, len(rows)) // 2)
            log.warning("out of memory with %d sequences; going on with %d", len(rows), self.batch_size)
        for row in rows:
            row.alone |= not trouble.memory
        self._pending.extendleft(row for row in reversed(rows) if row not in hopeless)
        kind = "out_of_memory" if trouble.memory else "forward_failed"
        self._ready += [failed(row.request.key, Boundary.ENGINE, kind, trouble.message) for row in hopeless]


@dataclass(frozen=True, slots=True)
class _Trouble:
    message: str
    memory: bool
    device_lost: bool

    @classmethod
    def of(cls, error: Exception) -> _Trouble:
        from runner.engines.loading import out_of_memory

        message, memory = f"{type(error).__name__}: {error}", out_of_memory(error)
        # After such an error every call to the GPU fails until the process ends.
        return cls(message, memory, device_lost="CUDA error" in message and not memory)


def _distance(row: Row, other: Row) -> tuple[int, int]:
    caps = row.rendered.max_new_tokens.bit_length() - other.rendered.max_new_tokens.bit_length()
    return abs(caps), abs(len(row.ids) - len(other.ids))
