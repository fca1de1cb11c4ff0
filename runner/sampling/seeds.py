"""Seeds of the texts: every sample draws from its own stream, whatever else a run holds."""

from __future__ import annotations

import hashlib


def sample_seed(seed: int, problem_id: str, repeat: int) -> int:
    """Return the 63-bit seed of one sample's text."""
    digest = hashlib.sha256(f"text/{seed}/{problem_id}/{repeat}".encode()).digest()
    return int.from_bytes(digest[:8], "little") >> 1
