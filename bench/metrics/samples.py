"""Which samples are answers: the rows that every figure is made from."""

from __future__ import annotations

import pandas as pd

from bench.verdict import Outcome

_JUDGED = [Outcome.CORRECT, Outcome.INCORRECT, Outcome.UNPARSED]


def answered(samples: pd.DataFrame) -> pd.DataFrame:
    """Return the samples that were answered and graded; cut and refused ones are answers, errors are not.

    Source: DESIGN, meaning of the numbers.

    Args:
        samples: A row a sample with ``status`` and ``outcome``.
    """
    return samples[samples["outcome"].isin(_JUDGED) & (samples["status"] != "error")]
