"""Two runs beside each other: only shared problems count, and what flipped is named."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_records import made, made_run

from runner.cli.compare import compare
from runner.config.settings import Scoring
from runner.errors import UserError
from runner.report.console import make_console
from runner.results.layout import RunFolder
from runner.results.paired import ComparedRuns, compare_runs
from runner.results.run import Run, load_run


def loaded(folder: RunFolder) -> tuple[RunFolder, Run]:
    run = load_run(folder)
    assert run is not None
    return folder, run


def both(tmp_path: Path) -> ComparedRuns:
    a = made_run(tmp_path / "s" / "a", *(made(index, output=10) for index in range(6)))
    b = made_run(
        tmp_path / "s" / "b", *(made(k, "no" if k < 2 else None, output=40) for k in range(4)), fingerprint="b" * 16
    )
    return compare_runs(loaded(a), loaded(b), Scoring.PAPER)


def test_differences_are_over_shared_problems_and_the_rest_is_counted(tmp_path: Path) -> None:
    found = both(tmp_path)
    accuracy, tokens = (found.by[name].overall for name in ("accuracy", "output_tokens"))
    assert accuracy is not None
    assert tokens is not None
    assert (accuracy.problems, accuracy.a, accuracy.b) == (4, 1.0, 0.5)
    assert tokens.difference == 30
    assert (found.only_a, found.only_b) == (2, 0)


def test_flips_name_the_samples_and_who_was_right(tmp_path: Path) -> None:
    flips = both(tmp_path).flips
    assert list(flips["problem_id"]) == sorted(made(index).problem_id for index in range(2))
    assert set(flips["right"]) == {"a"}


def test_runs_without_a_shared_problem_are_refused_with_what_each_asked(tmp_path: Path) -> None:
    a = made_run(tmp_path / "a", made(0))
    b = made_run(tmp_path / "b", made(1), fingerprint="b" * 16)
    with pytest.raises(UserError, match=r"share no answered problem.*basic_math"):
        compare_runs(loaded(a), loaded(b), Scoring.PAPER)


def test_the_terminal_says_what_was_left_out_and_lists_flips(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    both(tmp_path)
    file = tmp_path / "flips.csv"
    compare([str(tmp_path / "s"), "a", "b"], Scoring.PAPER, 1, str(file), make_console())
    out = capsys.readouterr().out
    assert "left out are 2 problems that only A answered" in out
    assert "only A got right: 2, only B: 0" in out
    assert "nothing read" in out
    assert len(file.read_text().splitlines()) == 3
