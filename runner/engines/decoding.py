"""Decodes rows of token ids together: a left-padded batch that rows leave when done and others join."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Sequence
from typing import Any

import torch
from torch import Tensor

from runner.engines.drawing import Draw, draw_tokens
from runner.engines.kv_cache import RoomyLayer, new_cache
from runner.engines.row import Row


class Forward:
    """Calls a causal language model, whatever its parameters are called."""

    def __init__(self, model: Any) -> None:
        names = inspect.signature(model.forward).parameters
        self.model = model
        self._cache_name = "cache" if "cache" in names else "past_key_values"
        self._takes_positions = "position_ids" in names
        self._options = {"logits_to_keep": 1} if "logits_to_keep" in names else {}
        # Whether every layer's cache is a plain one, which can be cut and padded on the left.
        self.joinable = all(isinstance(layer, RoomyLayer) for layer in self.new_cache().layers)

    def release(self) -> None:
        """Let go of the model; nothing can be called afterwards. Idempotent."""
        self.model = None

    def new_cache(self) -> Any:
        """Return an empty key-value cache of the kind the model wants."""
        return new_cache(self.model.config)

    def __call__(self, ids: Tensor, mask: Tensor, positions: Tensor, cache: Any) -> Tensor:
        """Extend ``cache`` by ``ids`` [rows, new] and return the logits [rows, vocabulary] after the last of them.

        Args:
            ids: New ids.
            mask: 1 where a token stands, 0 on padding, [rows, cached and new].
            positions: Position of every new id in its own row.
            cache: The cache; changed in place.
        """
        options = {**self._options, self._cache_name: cache, "use_cache": True}
        if self._takes_positions:
            options["position_ids"] = positions
        with torch.inference_mode():
            logits: Tensor = self.model(input_ids=ids, attention_mask=mask, **options).logits
        return logits[:, -1]


class Batch:
    """Rows with their common cache. Building one computes the prompts; then draw, drop what is done, step, repeat.

    A dropped row leaves a hole that is still computed; :meth:`compact` and :meth:`join` close the holes.
    """

    def __init__(self, forward: Forward, rows: Sequence[Row]) -> None:
        self._forward = forward
        self._device = forward.model.device
        self._cache = forward.new_cache()
        self._slots: list[Row | None] = [*rows]  # in the order of the tensors' first dimension
        self._lengths = [len(row.ids) for row in rows]  # of what the cache holds of a row
        self._width = max(self._lengths)  # of the cache; a row's padding is on its left
        padded = [[0] * (self._width - len(row.ids)) + row.ids for row in rows]
        mask = self._mask()
        positions = (mask.cumsum(-1) - 1).clamp(min=0)
        self._logits = forward(torch.tensor(padded, device=self._device), mask, positions, self._cache)

    @property
    def rows(self) -> list[Row]:
        """The rows that go on."""
        return [row for row in self._slots if row is not None]

    @property
    def holes(self) -> float:
        """Share of the computation that is wasted on dropped rows."""
        return self._slots.count(None) / len(self._slots)

    def draw(self) -> list[tuple[Row, int | None]]:
        """Draw the next id of every row and append it; None for a row whose logits are not finite."""
        rows, places = self.rows, self._places()
        logits = self._logits if len(rows) == len(self._slots) else self._logits[places]
        tokens = draw_tokens(logits, [_draw(row) for row in rows])
        for row, token in zip(rows, tokens, strict=True):
            if token is not None:
                row.ids.append(token)
        return list(zip(rows, tokens, strict=True))

    def drop(self, rows: Collection[Row]) -> None:
        """Let these rows not go on."""
        self._slots = [None if row in rows else row for row in self._slots]

    def step(self) -> None:
        """Compute the logits after the ids drawn last."""
        self._width += 1
        # A hole stays where it is, so that it never runs out of positions.
        self._lengths = [n + (row is not None) for n, row in zip(self._lengths, self._slots, strict=True)]
        ids = torch.tensor([[0] if row is None else row.ids[-1:] for row in self._slots], device=self._device)
        positions = torch.tensor([[length - 1] for length in self._lengths], device=self._device)
        self._logits = self._forward(ids, self._mask(), positions, self._cache)

    def compact(self) -> None:
        """Close the holes, and cut the padding that no row needs any more."""
        places = self._places()
        self._slots = [self._slots[place] for place in places]
        self._lengths = [self._lengths[place] for place in places]
        index = torch.tensor(places, device=self._device)
        self._logits = self._logits[index]
        if not self._forward.joinable:
            self._cache.reorder_cache(index)  # takes fewer rows than there are, in every kind of layer
            return
        self._width = max(self._lengths)
        for layer in self._cache.layers:
            layer.select(index, self._width)

    def join(self, other: Batch) -> None:
        """Take over the rows of ``other``; the forward must be joinable, and neither be between draw and step."""
        if self.holes:
            self.compact()
        self._width = max(self._width, other._width)
        for mine, others in zip(self._cache.layers, other._cache.layers, strict=True):
            mine.join(others, self._width)
        self._logits = torch.cat([self._logits, other._logits])
        self._lengths += other._lengths
        self._slots += other._slots

    def _places(self) -> list[int]:
        return [place for place, row in enumerate(self._slots) if row is not None]

    def _mask(self) -> Tensor:
        padding = self._width - torch.tensor(self._lengths, device=self._device)
        return (torch.arange(self._width, device=self._device) >= padding[:, None]).long()


def _draw(row: Row) -> Draw:
    sampling = row.request.sampling
    seen = row.ids if sampling.repetition_penalty != 1.0 else ()
    return Draw(sampling, row.request.seed, position=len(row.ids), seen=seen)
