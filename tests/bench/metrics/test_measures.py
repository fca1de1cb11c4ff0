"""A measure is a file: it is found, listed and named; what it says of a sample is what it promises."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bench.metrics import measures as folder
from bench.metrics.measure import measure_named, measures

NAMES = [
    "accuracy",
    "accuracy_parsed",
    "score",
    "instruction_followed",
    "output_tokens",
    "thinking_tokens",
    "answer_tokens",
    "words",
    "characters",
    "truncated",
    "auc_oaa",
]


def test_the_measures_in_listing_order() -> None:
    assert [measure.name for measure in measures()] == NAMES


def test_right_wrong_unread_and_cut() -> None:
    rows = pd.DataFrame(
        {"outcome": ["correct", "incorrect", "unparsed", "unparsed"], "status": ["ok", "ok", "ok", "truncated"]}
    )
    assert measure_named("accuracy").of(rows).tolist() == [1, 0, 0, 0]
    assert measure_named("truncated").of(rows).tolist() == [0, 0, 0, 1]
    assert np.array_equal(measure_named("accuracy_parsed").of(rows), [1, 0, np.nan, np.nan], equal_nan=True)


def test_an_unknown_measure_is_told_its_neighbours() -> None:
    with pytest.raises(ValueError, match=r"unknown measure 'acuracy'. Did you mean accuracy\? Allowed: accuracy, "):
        measure_named("acuracy")


def new_file(path: Path, name: str, order: int) -> None:
    path.write_text(
        "from bench.metrics.measure import Measure, column\n"
        f"MEASURE = Measure({name!r}, {order}, 's', 'seconds from submission', 'DESIGN', column('latency_s'))\n"
    )


@pytest.fixture
def dropped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(folder, "__path__", [*folder.__path__, str(tmp_path)])
    importlib.invalidate_caches()
    measures.cache_clear()
    yield tmp_path
    measures.cache_clear()
    sys.modules.pop("bench.metrics.measures.latency", None)


def test_a_new_file_is_a_new_measure(dropped: Path) -> None:
    new_file(dropped / "latency.py", "latency", 99)
    assert measure_named("latency").of(pd.DataFrame({"latency_s": [0.5]})).tolist() == [0.5]


@pytest.mark.parametrize(("name", "order", "key"), [("accuracy", 99, "name"), ("latency", 10, "order")])
def test_two_measures_can_not_be_confused(dropped: Path, name: str, order: int, key: str) -> None:
    new_file(dropped / "latency.py", name, order)
    with pytest.raises(ValueError, match=f"two measures share the {key}"):
        measures()
