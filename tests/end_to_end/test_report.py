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
