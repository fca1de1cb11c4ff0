"""Seeds of the texts: every sample draws from its own stream, whatever else a run holds."""

from __future__ import annotations

import hashlib


def sample_seed(seed: int, problem_id: str, repeat: int) -> int:
    """Return the 63-bit seed of one sample's text."""
    digest = hashlib.sha256(f"text/{seed}/{problem_id}/{repeat}".encode()).digest()
    return int.from_bytes(digest[:8], "little") >> 1


def turn_seed(seed: int, turn: int) -> int:
    """Return the 63-bit seed of a sample's text number ``turn``, from 0, where it begins a prompt of its own."""
    if turn == 0:
        return seed
    digest = hashlib.sha256(f"turn/{seed}/{turn}".encode()).digest()
    return int.from_bytes(digest[:8], "little") >> 1
