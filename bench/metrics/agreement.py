"""How far two who decide the same cases agree: a judge and the rules."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

from bench.metrics.intervals import Interval, wilson


@dataclass(frozen=True, slots=True)
class Agreement:
    """What two raters said of the same cases.

    Attributes:
        n: Cases on which both spoke.
        agreed: Of these, cases on which both said the same.
        interval: 95 % Wilson interval of the share ``agreed / n``; None without cases.
        kappa: Cohen's kappa, agreement beyond chance: 1 is perfect, 0 is chance. None without cases, and where both
            always said one and the same, which leaves nothing beyond chance.
        table: Number of cases by (what the first said, what the second said).
    """

    n: int
    agreed: int
    interval: Interval | None
    kappa: float | None
    table: dict[tuple[Hashable, Hashable], int]


def agreement(pairs: Iterable[tuple[Hashable, Hashable]]) -> Agreement:
    """Return how far two raters agree; each pair is what they said of one case.

    Source: Cohen 1960, kappa = (p_o - p_e) / (1 - p_e), p_o the observed share of agreement and p_e that of two
    independent raters with the same shares of each verdict.
    """
    table: dict[tuple[Hashable, Hashable], int] = {}
    for pair in pairs:
        table[pair] = table.get(pair, 0) + 1
    n = sum(table.values())
    agreed = sum(count for (one, other), count in table.items() if one == other)
    return Agreement(n, agreed, wilson(agreed, n), _kappa(table, n, agreed), table)


def _kappa(table: dict[tuple[Hashable, Hashable], int], n: int, agreed: int) -> float | None:
    first: dict[Hashable, int] = {}
    second: dict[Hashable, int] = {}
    for (one, other), count in table.items():
        first[one] = first.get(one, 0) + count
        second[other] = second.get(other, 0) + count
    by_chance = sum(count * second.get(name, 0) for name, count in first.items())  # n * n times p_e
    return None if by_chance == n * n else (agreed * n - by_chance) / (n * n - by_chance)
