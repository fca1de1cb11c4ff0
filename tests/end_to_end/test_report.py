"""A report is written where it is asked for, among whatever lies there."""

from __future__ import annotations

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
