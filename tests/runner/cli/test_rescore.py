"""`rescore` grades stored texts anew and says what changed, sample by sample."""

from __future__ import annotations

import csv
import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1] / "results"))
from made_records import made, made_run

import bench
import runner
from bench.grade import GRADER_VERSION
from bench.released_code import RELEASED_VERSION
from runner.cli.app import main
from runner.config.compose import compose
from runner.config.fingerprint import generation_fingerprint
from runner.config.settings import Scoring
from runner.config.suite import Suite
from runner.errors import UserError
from runner.report.console import make_console
from runner.report.terminal import show_summary
from runner.results.grading import grading_fingerprint
from runner.results.layout import RunFolder
from runner.results.record import RecordStatus
from runner.results.rescore import rescore
from runner.results.summary import summarise
from runner.results.verdict_table import grade_run

GOLD = bench.make_task("sum").problem(seed=0, fold=0, index=0).gold
NESTED = rf"\boxed{{1}}, no: \boxed{{\text{{{GOLD}}}}}"  # the published code reads the 1


@pytest.fixture
def study(tmp_path: Path) -> Path:
    made_run(
        tmp_path / "study" / "run", made(0, NESTED), made(1), made(2, "no idea"), made(3, status=RecordStatus.ERROR)
    )
    return tmp_path / "study"


def run_of(study: Path) -> RunFolder:
    return RunFolder(study / "run")


def test_scoring_is_no_part_of_what_is_generated() -> None:
    paper, released = compose([]), compose(["scoring=released_code"])
    assert (paper.scoring, released.scoring) == (Scoring.PAPER, Scoring.RELEASED_CODE)
    assert generation_fingerprint(paper, Suite(paper.suite)) == generation_fingerprint(released, Suite(released.suite))
    assert grading_fingerprint(paper.scoring) != grading_fingerprint(released.scoring)
    with pytest.raises(UserError, match="released_code"):
        compose(["scoring=theirs"])


def test_every_verdict_names_its_grader(study: Path) -> None:
    for scoring, version in (("paper", GRADER_VERSION), ("released_code", RELEASED_VERSION)):
        frame = runner.load(study, scoring=scoring)
        assert set(frame["scoring"]) == {scoring}
        assert set(frame["grader_version"]) == {version}
    assert (runner.summary(study)["accuracy"][0], runner.summary(study, scoring="released_code")["accuracy"][0]) == (
        pytest.approx(2 / 3),
        pytest.approx(1 / 3),
    )


