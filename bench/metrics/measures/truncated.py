"""Cut by a cap or not."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bench.metrics.measure import Measure


def _cut(answers: pd.DataFrame) -> NDArray[np.float64]:
    return np.asarray(answers["status"] == "truncated", dtype=np.float64)


MEASURE = Measure(
    name="truncated",
    order=80,
    unit="share",
    formula="1 if a cap ended the output, else 0",
    source="DESIGN",
    of=_cut,
)
