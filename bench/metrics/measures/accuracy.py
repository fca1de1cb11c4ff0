"""Right or not; an answer that could not be read is not right."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bench.metrics.measure import Measure
from bench.verdict import Outcome


def _right(answers: pd.DataFrame) -> NDArray[np.float64]:
    return np.asarray(answers["outcome"] == Outcome.CORRECT, dtype=np.float64)


MEASURE = Measure(
    name="accuracy",
    order=10,
    unit="share",
    formula="1 if correct, else 0; unparsed, cut and refused answers count",
    source="DESIGN",
    of=_right,
)
