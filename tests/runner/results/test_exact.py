"""A decimal stands for the simplest fraction that its float is nearest to, or for itself."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.results.exact import fraction_meant


@given(st.integers(-(10**6), 10**6), st.integers(1, 1000))
def test_a_float_of_a_fraction_is_that_fraction(numerator: int, denominator: int) -> None:
    assert fraction_meant(Decimal(repr(numerator / denominator))) == Fraction(numerator, denominator)


@given(st.decimals(-1000, 1000, places=4))
def test_a_short_decimal_is_itself(written: Decimal) -> None:
    assert fraction_meant(written) == Fraction(written)


@pytest.mark.parametrize(
    "written", ["0", "42.0", "1e-400", "-5e-324", "1.7976931348623157e308", "0.123456789", "12345678901234567890.5"]
)
def test_what_no_simple_fraction_leads_to_is_itself(written: str) -> None:
    assert fraction_meant(Decimal(written)) == Fraction(Decimal(written))
