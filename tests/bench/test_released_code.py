"""`scoring=released_code` decides as llmthinkbench 0.1.6 was seen to decide (benchmarks/released_probe.py asked it)."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import bench
from bench.problem import AnswerKind, Problem
from bench.released_code import grade_as_released
from bench.verdict import Outcome

FOLDER = Path(__file__).parent / "released_code"
# Of the further set, made of answer forms and phrases by chance; the share that was measured is 0.954.
LEAST_AGREEMENT = 0.95


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / name).read_text("utf-8").split("\n") if line]


def agrees(row: dict[str, Any]) -> bool:
    verdict = grade_as_released(bench.problem_from_data(row["task"], row["data"]), row["response"])
    return (verdict.outcome is Outcome.CORRECT) == bool(row["correct"])


def test_the_table_spans_all_tasks() -> None:
    tasks = Counter(row["task"] for row in rows("verdicts.jsonl"))
    assert sorted(tasks) == sorted(bench.task_names("basic_math"))
    assert sum(tasks.values()) >= 150


@pytest.mark.parametrize("task", bench.task_names("basic_math"))
def test_the_recorded_verdicts_are_met(task: str) -> None:
    assert [row for row in rows("verdicts.jsonl") if row["task"] == task and not agrees(row)] == []


def test_a_further_set_is_met_but_for_a_known_share() -> None:
    found = list(map(agrees, rows("random.jsonl")))
    assert sum(found) / len(found) >= LEAST_AGREEMENT


@pytest.mark.parametrize("text", ["", "\x00\ud800", "9" * 300_000, r"\boxed{" * 50_000, r"\boxed{1e999}", "1/0", None])
@pytest.mark.parametrize("task", bench.task_names("basic_math"))
def test_no_text_breaks_it(task: str, text: str | None) -> None:
    assert grade_as_released(bench.make_task(task).problem(seed=0, fold=0, index=0), text).outcome is not None


def test_a_task_that_the_published_code_lacks_gets_no_verdict() -> None:
    foreign = Problem("x", "hanoi", [3], "?", 7, AnswerKind.INTEGER)
    assert grade_as_released(foreign, r"\boxed{7}").outcome is Outcome.UNGRADED
