"""The rules agree with a reader as well as docs/taxonomy.md says, which shows the tables of today."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.taxonomy import ErrorKind, Pattern
from benchmarks.taxonomy_agreement import (
    NO_ERROR,
    PARTS,
    Agreement,
    class_table,
    confusion_table,
    error_agreement,
    error_kappa,
    labelled,
    pattern_agreement,
    step_agreement,
)

PAGE = Path(__file__).resolve().parents[3] / "docs" / "taxonomy.md"
TRACES = list(labelled())
NOT_TUNED = [trace for trace in TRACES if trace.part != "tuned"]
# What was measured less a small margin.
FLOORS = {
    Pattern.REDUNDANT_VERIFICATION: (0.95, 0.70),
    Pattern.SELF_CONTRADICTION: (0.95, 0.75),
    Pattern.IRRELEVANT_EXPLORATION: (0.95, 0.75),
    Pattern.STOPPING_FAILURE: (0.95, 0.95),
    Pattern.HELPFUL_DECOMPOSITION: (0.95, 0.65),
}


def test_the_set_holds_every_class_and_many_traces_with_none_or_several() -> None:
    assert len(TRACES) >= 120
    for kind in ErrorKind:
        assert sum(trace.error[0] == kind for trace in TRACES) >= 10, kind
    for pattern in Pattern:
        assert sum(pattern in trace.patterns[0] for trace in TRACES) >= 10, pattern
    assert sum(len(trace.patterns[0]) != 1 for trace in TRACES) >= 40
    assert sum(len(trace.patterns[0]) > 1 for trace in TRACES) >= 15


def test_kinds_of_error_agree_where_nothing_was_tuned() -> None:
    assert error_kappa(NOT_TUNED) >= 0.95
    for kind in ErrorKind:
        found = error_agreement(NOT_TUNED, kind)
        assert min(found.precision or 0, found.recall or 0) >= 0.85, kind


@pytest.mark.parametrize("pattern", Pattern)
def test_patterns_agree_where_nothing_was_tuned(pattern: Pattern) -> None:
    found = pattern_agreement(NOT_TUNED, pattern)
    precision, recall = FLOORS[pattern]
    assert (found.precision or 0) >= precision
    assert (found.recall or 0) >= recall


def test_wrong_steps_are_found_and_nothing_else() -> None:
    both, reader, rules = step_agreement(TRACES)
    assert both >= 0.95 * reader
    assert both >= 0.95 * rules


def test_a_right_answer_has_no_error() -> None:
    assert all(trace.error[1] == NO_ERROR for trace in TRACES if trace.error[0] == NO_ERROR)


def test_kappa_is_cohens() -> None:
    """Worked by hand: 20 and 15 of 50 agree, p_o = 0.7, p_e = 0.5 * 0.6 + 0.5 * 0.4 = 0.5."""
    assert Agreement(both=20, reader=25, rules=30, total=50).kappa == pytest.approx(0.4)


@pytest.mark.parametrize("part", PARTS)
def test_the_page_shows_the_tables_of_today(part: str) -> None:
    page, traces = PAGE.read_text("utf-8"), [trace for trace in TRACES if trace.part == part]
    assert class_table(traces) in page, "python -m benchmarks.taxonomy_agreement"
    if part != "tuned":
        assert confusion_table(traces) in page
