"""OptimalThinkingBench: one number for not overthinking easy questions and not underthinking hard ones.

    OAA_t = mean(correct * [thinking tokens < t])
    AUC_OAA = mean of OAA_t over t = 0 .. t_max        per response: correct * max(0, t_max - thinking) / t_max
    F1 = 2 * AUC_OAA * Acc_ut / (AUC_OAA + Acc_ut)     0/0 is 0

A model that does not think has 0 thinking tokens. Unclosed thinking counts all its tokens and has no answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

T_MAX = 1_000  # tokens; source: OptimalThinkingBench

Side = Literal["over", "under"]
Domain = Literal["general", "math"]

_GYM = (
    "ab", "letter_counting", "advanced_geometry", "knight_swap", "tsumego", "maze", "puzzle24",
    "fraction_simplification", "bitwise_arithmetic", "propositional_logic", "quantum_lock",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the benchmark; the two of a side weigh the same.

    Attributes:
        side: ``over`` has easy questions, on which thinking is waste, ``under`` hard ones.
        domain: What they are about.
        tasks: The tasks of the part.
    """

    side: Side
    domain: Domain
    tasks: tuple[str, ...]


PARTS = (
    Part("over", "general", ("optimal_thinking_general",)),
    Part("over", "math", ("math500",)),
    Part("under", "general", _GYM),
    Part("under", "math", ("aime25", "hmmt25")),
)
PART_OF: Mapping[str, Part] = {task: part for part in PARTS for task in part.tasks}


def oaa_curve(correct: ArrayLike, tokens: ArrayLike, thresholds: ArrayLike) -> NDArray[np.float64]:
    """Return OAA_t for each threshold t: the share of responses that are right with fewer than t tokens.

    Args:
        correct: 0 or 1 a response; at least one.
        tokens: Thinking tokens (or output tokens) a response.
        thresholds: In tokens.
    """
    right, used = np.asarray(correct, dtype=np.float64), np.asarray(tokens, dtype=np.float64)
    limits = np.asarray(thresholds, dtype=np.float64)
    # Counted from sorted tokens, so that memory does not grow with responses times thresholds.
    spent = np.sort(used[right > 0])
    return np.searchsorted(spent, limits, side="left") / len(right)


def response_auc(correct: ArrayLike, tokens: ArrayLike, t_max: float = T_MAX) -> NDArray[np.float64]:
    """Return each response's part of AUC_OAA, in [0, 1]; their mean is the area. Source: OptimalThinkingBench, AUC_OAA.

    For whole tokens it is exactly the sum of [tokens < t] over t = 0 .. t_max, divided by t_max.
    """
    right, used = np.asarray(correct, dtype=np.float64), np.asarray(tokens, dtype=np.float64)
    return right * np.maximum(0, t_max - used) / t_max


def auc_of_means(accuracy: ArrayLike, tokens: ArrayLike, t_max: float = T_MAX) -> NDArray[np.float64]:
    """Return what the released code calls AUC_OAA: mean accuracy times the efficiency of the mean tokens.

    It is another number: a right answer after 900 tokens and a wrong one after 100 have 0.25, by the definition 0.05.
    """
    right, used = np.asarray(accuracy, dtype=np.float64), np.asarray(tokens, dtype=np.float64)
    return right * np.maximum(0, t_max - used) / t_max


def f1(auc: ArrayLike, accuracy: ArrayLike) -> NDArray[np.float64]:
    """Return the harmonic mean of AUC_OAA and the accuracy on the underthinking side; 0/0 is 0.

    Source: OptimalThinkingBench, F1. Both in the same unit, shares or per cent.
    """
    one, other = np.asarray(auc, dtype=np.float64), np.asarray(accuracy, dtype=np.float64)
    total = one + other
    return np.divide(2 * one * other, total, out=np.zeros_like(total), where=total > 0)