def test_the_published_code_beside_ours(study: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rescore", str(study), "--scoring", "released_code"]) == 0
    shown = capsys.readouterr().out
    assert f"paper {GRADER_VERSION} → released_code {RELEASED_VERSION}" in shown
    assert f"correct ({GOLD} by boxed) → incorrect (1 by released_code); gold {GOLD}" in shown
    (task,) = rescore(run_of(study), Scoring.RELEASED_CODE).tasks
    assert (task.n, task.right_before, task.right_after, task.gained, task.lost) == (3, 2, 1, 0, 1)
    assert not run_of(study).summary.exists()


def test_nothing_stored_from_another_grading_is_said(study: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rescore", str(study)]) == 0
    assert "nothing is stored from another grading" in capsys.readouterr().out
    assert json.loads(run_of(study).summary.read_bytes())["scoring"] == "paper"


def test_two_versions_of_the_grader(study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("runner.results.grading.GRADER_VERSION", "0")
    monkeypatch.setattr("runner.results.grading.grade_split", lambda *_, **__: bench.grade(_[0], "5"))
    grade_run(run_of(study))
    monkeypatch.undo()
    grade_run(run_of(study), Scoring.RELEASED_CODE)  # newer, but of another scoring
    found = rescore(run_of(study), Scoring.PAPER)
    assert (found.before, found.after) == ("paper 0", f"paper {GRADER_VERSION}")
    assert [task.gained for task in found.tasks] == [2]
    assert [change.matters for change in found.changes] == [True, True, True]


def test_a_table_without_the_graders_name_or_damaged_is_compared_or_passed_over(study: Path) -> None:
    import pyarrow.parquet as pq

    folder = run_of(study)
    path = grade_run(folder)
    old = folder.verdicts("0" * 16)
    pq.write_table(pq.read_table(path).drop_columns(["grader_version", "scoring"]), old)
    folder.verdicts("1" * 16).write_bytes(b"PAR1 and then nothing")
    found = rescore(folder, Scoring.PAPER)
    assert (found.before, found.changes) == ("paper (version unknown)", ())


def test_all_changes_go_into_the_csv_file(study: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "changes.csv"
    assert main(["rescore", str(study), "--scoring", "released_code", "--limit", "0", "--csv", str(table)]) == 0
    assert "and 1 more" in capsys.readouterr().out
    with table.open(encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert (row["run"], row["gold"], row["answer_before"], row["answer_after"]) == ("run", str(GOLD), str(GOLD), "1")
    assert (row["grader_version_before"], row["scoring_after"]) == (GRADER_VERSION, "released_code")


def test_samples_that_cannot_be_graded_are_said_and_told_by_the_exit_code(tmp_path: Path) -> None:
    made_run(tmp_path / "study" / "run", replace(made(0), data=None))
    assert main(["rescore", str(tmp_path / "study")]) == 1


@pytest.mark.parametrize("arguments", [["nowhere"], ["{study}", "--scoring", "theirs"], ["{study}", "--csv", "/no/x"]])
def test_a_mistake_is_one_line(study: Path, capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    assert main(["rescore", *(word.replace("{study}", str(study)) for word in arguments)]) == 2
    assert len(capsys.readouterr().err.strip().split("\n")) == 1


def test_a_runs_table_says_which_rule_found_what_and_why_others_were_not_read(
    study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for scoring in Scoring:
        show_summary(summarise(run_of(study), scoring), run_of(study), make_console())
    shown = capsys.readouterr().out
    assert "answers found by rule: boxed 2 (2 right)\nunparsed by reason: no_candidate 1\n" in shown
    assert "answers found by rule, scoring released_code: released_code 2 (1 right)" in shown


@pytest.fixture
def versions(study: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a study that was also graded by versions 0, which finds nothing, and 00, which finds 5 everywhere."""
    for version, said in (("0", ""), ("00", "5")):
        with monkeypatch.context() as patched:
            patched.setattr("runner.results.grading.GRADER_VERSION", version)
            patched.setattr("runner.results.rescore.grader_version", lambda _, now=version: now)
            patched.setattr("runner.results.grading.grade_split", lambda *a, said=said, **_: bench.grade(a[0], said))
            grade_run(run_of(study))
    return study


@pytest.mark.parametrize(
    ("arguments", "title"),
    [
        ([], f"paper 00 → paper {GRADER_VERSION}"),
        (["--from", "0"], f"paper 0 → paper {GRADER_VERSION}"),
        (["--from", "paper 0", "--to", "00"], "paper 0 → paper 00"),
        (["--to", "0"], "paper 00 → paper 0"),
        (["--from", RELEASED_VERSION], f"released_code {RELEASED_VERSION} → paper {GRADER_VERSION}"),
    ],
)
def test_any_two_versions_are_compared(
    versions: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], title: str
) -> None:
    assert main(["rescore", str(versions), *arguments]) == 0
    assert f"run: {title}" in capsys.readouterr().out
    assert run_of(versions).summary.exists() is ("--to" not in arguments)


@pytest.mark.parametrize(
    "arguments", [["--from", "9"], ["--to", "paper"], ["--from", "0", "--to", "0"], ["--from", GRADER_VERSION]]
)
def test_a_version_that_is_not_there_is_told_which_are(
    versions: Path, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    assert main(["rescore", str(versions), *arguments]) == 2
    (line,) = capsys.readouterr().err.strip().split("\n")
    assert f"paper {GRADER_VERSION}, released_code {RELEASED_VERSION}, paper 00, paper 0" in line


def test_its_tasks_and_means_are_those_of_the_runs_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    right, wrong = [made(n, task="sorting") for n in range(3)], [made(n, "no", task="mean") for n in range(2)]
    folder = made_run(tmp_path / "study" / "run", *wrong, made(9, "no"), made(8), *right)
    assert main(["rescore", str(tmp_path / "study"), "--scoring", "released_code"]) == 0
    table = [line.split() for line in capsys.readouterr().out.split("\n") if line.startswith("│")]
    summary = summarise(folder)
    assert [row[1] for row in table[:3]] == [row.task for row in summary.tasks] == ["sorting", "sum", "mean"]
    assert (table[3][1:3], table[3][6]) == (["all", "tasks"], f"{summary.overall.accuracy:.3f}")
    assert (table[4][1:3], table[4][6]) == (["all", "samples"], f"{4 / 7:.3f}")


def test_a_run_without_texts_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = made_run(tmp_path / "study" / "empty")
    assert main(["rescore", str(tmp_path / "study")]) == 2
    assert "empty: no texts are stored yet" in capsys.readouterr().out
    assert folder.all_verdicts() == []
    made_run(tmp_path / "study" / "run", made(0), fingerprint="b" * 16)
    assert main(["rescore", str(tmp_path / "study")]) == 0
