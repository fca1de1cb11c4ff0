"""Gumbel noise that is a pure function of seed, absolute position and token id, whatever draws with it.

The integers are those of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014):
the state comes from seed and position, the token id is the place in its stream. They are the same on every device.
"""

from __future__ import annotations

import hashlib

from torch import Tensor

# As signed 64-bit numbers, torch's only ones that wrap around everywhere.
_GOLDEN = 0x9E3779B97F4A7C15 - (1 << 64)
_FIRST = 0xBF58476D1CE4E5B9 - (1 << 64)
_SECOND = 0x94D049BB133111EB - (1 << 64)


def noise_key(seed: int, position: int) -> int:
    """Return the state for the token at ``position`` in prompt, prefix and output, a signed 64-bit number."""
    digest = hashlib.sha256(f"noise/{seed}/{position}".encode()).digest()
    return int.from_bytes(digest[:8], "little", signed=True)


def random_bits(keys: Tensor, ids: Tensor) -> Tensor:
    """Return 64 random bits for every token.

    Args:
        keys: One of :func:`noise_key` a row, int64 [rows].
        ids: Token ids, int64 [rows, tokens].
    """
    bits = ids * _GOLDEN
    bits += keys[:, None] + _GOLDEN
    for places, factor in ((30, _FIRST), (27, _SECOND)):
        bits ^= _shifted(bits, places)
        bits *= factor
    bits ^= _shifted(bits, 31)
    return bits


def gumbel(keys: Tensor, ids: Tensor) -> Tensor:
    """Return standard Gumbel noise for every token, float32; arguments as :func:`random_bits`.

    The token with the largest sum of log-probability and noise is drawn with its probability. The upper tail, which
    decides, is as fine as float32 allows: it comes from the 52 bits of a small number, not from one close to 1.
    """
    bits = _shifted(random_bits(keys, ids), 12)
    uniform = bits.double().add_(0.5).mul_(2.0**-52).float()
    return uniform.neg_().log1p_().neg_().log_().neg_()


def _shifted(bits: Tensor, places: int) -> Tensor:
    """Shift right and fill with zeros; torch's own shift would fill with the sign."""
    return (bits >> places).bitwise_and_((1 << (64 - places)) - 1)
