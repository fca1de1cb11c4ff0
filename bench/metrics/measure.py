"""A measure: one number a sample, whose mean is a figure. Finds them: one a file of ``bench/metrics/measures``."""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bench.metrics import measures as folder


@dataclass(frozen=True, slots=True)
class Measure:
    """One number a sample.

    Attributes:
        name: What users type; lower case letters, digits and underscores.
        order: Place in listings, unique.
        unit: Of the number, e.g. ``tokens``.
        formula: In words or signs.
        source: The paper, or ``DESIGN``.
        of: From answered samples, a row a sample as in a run's verdicts, to their numbers; NaN where a sample has
            none. Such samples are in no mean.
    """

    name: str
    order: int
    unit: str
    formula: str
    source: str
    of: Callable[[pd.DataFrame], NDArray[np.float64]]


@cache
def measures() -> tuple[Measure, ...]:
    """Return the measure of every file in ``bench/metrics/measures``, in listing order.

    Raises:
        ValueError: two share a name or an order.
    """
    names = (f"{folder.__name__}.{found.name}" for found in pkgutil.iter_modules(folder.__path__))
    found: list[Measure] = sorted((importlib.import_module(name).MEASURE for name in names), key=lambda one: one.order)
    for key in ("name", "order"):
        values = [getattr(one, key) for one in found]
        if twice := {value for value in values if values.count(value) > 1}:
            raise ValueError(f"bench/metrics/measures: two measures share the {key} {twice.pop()!r}")
    return tuple(found)


def measure_named(name: str) -> Measure:
    """Return the measure of this name.

    Raises:
        ValueError: there is none; the message lists all.
    """
    known = {one.name: one for one in measures()}
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1)
        hint = f" Did you mean {near[0]}?" if near else ""
        raise ValueError(f"unknown measure {name!r}.{hint} Allowed: {', '.join(known)}")
    return known[name]


def column(name: str) -> Callable[[pd.DataFrame], NDArray[np.float64]]:
    """Return what reads a column of the verdicts as numbers."""
    return lambda answers: answers[name].to_numpy(dtype=np.float64)
