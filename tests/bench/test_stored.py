"""Stored sets: rows are read as published, golds grade correct, and a sample is graded without the file.

The published files are read where they are at hand (THINKMETER_SHARED, or ../shared); self-written rows elsewhere.
"""

from __future__ import annotations

import base64
import json
import os
import pickle
import zlib
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import pytest

import bench
from bench.problem import write_gold
from bench.registry import make_task, problem_from_data
from bench.stored import contest

SHARED = Path(os.environ.get("THINKMETER_SHARED") or Path(__file__).resolve().parents[3] / "shared") / "data"
FILES = {
    "gsm8k": ("gsm8k_test.jsonl", 1319),
    "svamp": ("svamp_test.jsonl", 1000),
    "aime24": ("aime24.json", 30),
    "aime25": ("aime25.jsonl", 30),
    "hmmt25": ("hmmt_feb_2025.jsonl", 30),
    "math500": ("math500.jsonl", 500),
}
needs_math_verify = pytest.mark.skipif(find_spec("math_verify") is None, reason="math-verify is not installed")

TESTS = [{"input": "1 2", "output": "3", "testtype": "stdin"}]
PACKED = base64.b64encode(zlib.compress(pickle.dumps(json.dumps(TESTS)))).decode()
ROWS = {
    "gsm8k": {"question": "Q?", "answer": "So <<2*600=1200>>1200.\n#### 1,200"},
    "gsm_plus": {"question": "Q?", "answer": "0.25", "perturbation_type": "numerical substitution"},
    "svamp": {"ID": "chal-1", "Body": "Ann has 3 pens", "Question": "How many?", "Answer": 3.0, "Type": "Addition"},
    "aime24": {"problem": "Q?", "answer": "025"},
    "aime25": {"prompt": "Q?\nPlease reason step by step, and put your final answer within \\boxed{}.", "answer": 70},
    "hmmt25": {"problem": "Q?", "answer": r"\frac{1}{576}"},
    "math500": {"problem": "Q?", "answer": r"x^2+1", "subject": "Algebra", "level": 2, "unique_id": "test/1.json"},
    "gpqa_diamond": {
        "Record ID": "rec1", "Question": "Q?", "Correct Answer": "10 m\n", "Incorrect Answer 1": "1 m",
        "Incorrect Answer 2": "2 m", "Incorrect Answer 3": "3 m", "High-level domain": "Physics",
    },
    "livecodebench": {
        "question_id": "1", "question_content": "Add.", "starter_code": "", "difficulty": "easy",
        "public_test_cases": json.dumps(TESTS), "private_test_cases": PACKED,
    },
}  # fmt: skip


def written(folder: Path, name: str, *rows: dict[str, object]) -> str:
    path = folder / f"{name}.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def published(name: str):
    file, _ = FILES[name]
    if not (SHARED / file).is_file():
        pytest.skip(f"{SHARED / file} is not here; set THINKMETER_SHARED")
    return make_task(name, path=str(SHARED / file))


@pytest.mark.parametrize("name", ROWS)
def test_a_row_becomes_a_problem_that_is_graded_without_the_file(tmp_path, name):
    if name in ("hmmt25", "math500") and find_spec("math_verify") is None:
        pytest.skip("math-verify is not installed")
    task = make_task(name, path=written(tmp_path, name, ROWS[name]))
    problem = task.problem(seed=1, fold=0, index=0)
    again = problem_from_data(name, json.loads(json.dumps(problem.data)))
    assert (again.question, again.gold) == (problem.question, problem.gold)
    assert "step by step" not in problem.question
    if name != "livecodebench":
        assert bench.grade(again, rf"\boxed{{{write_gold(problem.gold)}}}").outcome == "correct"


@pytest.mark.parametrize("name", [name for name in FILES if name not in ("math500", "hmmt25")])
def test_every_published_number_grades_correct_in_a_box_and_in_a_sentence(name):
    task = published(name)
    assert task.length() == FILES[name][1]
    problems = [task.problem(seed=0, fold=0, index=index) for index in range(task.length())]
    assert len({problem.id for problem in problems}) == task.length()
    for problem in problems:
        gold = write_gold(problem.gold)
        for response in (rf"So it is \boxed{{{gold}}}.", f"The answer is {gold}."):
            assert bench.grade(problem, response).outcome == "correct", (problem.data, response)


@needs_math_verify
@pytest.mark.parametrize("name", ["math500", "hmmt25"])
def test_every_published_expression_equals_itself_and_not_the_next_one(name):
    task = published(name)
    assert task.length() == FILES[name][1]
    problems = [task.problem(seed=0, fold=0, index=index) for index in range(task.length())]
    for place, problem in enumerate(problems):
        for response in (rf"So \boxed{{{problem.gold}}}.", f"The answer is ${problem.gold}$."):
            assert bench.grade(problem, response).outcome == "correct", response
        other = problems[place - 1].gold
        if place % 10 == 0 and other != problem.gold:
            assert bench.grade(problem, rf"\boxed{{{other}}}").outcome != "correct", (problem.gold, other)


