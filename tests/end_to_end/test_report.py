"""A report is written where it is asked for, among whatever lies there."""

from __future__ import annotations

import csv
from pathlib import Path

from tests.end_to_end.command import SCRIPTED, runner


def test_a_report_leaves_other_files_of_its_folder(tmp_path: Path) -> None:
    kept = tmp_path / "data" / "mine.csv"
    kept.parent.mkdir()
    kept.write_text("1", "ascii")
    done = runner(*SCRIPTED, "study=s", "suite.tasks=[sum]", "suite.samples=2", cwd=tmp_path)
    assert done.code == 0, done.err
    for _ in range(2):
        done = runner("report", "outputs/s", "--out", ".", cwd=tmp_path)
        assert done.code == 0, done.err
    assert kept.read_text("ascii") == "1"


def test_runs_with_several_samples_a_problem_have_a_table(tmp_path: Path) -> None:
    asked = (*SCRIPTED, "study=s", "suite.tasks=[sum,mode]", "suite.samples=3", "suite.repeats=4")
    done = runner("-m", *asked, "engine.accuracy=0,1", cwd=tmp_path)
    assert done.code == 0, done.err
    done = runner("report", "outputs/s", cwd=tmp_path)
    assert done.code == 0, done.err
    report = tmp_path / "outputs" / "s" / "report"
    with (report / "table-repeats.csv").open(encoding="utf-8") as file:
        rows = {row["run"]: row for row in csv.DictReader(file)}
    never, always = rows["scripted, engine.accuracy 0.0"], rows["scripted, engine.accuracy 1.0"]
    assert list(never) == ["run", "samples a problem", "avg", "majority", "pass@1", "pass@2", "pass@4"]
    assert (never["samples a problem"], never["pass@4"][:5], always["pass@1"][:5]) == ("4", "0.000", "1.000")
    assert '<section id="repeats"' in (report / "index.html").read_text("utf-8")
    assert '<section id="tools"' not in (report / "index.html").read_text("utf-8")


def test_a_run_without_a_sample_is_left_out_and_named(tmp_path: Path) -> None:
    for budget in ("50", "60"):
        done = runner(*SCRIPTED, "suite.tasks=[sum]", "suite.samples=2", f"budget.tokens={budget}", cwd=tmp_path)
        assert done.code == 0, done.err
    (empty,) = (tmp_path / "outputs" / "single").glob("*-b60-*")
    for path in empty.glob("verdicts-*"):
        path.unlink()
    (empty / "generations.jsonl").write_bytes(b"")
    for command in (["report"], ["redundancy", "embed=lexical"]):
        done = runner(command[0], "outputs/single", *command[1:], cwd=tmp_path)
        assert done.code == 0, done.err
        assert f"{empty.name} holds no sample yet" in done.out + done.err
        alone = runner(command[0], str(empty), *command[1:], cwd=tmp_path)
        assert alone.code == 2, alone.err
        assert "Traceback" not in alone.err
