"""A run's summary: rows in order, partial runs marked, strict JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from made_records import made, made_run

from runner.results.record import RecordStatus
from runner.results.summary import summarise


def refuse(name: str) -> float:
    raise AssertionError(f"{name} in JSON")


def test_a_row_a_task_in_listing_order_and_one_over_all(tmp_path: Path) -> None:
    records = [made(index, task=task) for task in ("mean", "sum", "sorting") for index in range(3)]
    folder = made_run(tmp_path / "run", *records, made(3, "no idea"), published_as="Qwen3|8")
    summary = summarise(folder)
    assert [row.task for row in summary.tasks] == ["sorting", "sum", "mean"]
    assert [row.category for row in summary.tasks] == ["arithmetic", "arithmetic", "statistics"]
    assert summary.tasks[1].figures.accuracy == 0.75
    assert summary.overall.accuracy == pytest.approx(2.75 / 3)
    assert summary.overall.n == 10
    assert not summary.partial
    assert (summary.bounds.name, summary.token_sources) == ("reference", ("ids",))
    assert summary.published is not None
    assert summary.published.accuracy == pytest.approx(0.821)


def test_a_run_with_errors_is_partial(tmp_path: Path) -> None:
    folder = made_run(tmp_path / "run", made(0), made(1, "no"), made(2, status=RecordStatus.ERROR))
    summary = summarise(folder)
    assert summary.partial
    assert summary.overall.accuracy == 0.5
    assert summary.overall.accuracy_bounds == pytest.approx((1 / 3, 2 / 3))


def test_an_error_and_its_retry_are_one_sample(tmp_path: Path) -> None:
    folder = made_run(tmp_path / "run", made(0, status=RecordStatus.ERROR), made(0))
    summary = summarise(folder)
    assert (summary.overall.n, summary.overall.errors, summary.partial) == (1, 0, False)


@pytest.mark.parametrize("records", [(), (made(0, status=RecordStatus.ERROR),), (made(0),)])
def test_the_file_is_strict_json_without_nan(tmp_path: Path, records: tuple[object, ...]) -> None:
    folder = made_run(tmp_path / "run", *records)  # type: ignore[arg-type]
    summarise(folder)
    written = json.loads(folder.summary.read_bytes(), parse_constant=refuse)
    assert written["overall"]["n"] == sum(record.status is RecordStatus.OK for record in records)  # type: ignore[attr-defined]
    assert written["overall"]["accuracy"] in (None, 1.0)


def test_token_counts_of_two_sources_are_marked(tmp_path: Path) -> None:
    folder = made_run(tmp_path / "run", made(0), made(1, source="estimated"))
    assert summarise(folder).token_sources == ("estimated", "ids")


def test_a_published_name_that_is_in_no_table_costs_no_summary(tmp_path: Path) -> None:
    folder = made_run(tmp_path / "run", made(0), published_as="nobody|1")
    assert summarise(folder).published is None


def test_every_graded_answer_has_a_rule_or_a_reason(tmp_path: Path) -> None:
    texts = (r"\boxed{1}", "The answer is 1.", "", "no idea", "<think>hm")
    records = [made(0), *(made(index, text) for index, text in enumerate(texts, 1))]
    folder = made_run(tmp_path / "run", *records, made(6, status=RecordStatus.ERROR))
    summary = summarise(folder)
    assert [(row.rule, row.found, row.correct) for row in summary.rules] == [("boxed", 2, 1), ("marker", 1, 0)]
    assert summary.unparsed == {"empty": 1, "no_candidate": 1, "unclosed_thinking": 1}
    written = json.loads(folder.summary.read_bytes())
    assert written["rules"][0] == {"rule": "boxed", "found": 2, "correct": 1}
    assert written["unparsed"] == summary.unparsed