def test_levels_of_math500_are_counted_and_chosen():
    rows = published("math500").rows()
    assert Counter(row["level"] for row in rows)[1] == 43
    easy = make_task("math500", path=str(SHARED / "math500.jsonl"), levels=[1, 2])
    assert easy.length() == 133
    with pytest.raises(ValueError, match="different levels from 1 to 5"):
        make_task("math500", levels=[6])


def test_gsm8k_has_its_commas_and_negative_numbers():
    golds = [row["answer"] for row in published("gsm8k").rows()]
    assert sum(gold < 0 for gold in golds) == 2
    assert max(golds) > 1000


def test_options_stand_in_an_order_that_the_seed_decides(tmp_path):
    rows = [{**ROWS["gpqa_diamond"], "Record ID": f"rec{n}"} for n in range(40)]
    task = make_task("gpqa_diamond", path=written(tmp_path, "gpqa", *rows))
    drawn = [[task.problem(seed=seed, fold=0, index=i) for i in range(40)] for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1]
    assert {problem.gold for problem in drawn[0]} == set("ABCD")
    for problem in drawn[0]:
        assert f"{problem.gold}) 10 m\n" in problem.question
    orders = [{p.data["id"]: p.data["options"] for p in problems} for problems in drawn]
    assert orders[0] != orders[2]


def test_problems_without_an_answer_are_not_asked(tmp_path):
    none = {**ROWS["gsm_plus"], "answer": "None", "perturbation_type": "critical thinking"}
    task = make_task("gsm_plus", path=written(tmp_path, "plus", none, ROWS["gsm_plus"]))
    assert task.length() == 1
    assert task.rows()[0]["id"] == "1"


def test_hidden_tests_are_unpacked_and_code_in_them_is_not():
    assert contest.cases_of(ROWS["livecodebench"]) == [contest.Case("1 2", "3")] * 2
    evil = base64.b64encode(zlib.compress(pickle.dumps(os.getcwd))).decode()
    with pytest.raises(ValueError, match="it names posix"):
        contest.cases_of({**ROWS["livecodebench"], "private_test_cases": evil})


def test_the_data_of_a_program_is_small_and_names_its_tests(tmp_path):
    task = make_task("livecodebench", path=written(tmp_path, "lcb", ROWS["livecodebench"]))
    problem = task.problem(seed=0, fold=0, index=0)
    assert len(str(problem.gold)) == 64
    assert "private_test_cases" not in problem.data
    assert "standard input" in problem.question


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"question": "Q?"}', "does not hold gsm8k: a row lacks the field 'answer'"),
        ('{"question": "Q?", "answer": "5"}', "an answer without ####"),
        ('{"question": "Q?", "answer": "#### five"}', "does not hold gsm8k: invalid literal"),
        ("no json", "does not hold gsm8k"),
        ("", "holds no row of gsm8k"),
        ("[1]", "does not hold gsm8k"),
        ('{"question": "Q?", "answer": "#### 5"}\n' + "[" * 100_000, "does not hold gsm8k"),
    ],
)
def test_another_file_is_refused(tmp_path, content, message):
    path = tmp_path / "x.jsonl"
    path.write_text(content)
    with pytest.raises(ValueError, match=message):
        make_task("gsm8k", path=str(path)).length()


@pytest.mark.parametrize(
    ("name", "changed", "file"),
    [
        ("gsm_plus", {"answer": "1/0"}, "x.jsonl"),
        ("math500", {"level": float("inf")}, "x.jsonl"),
        ("gpqa_diamond", {"Question": "x" * 200_000}, "x.csv"),
    ],
)
def test_values_that_are_none_are_refused_in_one_line(tmp_path, name, changed, file):
    path, row = tmp_path / file, {**ROWS[name], **changed}
    lines = [json.dumps(row)] if file.endswith("jsonl") else [",".join(row), ",".join(f'"{v}"' for v in row.values())]
    path.write_text("\n".join(lines))
    with pytest.raises(ValueError, match=f"does not hold {name}"):
        make_task(name, path=str(path)).length()


def test_a_result_that_nests_without_end_is_wrong():
    case = contest.Case("1", "[1]", "f")
    assert contest.passes(case, "[1]")
    assert not contest.passes(case, "[" * 100_000)


def test_a_missing_file_and_data_that_is_no_row_are_refused():
    with pytest.raises(ValueError, match="needs the file with its problems; give path"):
        make_task("gsm8k").problem(seed=0, fold=0, index=0)
    with pytest.raises(ValueError, match="nowhere can't be read"):
        make_task("gsm8k", path="nowhere").length()
    with pytest.raises(ValueError, match="row with id, question and answer"):
        problem_from_data("gsm8k", {"question": "Q?"})
