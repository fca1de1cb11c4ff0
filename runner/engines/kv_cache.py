"""A key-value cache with room at its end, so that a decoding step writes one column and copies none."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import pad
from transformers import DynamicCache
from transformers.cache_utils import DynamicLayer

# Columns of room: the whole cache is copied once in so many steps instead of at every one.
_ROOM = 64


class RoomyLayer(DynamicLayer):  # type: ignore[misc]
    """A plain layer of :class:`DynamicCache`. ``keys`` and ``values`` are [rows, heads, width, size] as there."""

    def __init__(self) -> None:
        super().__init__()
        self._key_room: Tensor | None = None
        self._value_room: Tensor | None = None

    def update(self, key_states: Tensor, value_states: Tensor, *args: Any, **kwargs: Any) -> tuple[Tensor, Tensor]:
        """Append to the cache and return all of it."""
        if not self.is_initialized:
            self.lazy_initialization(key_states, value_states)
            self.keys, self.values = key_states, value_states
        else:
            self.keys, self._key_room = _append(self.keys, self._key_room, key_states)
            self.values, self._value_room = _append(self.values, self._value_room, value_states)
        return self.keys, self.values

    def select(self, places: Tensor, width: int) -> None:
        """Keep the rows at ``places``, cut or padded on the left to ``width`` columns."""
        self._replace(_fitted(self.keys, width)[places], _fitted(self.values, width)[places])

    def join(self, other: RoomyLayer, width: int) -> None:
        """Put the rows of ``other`` behind these, all cut or padded on the left to ``width`` columns."""
        keys = [_fitted(layer.keys, width) for layer in (self, other)]
        values = [_fitted(layer.values, width) for layer in (self, other)]
        self._replace(torch.cat(keys), torch.cat(values))

    def _replace(self, keys: Tensor, values: Tensor) -> None:
        self.keys, self.values = keys, values
        self._key_room = self._value_room = None


def new_cache(config: Any) -> Any:
    """Return the empty cache that a model wants, with roomy layers for the plain ones."""
    cache = DynamicCache(config=config)
    cache.layers = [RoomyLayer() if type(layer) is DynamicLayer else layer for layer in cache.layers]
    return cache


def _append(held: Tensor, room: Tensor | None, new: Tensor) -> tuple[Tensor, Tensor]:
    """Return ``held`` with ``new`` behind it, and the memory that both lie at the beginning of."""
    width, total = held.shape[-2], held.shape[-2] + new.shape[-2]
    if room is None or total > room.shape[-2]:
        room = held.new_empty((*held.shape[:-2], total + _ROOM, held.shape[-1]))
        room[..., :width, :] = held
    room[..., width:total, :] = new
    return room[..., :total, :], room


def _fitted(held: Tensor, width: int) -> Tensor:
    return pad(held, (0, 0, width - held.shape[-2], 0))  # a negative number cuts
