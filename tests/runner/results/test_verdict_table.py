"""Stored samples become a table of verdicts, whatever their texts hold."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from made_records import made, made_run

import bench
import runner
from bench.registry import task_class
from runner.errors import UserError
from runner.results.grading import grade_record, grading_fingerprint
from runner.results.layout import RunFolder
from runner.results.record import Record, RecordStatus, Turn
from runner.results.store import GenerationStore
from runner.results.summary import summarise
from runner.results.verdict_table import LiveTable, grade_run


def rows(path: Path) -> list[dict[str, object]]:
    table: list[dict[str, object]] = pq.read_table(path).to_pylist()
    return table


def test_a_row_says_all_of_a_sample(tmp_path: Path) -> None:
    thought = made(3, r"<think>so 1 plus 1</think> It is \boxed{77777}.", thinking=5, answer=4, output=11)
    folder = made_run(tmp_path / "run", made(1), thought)
    right, wrong = rows(grade_run(folder))
    assert (right["outcome"], right["correct"], right["instruction_followed"]) == ("correct", True, True)
    assert right["answer"] == right["gold"]
    assert (wrong["outcome"], wrong["correct"], wrong["answer"]) == ("incorrect", False, "77777")
    assert (wrong["task"], wrong["category"], wrong["index"]) == ("sum", "arithmetic", 3)
    assert wrong["thinking_state"] == "closed"
    assert (wrong["thinking_tokens"], wrong["answer_tokens"], wrong["output_tokens"]) == (5, 4, 11)
    assert (wrong["words"], wrong["characters"]) == (7, len(thought.text))
    assert json.loads(str(wrong["facts"])) == {"size": len(thought.data)}


@pytest.mark.parametrize("task", bench.task_names("basic_math"))
def test_every_tasks_gold_is_graded_correct(task: str) -> None:
    assert grade_record(made(0, task=task))["outcome"] == "correct"


def test_an_error_gets_no_verdict(tmp_path: Path) -> None:
    (row,) = rows(grade_run(made_run(tmp_path / "run", made(0, status=RecordStatus.ERROR))))
    assert (row["outcome"], row["correct"], row["thinking_state"]) == (None, None, None)
    assert (row["status"], row["failure_kind"]) == ("error", "engine_died")
    assert row["gold"] is not None


@pytest.mark.parametrize("status", [RecordStatus.TRUNCATED, RecordStatus.REFUSED])
def test_cut_and_refused_texts_are_graded(status: RecordStatus) -> None:
    assert grade_record(made(0, "", status=status))["outcome"] == "unparsed"


def test_only_the_final_message_is_graded() -> None:
    call = Turn("model", r"\boxed{1}"), Turn("tool", r"\boxed{2}")
    right = made(0)
    assert grade_record(replace(right, turns=(*call, *right.turns)))["outcome"] == "correct"


@pytest.mark.parametrize("text", ["\ud800\x00\u2028", r"\boxed{\ud800}", "\\boxed{\ud800 5}", "{" * 10_000])
def test_no_text_breaks_the_table(tmp_path: Path, text: str) -> None:
    assert len(rows(grade_run(made_run(tmp_path / "run", made(0, text), made(1))))) == 2


def test_damaged_data_is_not_a_wrong_answer() -> None:
    row = grade_record(replace(made(0), data=None))
    assert (row["outcome"], row["reason"], row["correct"]) == ("ungraded", "unreadable_data", None)


def test_data_that_the_id_does_not_name_is_not_graded() -> None:
    assert grade_record(replace(made(0), data=made(1).data))["reason"] == "unreadable_data"


@pytest.mark.parametrize(("before", "now"), [(1, 3), (0, 0), (20251201, 20260101)])
def test_samples_of_an_earlier_wording_are_graded(monkeypatch: pytest.MonkeyPatch, before: int, now: int) -> None:
    monkeypatch.setattr(task_class("sum"), "wording_version", before)
    record = made(0)
    monkeypatch.setattr(task_class("sum"), "wording_version", now)
    assert grade_record(record)["outcome"] == "correct"


def test_an_unknown_task_is_one_clear_line(tmp_path: Path) -> None:
    folder = made_run(tmp_path / "run", replace(made(0), task="suum"))
    with pytest.raises(UserError, match="suum"):
        grade_run(folder)
    assert not folder.verdicts(grading_fingerprint()).exists()


def test_a_table_is_made_again_only_when_samples_came(tmp_path: Path) -> None:
    folder = made_run(tmp_path / "run", made(0))
    before = grade_run(folder).stat().st_ino
    assert grade_run(folder).stat().st_ino == before
    with GenerationStore(folder) as store:
        store.append(made(1))
    assert len(rows(grade_run(folder))) == 2


def test_a_broken_table_is_made_again(tmp_path: Path) -> None:
    folder = made_run(tmp_path / "run", made(0))
    path = folder.verdicts(grading_fingerprint())
    path.write_bytes(b"PAR1 and then nothing")
    assert len(rows(grade_run(folder))) == 1


def test_another_family_is_graded_anew(tmp_path: Path) -> None:
    records = made(0, r"[THINK]\boxed{1}[/THINK] so 5"), made(1)
    before = grade_run(made_run(tmp_path / "run", *records)).stat().st_ino
    assert grade_run(made_run(tmp_path / "run", family="magistral")).stat().st_ino != before


@pytest.mark.parametrize("graded_before", [True, False])
def test_the_live_table_is_the_one_made_from_the_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, graded_before: bool
) -> None:
    monkeypatch.setattr("runner.results.verdict_table._ROW_GROUP", 2)
    failed = [made(index, status=RecordStatus.ERROR) for index in (0, 1)]
    folder = made_run(tmp_path / "run", made(2), *failed, made(3, "no"))
    if graded_before:
        grade_run(folder)
    with GenerationStore(folder) as store:
        live = LiveTable(folder, "thinker")
        for record in (made(4), made(0), made(5), made(6), made(7)):
            store.append(record)
            assert live.grade(record)["correct"]
        path = live.finish()
    found = rows(path)
    assert grade_run(folder) == path
    assert rows(path) == found
    path.unlink()
    assert rows(grade_run(folder)) == found
    assert [row["index"] for row in found] == [2, 1, 3, 4, 0, 5, 6, 7]


def test_an_empty_run_has_an_empty_live_table(tmp_path: Path) -> None:
    folder = made_run(tmp_path / "run")
    assert rows(LiveTable(folder, None).finish()) == []


def live(folder: RunFolder, *records: Record) -> Path:
    """Store and grade as a run does."""
    with GenerationStore(folder) as store:
        table = LiveTable(folder, "thinker")
        for record in records:
            store.append(record)
            table.grade(record)
        return table.finish()


def test_a_sample_that_failed_twice_is_in_the_live_table_once(tmp_path: Path) -> None:
    failed = made(0, status=RecordStatus.ERROR)
    folder = made_run(tmp_path / "run")
    for record in (failed, failed, made(0)):
        path = live(folder, record)
        assert [row["status"] for row in rows(path)] == [record.status]


def test_a_sample_of_a_damaged_line_is_in_the_live_table_once(tmp_path: Path) -> None:
    folder = made_run(tmp_path / "run", made(0), made(1))
    grade_run(folder)
    text = folder.generations.read_bytes()
    folder.generations.write_bytes(b"x" + text[1:])
    assert [row["index"] for row in rows(live(folder, made(0)))] == [1, 0]


def test_a_damaged_line_that_is_not_done_again_leaves_the_live_table(tmp_path: Path) -> None:
    folder = made_run(tmp_path / "run", made(0), made(1))
    grade_run(folder)
    text = folder.generations.read_bytes()
    folder.generations.write_bytes(b"x" + text[1:])
    assert [row["index"] for row in rows(live(folder, made(2)))] == [1, 2]


@pytest.mark.parametrize("place", [40, 400])
def test_a_table_damaged_behind_its_footer_is_made_again(tmp_path: Path, place: int) -> None:
    folder = made_run(tmp_path / "study" / "run", made(0), made(1))
    path = grade_run(folder)
    whole = path.read_bytes()
    damaged = whole[:place] + bytes(60) + whole[place + 60 :]
    path.write_bytes(damaged)
    assert list(runner.load(folder.path)["index"]) == [0, 1]
    path.write_bytes(damaged)
    assert summarise(folder).overall.n == 2
    path.write_bytes(damaged)
    assert [row["index"] for row in rows(live(folder, made(2)))] == [0, 1, 2]
