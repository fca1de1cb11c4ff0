"""A suite asks each sample once, knows which of them are done, and names the task that fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.problem import part_of
from runner.config.compose import compose
from runner.config.suite import Suite
from runner.errors import UserError
from runner.results.record import sample_key

TASK = """
import sys
from dataclasses import dataclass
from bench.problem import AnswerKind
from bench.task import Task

@dataclass(frozen=True)
class Own(Task):
    {field}
    name = "{name}"
    category = "arithmetic"
    suite = "own"
    answer_kind = AnswerKind.INTEGER

    def draw(self, seed, position):
        {draw}
        return position

    def read_data(self, data):
        {read_data}
        return data

    def question(self, data):
        {question}
        return "?"

    def gold(self, data):
        {gold}
        return data

    def facts(self, data):
        {facts}
        return {{}}
"""
PARTS = ("draw", "read_data", "question", "gold", "facts")


def suite(*overrides: str) -> Suite:
    return Suite(compose([f"suite.{override}" for override in overrides]).suite)


def own_task(folder: Path, name: str, **parts: str) -> list[str]:
    text = TASK.format(**{"field": "", **dict.fromkeys(PARTS, ""), "name": name, **parts})
    (folder / f"{name}.py").write_text(text)
    return [f"task_folder='{folder}'", f"tasks=[{name}]"]


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize(
    ("label", "statement", "says"),
    [
        ("key", "raise KeyError('a')", "KeyError: 'a'"),
        ("run", "raise RuntimeError('one\\ntwo')", "RuntimeError: one two"),
        ("exit", "sys.exit(0)", "SystemExit: 0"),
    ],
)
def test_what_a_task_raises_is_one_line_with_its_name(
    tmp_path: Path, part: str, label: str, statement: str, says: str
) -> None:
    name = f"own_{part}_{label}"
    with pytest.raises(UserError) as caught:
        suite(*own_task(tmp_path, name, **{part: statement}))
    assert str(caught.value) == f"task {name}: {says}"


def test_a_failure_beyond_the_first_problem_is_one_line_too(tmp_path: Path) -> None:
    late = suite(*own_task(tmp_path, "own_late", draw="assert position == 0, 'late'"))
    with pytest.raises(UserError, match=r"^task own_late: AssertionError: late$"):
        list(late.places())


@pytest.mark.parametrize(
    ("name", "field", "says"),
    [
        ("own_field", "needed: int", "task own_field: TypeError: .*'needed'"),
        ("own_check", "def __post_init__(self): raise KeyError('b')", "task own_check: KeyError: 'b'"),
    ],
)
def test_a_task_that_can_not_be_made_is_one_line(tmp_path: Path, name: str, field: str, says: str) -> None:
    with pytest.raises(UserError, match=says):
        suite(*own_task(tmp_path, name, field=field))


def test_a_task_given_twice_is_refused() -> None:
    with pytest.raises(UserError, match=r"suite.tasks gives sum more than once"):
        suite("tasks=[sum,mode,sum]")


def test_done_samples_are_counted_by_their_keys() -> None:
    asked = suite("tasks=[sum,mode]", "samples=3", "folds=2", "repeats=2")
    keys = [sample_key(problem.id, place.repeat) for problem, place in asked.places()]
    assert asked.count_done(keys) == len(keys) == asked.size
    assert asked.count_done([*keys[:5], keys[0]]) == 5
    other = suite("tasks=[sum]", "samples=2", "folds=1", "repeats=1")
    assert other.count_done(keys) == other.size
    assert suite("tasks=[sum]", "seed=1").count_done(keys) == 0
    assert suite("tasks=[sum]", "low=-5", "samples=3", "folds=2").count_done(keys) == 0
    assert suite("samples=1000000000000", "tasks=[sum,mode]", "folds=6").count_done(keys) == len(keys) // 2


def test_odd_keys_are_of_no_sample() -> None:
    asked = suite("tasks=[sum]", "samples=2")
    problem = next(asked.places())[0].id
    name, seed, fold, index, digest = problem.split(":")
    odd = [
        "", "/", ":", problem, f"{problem}/", f"{problem}/1", f"{problem}/00", f"{problem}/-1", f"{problem}/٠",
        f"{problem}/0/0", f"{problem}/0\n", f"{problem}/{'9' * 5000}", f"sum:data:{digest}/0", f"none:0:0:0:{digest}/0",
        f"{name}:{seed}:{fold}:{'9' * 5000}:{digest}/0", f"{name}:{seed}:{fold}:2:{digest}/0",
        f"{name}:{seed}:7:{index}:{digest}/0", f"{name}:-0:{fold}:{index}:{digest}/0",
        f"{name}:{seed}:{fold}:{index}:00000000/0", f"{name}:{seed}:{fold}:00:{digest}/0", "\udc80:0:0:0:x/0",
    ]  # fmt: skip
    assert asked.count_done(odd) == 0
    assert asked.count_done([*odd, f"{problem}/0"]) == 1


def test_a_problem_comes_again_by_its_id() -> None:
    asked = suite("tasks=[sum]", "samples=2")
    problem = next(asked.places())[0]
    assert asked.problem(problem.id) == problem
    with pytest.raises(UserError, match="belongs to other data"):
        asked.problem(f"{problem.id[:-8]}00000000")
    with pytest.raises(UserError, match="is no problem of these tasks: sum"):
        asked.problem(problem.id.replace("sum", "mode"))


def split(part: int, parts: int = 10) -> str:
    return f"split={{parts:{parts},part:{part}}}"


def test_a_split_asks_one_part_and_the_parts_share_nothing() -> None:
    asked = [
        {
            problem.data
            for problem, _ in suite("samples=30", "folds=2", split(part, 3)).places()
            if problem.task != "comparison"
        }
        for part in range(3)
    ]
    assert [len(data) for data in asked] == [13 * 60] * 3
    assert not (asked[0] & asked[1] | asked[1] & asked[2] | asked[0] & asked[2])
    assert {part_of(data, 3) for data in asked[1]} == {1}


def test_a_problem_of_a_split_is_found_again_and_others_are_not() -> None:
    whole, part = suite("samples=40", "tasks=[sum]"), suite("samples=4", "tasks=[sum]", split(0))
    inside = [problem.id for problem, _ in part.places()]
    assert [part.problem(problem_id).id for problem_id in inside] == inside
    outside = next(problem.id for problem, _ in whole.places() if problem.id not in inside)
    assert part.count_done([f"{inside[0]}/0", f"{outside}/0"]) == 1
    with pytest.raises(UserError, match="no problem"):
        part.problem(outside)


def test_an_empty_part_is_refused() -> None:
    tiny = suite("samples=3", "tasks=[subtraction]", "low=0", "high=1", split(7, 1000))
    with pytest.raises(UserError, match=r"suite\.split: part 7 holds too few problems of subtraction"):
        list(tiny.places())


def test_a_part_beyond_the_last_is_refused() -> None:
    with pytest.raises(UserError, match="part 3 does not exist"):
        suite(split(3, 3))
