"""Answers that are no numbers pass every station: lines of other harnesses, verdict tables, taxonomies, preflight."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from made_records import made, made_run

import bench
from bench.registry import problem_from_data
from bench.taxonomy import error_of
from runner.config import machine
from runner.config.compose import compose
from runner.config.preflight import unavailable
from runner.results.foreign import BadLine, Foreign, read_foreign
from runner.results.verdict_table import read_verdicts

OPTIONS = {"id": "1", "question": "Q?", "options": ["a", "b", "c", "d"], "answer": "C"}


def line(**fields: object) -> Foreign:
    return read_foreign(json.dumps({"response": "x", **fields}).encode())


def test_lines_of_other_harnesses_may_hold_texts_as_golds() -> None:
    assert line(task="gpqa_diamond", gold="C").problem.gold == "C"
    assert line(task="math500", target=r"\frac{1}{2}").problem.gold == r"\frac{1}{2}"
    assert line(task="gpqa_diamond", data=OPTIONS).problem.gold == "C"
    assert line(task="hanoi", data=3, gold="another plan").problem.data == {"disks": 3}
    with pytest.raises(BadLine, match="gold 3 is no text"):
        line(task="gpqa_diamond", gold=3)
    with pytest.raises(BadLine, match="hanoi checks answers by its data"):
        line(task="hanoi", gold="A->C")
    with pytest.raises(BadLine, match="gold B is not C"):
        line(task="gpqa_diamond", data=OPTIONS, gold="B")


def test_the_table_holds_scores_and_only_a_whole_one_is_correct(tmp_path: Path) -> None:
    problem = problem_from_data("hanoi", 2)
    record = replace(made(0, r"\boxed{A->B, A->C, B->C}"), problem_id=problem.id, task="hanoi", data=problem.data)
    wrong = replace(made(0, r"\boxed{A->C}", repeat=1), problem_id=problem.id, task="hanoi", data=problem.data)
    folder = made_run(tmp_path / "run", record, wrong, made(1))
    rows = read_verdicts(folder, columns=["outcome", "correct", "score"]).to_pylist()
    assert [(row["outcome"], row["correct"], row["score"]) for row in rows] == [
        ("correct", True, 1.0), ("incorrect", False, 0.0), ("correct", True, None),
    ]  # fmt: skip


def test_no_kind_of_error_is_guessed() -> None:
    problem = problem_from_data("hanoi", 2)
    text = r"\boxed{A->C}"
    assert bench.grade(problem, text).outcome == "incorrect"
    assert error_of(problem, text) is None


def test_a_suite_that_can_not_be_graded_here_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = compose(["suite=math500", "model=scripted", "engine=scripted"])
    monkeypatch.setattr(machine, "has_package", lambda name: name != "math_verify")
    (why,) = unavailable(settings, settings.engine)
    assert "suite=math500: grading math500 needs math-verify" in why
    assert machine.install_command("math") in why
