"""The exact number that somebody meant who wrote a decimal or a float."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

_FLOAT_DIGITS = 17  # significant ones that a float is written with at most; what has more was no float
_MAX_DENOMINATOR = 10**6


def fraction_meant(written: Decimal) -> Fraction:
    """Return the fraction of smallest denominator whose nearest float is that of the written number.

    ``3.3333333333333335`` is 10/3 and ``0.33`` is 33/100. A number of over 17 significant digits, or one to which no
    denominator of at most 10^6 leads, is what is written.
    """
    exact = Fraction(written)
    if exact.denominator == 1 or len(written.as_tuple().digits) > _FLOAT_DIGITS:
        return exact
    value = abs(float(written))
    if not value:  # too small for a float
        return exact
    below, above = (Fraction(math.nextafter(value, side)) for side in (0.0, 2 * value))
    found = _simplest((below + Fraction(value)) / 2, (above + Fraction(value)) / 2)
    if found.denominator > _MAX_DENOMINATOR or float(found) != value:
        return exact
    return -found if exact < 0 else found


def decimal_places(written: Any) -> int:
    """Return how many decimals a decimal or its text shows, 0 for anything else."""
    if not isinstance(written, Decimal | str) or "/" in str(written):
        return 0
    exponent = Decimal(str(written).strip()).as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def _simplest(low: Fraction, high: Fraction) -> Fraction:
    """Return the fraction of smallest denominator in ``low``..``high``; both are at least 0."""
    parts: list[int] = []  # of its continued fraction
    while math.ceil(low) > high:
        whole = math.floor(low)
        parts.append(whole)
        low, high = 1 / (high - whole), 1 / (low - whole)
    found = Fraction(math.ceil(low))
    for whole in reversed(parts):
        found = whole + 1 / found
    return found
