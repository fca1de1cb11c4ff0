"""The front by its definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.metrics.pareto import pareto_front

POINT = st.tuples(st.integers(0, 6), st.integers(0, 6))


@settings(deadline=None)
@given(st.lists(POINT, max_size=25))
def test_nobody_on_the_front_is_beaten_and_everybody_else_is(points: list[tuple[int, int]]) -> None:
    def beaten(one: tuple[int, int]) -> bool:
        return any(other != one and other[0] >= one[0] and other[1] >= one[1] for other in points)

    found = pareto_front([a for a, _ in points], [e for _, e in points])
    assert found.tolist() == [not beaten(point) for point in points]


def test_lengths_have_to_agree() -> None:
    with pytest.raises(ValueError, match="accuracy of 2 runs, efficiency of 3"):
        pareto_front(np.zeros(2), np.zeros(3))
