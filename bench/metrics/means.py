"""Other means of accuracy and efficiency, beside the harmonic one that the Overthinking Score is."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from bench.metrics.overthinking import Bounds, efficiency


@dataclass(frozen=True, slots=True)
class Means:
    """Means of an accuracy A and an efficiency E, all in [0, 1]; harmonic <= geometric <= arithmetic.

    Attributes:
        arithmetic: (A + E) / 2; a model that is never right still gets up to a half.
        geometric: sqrt(A E).
        harmonic: 2 A E / (A + E), the Overthinking Score.
        f_half: F of beta 0.5: efficiency weighs twice as much as accuracy.
        f_two: F of beta 2: accuracy weighs twice as much as efficiency.
    """

    arithmetic: float
    geometric: float
    harmonic: float
    f_half: float
    f_two: float


def f_beta(accuracy: float, brief: float, beta: float) -> float:
    """Return F = (1 + beta^2) A E / (beta^2 E + A), in [0, 1]; 0/0 is 0.

    Source: van Rijsbergen 1979, with accuracy in the place of recall: accuracy weighs ``beta`` times as much as
    efficiency. beta = 1 is the harmonic mean, beta = 0 the efficiency, beta to infinity the accuracy.

    Args:
        accuracy: A in [0, 1].
        brief: E in [0, 1].
        beta: 0 or more.
    """
    total = beta**2 * brief + accuracy
    return (1 + beta**2) * accuracy * brief / total if total > 0 else 0.0


def means(accuracy: float | None, tokens: float | None, bounds: Bounds) -> Means | None:
    """Return all means of an accuracy and the efficiency of a mean number of tokens; None where one is unknown.

    Source: LLMThinkBench, alternatives to its harmonic mean.

    Args:
        accuracy: In [0, 1].
        tokens: Mean output tokens.
        bounds: What efficiency 1 and 0 are worth.
    """
    if accuracy is None or tokens is None:
        return None
    brief = float(efficiency(tokens, bounds))
    return Means(
        arithmetic=(accuracy + brief) / 2,
        geometric=sqrt(accuracy * brief),
        harmonic=f_beta(accuracy, brief, 1),
        f_half=f_beta(accuracy, brief, 0.5),
        f_two=f_beta(accuracy, brief, 2),
    )
