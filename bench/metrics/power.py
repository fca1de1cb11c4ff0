"""How small a difference between two accuracies a study can still see."""

from __future__ import annotations

from math import asin, pi, sin, sqrt
from statistics import NormalDist

ALPHA = 0.05
POWER = 0.8


def detectable_unpaired(n: int, accuracy: float = 0.5, alpha: float = ALPHA, power: float = POWER) -> float | None:
    """Return the smallest difference that two runs on different problems can tell apart.

    Source: Cohen 1988, chapter 6: h = 2 asin(sqrt(p2)) - 2 asin(sqrt(p1)) = (z_alpha/2 + z_power) sqrt(2 / n), a
    normal approximation. The difference is taken towards 0.5, where it is largest.

    Args:
        n: Problems of each run; repeats of a problem don't count.
        accuracy: The accuracy of the one run; 0.5 is the worst case.
        alpha: Two-sided level of the test.
        power: Chance to see a difference of that size.

    Returns:
        A difference in [0, 1], or None if no difference can be seen.
    """
    if n < 1:
        return None
    reach = _z(1 - alpha / 2) + _z(power)
    start = asin(sqrt(min(accuracy, 1 - accuracy)))
    end = start + reach * sqrt(2 / n) / 2
    return sin(end) ** 2 - sin(start) ** 2 if end <= pi / 2 else None


def detectable_paired(n: int, discordant: float, alpha: float = ALPHA, power: float = POWER) -> float | None:
    """Return the smallest difference that two runs on the same problems can tell apart (McNemar's test).

    Source: Connor 1987: n d^2 = (z_alpha/2 sqrt(psi) + z_power sqrt(psi - d^2))^2, solved for d.

    Args:
        n: Problems that both runs answered.
        discordant: Share psi of problems that one run gets right and the other wrong, in (0, 1].
        alpha: Two-sided level of the test.
        power: Chance to see a difference of that size.

    Returns:
        A difference in [0, ``discordant``], or None if no difference can be seen.
    """
    z_alpha, z_power = _z(1 - alpha / 2), _z(power)
    inner = n + z_power**2 - z_alpha**2
    if inner < 0:
        return None
    difference = sqrt(discordant) * (sqrt(n) * z_alpha + z_power * sqrt(inner)) / (n + z_power**2)
    return difference if difference <= discordant else None


def _z(probability: float) -> float:
    return NormalDist().inv_cdf(probability)
