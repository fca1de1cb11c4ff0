"""A study as data frames: a row a sample, each run once."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from made_records import made, made_run

import runner
from runner.errors import UserError


def test_a_row_a_sample_with_run_verdict_and_facts(tmp_path: Path) -> None:
    made_run(tmp_path / "study" / "b", made(0), made(1, task="mode"), name="big")
    made_run(tmp_path / "study" / "a", made(0, "no"), fingerprint="b" * 16, name="small")
    frame = runner.load(tmp_path / "study")
    assert frame[["run", "model", "task", "correct"]].to_numpy().tolist() == [
        ["a", "small", "sum", False],
        ["b", "big", "sum", True],
        ["b", "big", "mode", True],
    ]
    assert list(frame["size"]) == [len(made(0).data), len(made(0).data), len(made(1, task="mode").data)]
    assert frame["modes"].isna().tolist() == [True, True, False]
    chosen = frame[["budget", "temperature", "top_p", "sampling_seed", "suite_seed"]].drop_duplicates()
    assert chosen.to_numpy().tolist() == [[512, 0.1, 0.9, 7, 3]]


def test_a_copied_run_counts_once_the_fuller_one(tmp_path: Path) -> None:
    study = tmp_path / "study"
    made_run(study / "run", made(0))
    shutil.copytree(study / "run", study / "run-copy")
    made_run(study / "run-copy", made(1))
    assert set(runner.load(study)["run"]) == {"run-copy"}
    assert len(runner.load(study)) == 2


def test_one_run_can_be_loaded_alone(tmp_path: Path) -> None:
    folder = made_run(tmp_path / "study" / "run", made(0))
    assert len(runner.load(str(folder.path))) == 1


def test_the_summary_has_a_row_a_task_and_one_over_all(tmp_path: Path) -> None:
    made_run(tmp_path / "study" / "run", *(made(index) for index in range(4)), made(4, "no"), made(0, task="mean"))
    frame = runner.summary(tmp_path / "study").set_index("task")
    assert list(frame.index) == ["sum", "mean", "overall"]
    assert frame.loc["sum", "accuracy"] == pytest.approx(0.8)
    assert frame.loc["sum", "accuracy_method"] == "wilson"
    assert frame.loc["sum", "accuracy_low"] < 0.8 < frame.loc["sum", "accuracy_high"]
    assert frame.loc["overall", "accuracy"] == pytest.approx(0.9)
    assert frame.loc["overall", "bounds"] == "reference"


def test_a_missing_study_is_one_clear_line_with_those_there_are(tmp_path: Path) -> None:
    made_run(tmp_path / "token_budget" / "run", made(0))
    with pytest.raises(UserError, match="token_budget"):
        runner.load(tmp_path / "token_budgets")
    with pytest.raises(UserError, match=r"one of: \S*token_budget$"):
        runner.load(tmp_path / "token_budget" / "rum")
    with pytest.raises(UserError, match="none here"):
        runner.load(tmp_path / "no" / "such")


def test_an_unreadable_run_is_passed_over_unless_asked_for(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    made_run(tmp_path / "study" / "good", made(0))
    bad = made_run(tmp_path / "study" / "bad", made(1))
    bad.run_json.write_text(bad.run_json.read_text()[:-9])
    assert list(runner.load(tmp_path / "study")["run"]) == ["good"]
    assert [record.message for record in caplog.records if "bad" in record.message]
    with pytest.raises(UserError, match=r"run\.json"):
        runner.load(bad.path)
    (tmp_path / "study" / "good" / "run.json").write_text("{")
    with pytest.raises(UserError, match=r"no run of .*study can be read"):
        runner.load(tmp_path / "study")


def test_importing_runner_imports_nothing_heavy() -> None:
    code = "import sys, runner; print([m for m in ('pandas', 'numpy', 'pyarrow', 'torch') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
