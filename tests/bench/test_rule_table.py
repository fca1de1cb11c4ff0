"""The rule table's responses are what docs/benchmarks.md says, and the grader reads nearly all as a reader does."""

from __future__ import annotations

from pathlib import Path

import bench
from bench.grade import GRADER_VERSION
from bench.verdict import Outcome
from benchmarks.rule_table.__main__ import Reading, readings, table

FOUND = list(readings())


def share_read_alike(found: list[Reading]) -> float:
    return sum(reading.same for reading in found) / len(found)


def test_half_of_the_responses_come_from_models_and_all_tasks_are_there() -> None:
    real = [reading for reading in FOUND if reading.line["source"] != "constructed"]
    assert len(real) >= 150
    assert len(FOUND) - len(real) >= 150
    for part in (real, FOUND):
        assert {reading.line["task"] for reading in part} == set(bench.task_names("basic_math"))


def test_every_rule_and_every_reason_occurs() -> None:
    assert {"boxed", "boxed_unclosed", "marker", "json", "code_block", "last_line"} <= {r.rule for r in FOUND}
    reasons = {reading.verdict.reason for reading in FOUND if reading.verdict.outcome is Outcome.UNPARSED}
    assert {"empty", "truncated", "unclosed_thinking", "no_candidate"} <= reasons


def test_the_grader_reads_what_a_reader_reads() -> None:
    assert share_read_alike(FOUND) >= 0.92
    assert share_read_alike([reading for reading in FOUND if reading.rule == "boxed"]) == 1
    assert sum(reading.credited for reading in FOUND) <= 2
    assert sum(reading.refused for reading in FOUND) <= 4


def test_the_table_has_a_row_for_each_rule() -> None:
    lines = table(FOUND).split("\n")
    assert len(lines) == 2 + len({reading.rule for reading in FOUND}) + 1
    assert lines[-1].startswith(f"| all | {len(FOUND)} | 100.0 % |")


def test_the_page_shows_the_table_of_this_grader() -> None:
    page = (Path(__file__).parents[2] / "docs" / "benchmarks.md").read_text("utf-8")
    assert table(FOUND) in page
    assert f"Grader version {GRADER_VERSION}." in page
