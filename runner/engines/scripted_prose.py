"""The sentences of the scripted engine."""

from __future__ import annotations

from bench.seeding import Stream

_SENTENCES = (
    "First I look at the numbers one by one.",
    "Let me write down the intermediate result.",
    "Wait, I should check that again.",
    "That agrees with what I had before.",
)


def chance(stream: Stream, share: float) -> bool:
    """Draw whether something happens that does in this share of cases."""
    return stream.below(1_000_000) < share * 1_000_000


def around(stream: Stream, mean: int) -> int:
    """Draw a length between half and one and a half times the mean."""
    return mean // 2 + stream.below(mean + 1)


def prose(stream: Stream, length: int) -> str:
    """Return ``length`` characters of sentences, in an order that differs from sample to sample."""
    block = " ".join(stream.shuffled(_SENTENCES)) + " "
    return (block * (length // len(block) + 1))[:length]


def rechecked(number: int) -> str:
    """Return a step that is derived and derived again; each number has its own, since the same ones are no steps."""
    one, other = 247 + 13 * number, 385 + 29 * number
    step = f"{one} + {other} = {one + other}. "
    return f"So {step}Wait, let me check that: {step}"
