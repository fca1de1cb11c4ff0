"""A response's part of the area under OAA_t: right, and by how far below the largest threshold."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bench.metrics.measure import Measure
from bench.metrics.optimal_thinking import T_MAX, response_auc
from bench.verdict import Outcome


def _area(answers: pd.DataFrame) -> NDArray[np.float64]:
    return response_auc(answers["outcome"] == Outcome.CORRECT, answers["thinking_tokens"], T_MAX)


MEASURE = Measure(
    name="auc_oaa",
    order=90,
    unit="share",
    formula="correct × max(0, 1000 - thinking tokens) / 1000",
    source="OptimalThinkingBench, AUC_OAA",
    of=_area,
)
