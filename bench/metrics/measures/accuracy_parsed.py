"""Right or not, among the answers that could be read."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bench.metrics.measure import Measure
from bench.verdict import Outcome


def _right_if_read(answers: pd.DataFrame) -> NDArray[np.float64]:
    right = np.asarray(answers["outcome"] == Outcome.CORRECT, dtype=np.float64)
    return np.where(answers["outcome"] == Outcome.UNPARSED, np.nan, right)


MEASURE = Measure(
    name="accuracy_parsed",
    order=11,
    unit="share",
    formula="1 if correct, 0 if incorrect; an unparsed answer has none",
    source="LLMThinkBench, released code's denominator",
    of=_right_if_read,
)
