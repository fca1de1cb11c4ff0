"""The easy questions: rows of the published form, and options that the question has to show."""

from __future__ import annotations

import json
from pathlib import Path

import bench
from bench.registry import make_task
from bench.verdict import Outcome

ROWS = [
    {"question": "How many legs has a spider?", "answer": "8", "subset": "overthinkingbench",
     "metadata": json.dumps({"discipline": "Biology", "answer_type": "numeric"})},
    {"question": "Which is a noble gas?", "answer": "C", "subset": "overthinkingbench",
     "metadata": {"field": "Chemistry", "answer_type": "mcq", "options": ["Iron", "Oxygen", "Neon", "Gold"]}},
    {"question": "Which is red? A) a ruby B) an emerald", "answer": "A", "subset": "general",
     "metadata": {"options": {"A": "a ruby", "B": "an emerald"}}},
    {"question": "A maze", "answer": "15", "subset": "underthinkingbench", "metadata": "{}"},
    {"question": "1 + 1", "answer": "2", "subset": "overthinking-math", "metadata": "{}"},
]  # fmt: skip


def problems(tmp_path: Path) -> dict[str, bench.Problem]:
    path = tmp_path / "set.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS), "utf-8")
    task = make_task("optimal_thinking_general", path=str(path))
    assert task.length() == 3
    asked = [task.problem(seed=0, fold=0, index=index) for index in range(3)]
    return {problem.question.split("?")[0]: problem for problem in asked}


def test_rows_of_the_other_parts_are_left_out_and_facts_are_read(tmp_path: Path) -> None:
    found = problems(tmp_path)
    assert found["How many legs has a spider"].facts == {"field": "Biology", "answer_type": "numeric"}
    assert found["How many legs has a spider"].gold == "8"


def test_options_are_shown_once(tmp_path: Path) -> None:
    found = problems(tmp_path)
    assert found["Which is a noble gas"].question.endswith("\n\nA) Iron\nB) Oxygen\nC) Neon\nD) Gold")
    assert found["Which is red"].question.count("ruby") == 1


def test_a_judge_decides_and_a_sample_needs_no_file(tmp_path: Path) -> None:
    asked = problems(tmp_path)["Which is a noble gas"]
    again = bench.problem_from_data("optimal_thinking_general", json.loads(json.dumps(asked.data)))
    assert (again.question, again.gold) == (asked.question, asked.gold)
    assert bench.grade(again, r"\boxed{C}").outcome is Outcome.UNGRADED
