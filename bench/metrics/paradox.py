"""The paradox view: models that solve word problems and fail the plain arithmetic inside them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt

from bench.metrics.intervals import Interval
from bench.metrics.rankings import Agreement, agreement


@dataclass(frozen=True, slots=True)
class Share:
    """An accuracy with its interval.

    Attributes:
        accuracy: In [0, 1].
        interval: Of it; None where only the figure is known, as in a published table.
    """

    accuracy: float
    interval: Interval | None = None


@dataclass(frozen=True, slots=True)
class Gap:
    """One model's basic math beside a set of word problems.

    Attributes:
        model: Its name.
        basic: Accuracy on basic math.
        words: Accuracy on the word problems.
        gap: words - basic; above 0 is the paradox.
        interval: Of the gap; None where one of the two has none.
    """

    model: str
    basic: float
    words: float
    gap: float
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class ParadoxView:
    """Models on basic math beside one set of word problems.

    Attributes:
        gaps: A line a model that has both, largest gap first.
        agreement: Of the two rankings; None without such a model.
    """

    gaps: tuple[Gap, ...]
    agreement: Agreement | None


def paradox(basic: Mapping[str, Share], words: Mapping[str, Share]) -> ParadoxView:
    """Set basic-math accuracy beside that on word problems (GSM8K, GSM-Plus) of the same models.

    Source: LLMThinkBench, paradox figure. Models without both are left out.

    Args:
        basic: Mean accuracy over the basic-math tasks by model.
        words: Accuracy on the word problems by model.
    """
    shared = [name for name in basic if name in words]
    gaps = [_gap(name, basic[name], words[name]) for name in shared]
    return ParadoxView(
        gaps=tuple(sorted(gaps, key=lambda gap: (-gap.gap, gap.model))),
        agreement=agreement(
            {name: basic[name].accuracy for name in shared}, {name: words[name].accuracy for name in shared}
        ),
    )


def difference_interval(first: float, of_first: Interval, second: float, of_second: Interval) -> Interval:
    """Return an interval of second - first from those of two independent figures of the same level.

    Low end d - sqrt((second - l2)^2 + (u1 - first)^2), high end d + sqrt((u2 - second)^2 + (first - l1)^2). Source: Zou
    and Donner 2008 (MOVER); with Wilson's intervals it is Newcombe's method 10 of 1998.

    Args:
        first: A figure.
        of_first: Its interval.
        second: A figure from other problems, in the same unit.
        of_second: Its interval.

    Raises:
        ValueError: the levels differ.
    """
    if of_first.level != of_second.level:
        raise ValueError(f"intervals of levels {of_first.level} and {of_second.level} can't be joined")
    difference = second - first
    below = sqrt((second - of_second.low) ** 2 + (of_first.high - first) ** 2)
    above = sqrt((of_second.high - second) ** 2 + (first - of_first.low) ** 2)
    return Interval(difference - below, difference + above, of_first.level, "MOVER")


def _gap(model: str, basic: Share, words: Share) -> Gap:
    interval = None
    if basic.interval is not None and words.interval is not None:
        interval = difference_interval(basic.accuracy, basic.interval, words.accuracy, words.interval)
    return Gap(model, basic.accuracy, words.accuracy, words.accuracy - basic.accuracy, interval)
