"""Programs are tried on their tests in a sandbox, once each; the verdict follows from what is stored."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from made_records import LOADED, made
from rich.console import Console

from bench.registry import make_task
from bench.stored.contest import Case, cases_of, passes, runnable
from runner.cli.execute import execute_study
from runner.config.compose import compose
from runner.errors import UserError
from runner.results.executions import Execution, append_execution, executed_in
from runner.results.layout import RunFolder
from runner.results.run import open_run
from runner.results.store import GenerationStore
from runner.results.verdict_table import read_verdicts
from runner.tools.usable import KINDS, trouble

needs_sandbox = pytest.mark.skipif(all(trouble(kind) for kind in KINDS), reason="no sandbox for code on this machine")


def row(number: int, public: list[dict[str, str]], hidden: list[dict[str, str]], function: str = "") -> str:
    return json.dumps(
        {
            "question_id": str(number), "question_content": f"Problem {number}.", "difficulty": "easy",
            "starter_code": "class Solution:" if function else "",
            "public_test_cases": json.dumps(public), "private_test_cases": json.dumps(hidden),
            "metadata": json.dumps({"func_name": function} if function else {}),
        }
    )  # fmt: skip


SUM = row(0, [{"input": "1 2\n", "output": "3\n"}], [{"input": "2 2", "output": "4"}, {"input": "5 5", "output": "10"}])
PAIR = row(1, [{"input": "[1, 2]\n3", "output": "[[1, 2], 3]"}], [], function="pair")
ADD = "print(sum(map(int, input().split())))"
PROGRAMS = {
    ADD: "correct",
    "a, b = map(int, input().split())\nprint(a + b if a < 5 else 0)": "passed 2 of 3 tests, then wrong",
    "print(3": "passed 0 of 3 tests, then raised",
    "print(3); raise SystemExit(1)": "passed 0 of 3 tests, then raised",
    "import socket; socket.create_connection(('127.0.0.1', 80))": "passed 0 of 3 tests, then raised",
}


@pytest.fixture
def study(tmp_path: Path) -> tuple[Path, RunFolder]:
    path = tmp_path / "set.jsonl"
    path.write_text(f"{SUM}\n{PAIR}\n", encoding="utf-8")
    task = make_task("livecodebench", path=str(path))
    problems = {p.data["id"]: p for p in (task.problem(seed=0, fold=0, index=index) for index in range(2))}
    settings = compose(["suite=livecodebench", f"suite.path='{path}'", "model=scripted", "engine=scripted"])
    folder = RunFolder(tmp_path / "out" / "study" / "run")
    texts = [(problems["0"], f"Here:\n```python\n{program}\n```") for program in PROGRAMS]
    call = "class Solution:\n    def pair(self, a: List[int], b: int):\n        return a, b"
    texts += [(problems["1"], f"```\n{call}\n```"), (problems["1"], "I don't know."), (problems["0"], texts[0][1])]
    with GenerationStore(folder) as store:
        open_run(folder, settings.model_dump(mode="json"), "a" * 16, LOADED, "python -m runner")
        for repeat, (problem, text) in enumerate(texts):
            record = replace(made(0, text, repeat=repeat), problem_id=problem.id, task=problem.task, data=problem.data)
            store.append(record)
    return tmp_path / "out" / "study", folder


def outcomes(folder: RunFolder) -> list[tuple[str, str | None]]:
    rows = read_verdicts(folder, columns=["outcome", "answer"]).to_pylist()
    return [(found["outcome"], found["answer"]) for found in rows]


@needs_sandbox
def test_a_program_is_right_if_it_passes_all_tests_and_is_tried_once(study: tuple[Path, RunFolder]) -> None:
    path, folder = study
    assert [outcome for outcome, _ in outcomes(folder)] == ["ungraded"] * 6 + ["unparsed", "ungraded"]
    out = io.StringIO()
    assert execute_study(path, Console(file=out, width=200)) == 0
    found = outcomes(folder)
    for (outcome, said), expected in zip(found, PROGRAMS.values(), strict=False):
        assert expected in (outcome, said)
    assert found[5] == ("correct", "passed 1 of 1 tests")
    assert found[6][0] == "unparsed"
    assert found[7] == found[0] == ("correct", "passed 3 of 3 tests")
    assert len(folder.executions.read_text().split("\n")) == 7  # the same program once
    execute_study(path, Console(file=out, width=200))
    assert "no program waits for its tests" in out.getvalue()


def test_a_line_that_was_cut_costs_no_other_one(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    folder.executions.write_text('{"key": "a", "pas')
    for key in ("b", "c"):
        append_execution(folder, Execution(key, 1, 1, "ok", 0.1))
    executed = executed_in(folder)
    assert executed is not None
    assert set(executed.results) == {"b", "c"}


@needs_sandbox
def test_another_file_than_the_run_asked_from_is_refused(study: tuple[Path, RunFolder], tmp_path: Path) -> None:
    (tmp_path / "set.jsonl").write_text(SUM.replace("10", "11") + "\n", encoding="utf-8")
    with pytest.raises(UserError, match="lacks the tests"):
        execute_study(study[0], Console(file=io.StringIO()))


@pytest.mark.parametrize(
    ("expected", "output", "right"),
    [
        ("3\n", "3", True),
        ("1 2\n3", " 1  2 \n3\n\n", True),
        ("0.5", "0.50", True),
        ("YES", "yes", False),
        ("1\n2", "1 2", False),
        ("", "", True),
        ("1", "", False),
        ("nan", "nan", True),
    ],
)
def test_output_is_compared_word_by_word(expected: str, output: str, right: bool) -> None:
    assert passes(Case("", expected), output) is right


def test_a_function_is_called_with_its_arguments() -> None:
    (test,) = cases_of(json.loads(PAIR))
    assert "Solution().pair" in runnable("class Solution: ...", test)
    assert passes(test, "debug\n[[1, 2], 3]\n")
    assert not passes(test, "[[1, 2], 4]")
    assert not passes(test, "oops")
    with pytest.raises(ValueError, match="is no name of a function"):
        cases_of(json.loads(row(2, [], [], function="f(); import os")))
