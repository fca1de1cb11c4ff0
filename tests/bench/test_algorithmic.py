"""Promises of Hanoi and N-Queens: any solution in any usual notation is right, anything else is not."""

from __future__ import annotations

import json
import time
from itertools import permutations
from pathlib import Path

import pytest

import bench
from bench.algorithmic.n_queens import placement
from bench.problem import write_gold
from bench.registry import make_task, problem_from_data

PINNED = json.loads(Path(__file__).with_name("golden").joinpath("problems.json").read_text(encoding="utf-8"))
TASKS = ["hanoi", "n_queens"]
SHORTEST = [("A", "C"), ("A", "B"), ("C", "B"), ("A", "C"), ("B", "A"), ("B", "C"), ("A", "C")]  # three disks
DISKS = [1, 2, 1, 3, 1, 2, 1]
NUMBER = {"A": "1", "B": "2", "C": "3"}


def each(form, joined=", "):
    return joined.join(
        form.format(disk=disk, a=a, b=b, i=NUMBER[a], j=NUMBER[b], x=int(NUMBER[a]) - 1, y=int(NUMBER[b]) - 1, n=n)
        for n, (disk, (a, b)) in enumerate(zip(DISKS, SHORTEST, strict=True), 1)
    )


def outcome(task, data, text, **options):
    return bench.grade(problem_from_data(task, data), text, **options).outcome


@pytest.mark.parametrize(
    "plan",
    [
        each("{a}->{b}"),
        each("{a} → {b}"),
        each(r"$\text{{{a}}} \to \text{{{b}}}$"),
        each("({disk}, {a}, {b})"),
        "[" + each("[{disk}, '{a}', '{b}']") + "]",
        "moves = [" + each("[{disk}, {x}, {y}]") + "]",
        each("({a}, {b})"),
        each("({i}, {j})"),
        each("{i} -> {j}"),
        each("{n}. Move disk {disk} from A to C\n", "")
        .replace("from A to C", "from {} to {}")
        .format(*sum(SHORTEST, ())),
        each("{n}. **Move disk {disk} from peg {a} to peg {b}.**", "\n"),
        each("Step {n}: move disk {disk} to peg {b}", "\n"),
        each("Disk {disk}: {a} -> {b}", "\n"),
        each('{{"disk": {disk}, "from": "{a}", "to": "{b}"}}'),
        "| step | disk | from | to |\n|---|---|---|---|\n" + each("| {n} | {disk} | {a} | {b} |", "\n"),
        "```\n" + each("{a} -> {b}", "\n") + "\n```",
    ],
)
def test_a_plan_is_read_in_every_usual_notation(plan):
    assert outcome("hanoi", 3, f"First think.\nMoves:\n{plan}\n") == "correct"
    if not plan.startswith("```"):
        assert outcome("hanoi", 3, rf"Done: \boxed{{{plan}}}") == "correct"


@pytest.mark.parametrize("compact", ["{a}{b}", "{a}-{b}"])
def test_pairs_of_letters_are_moves_in_a_box_alone(compact):
    assert outcome("hanoi", 3, rf"\boxed{{{each(compact)}}}") == "correct"


@pytest.mark.parametrize(
    ("plan", "expected"),
    [
        ("A->B, B->C, A->B, C->A, B->C, A->C", "correct"),  # a detour
        ("A->C, A->B, C->B", "incorrect"),  # ends on B
        ("A->C, A->C, A->C", "incorrect"),  # larger on smaller
        ("B->C, A->C", "incorrect"),  # an empty peg
        ("A->B, A->C, B->C, C->C", "incorrect"),
        ("(2, A, B), (1, A, C), (1, B, C)", "incorrect"),  # another disk than the one on top
        ("there is no way", "unparsed"),
    ],
)
def test_a_plan_is_simulated(plan, expected):
    assert outcome("hanoi", {"disks": 2}, rf"\boxed{{{plan}}}") == expected


def test_the_box_decides_over_the_text_and_explanations_do_not_spoil_a_plan():
    good, bad = "A->B, A->C, B->C", "A->C"
    assert outcome("hanoi", 2, rf"Moves: {good}. \boxed{{{bad}}}") == "incorrect"
    assert outcome("hanoi", 2, rf"Moves: {good}. That is \boxed{{3}} moves.") == "correct"
    assert outcome("hanoi", 2, f"A move such as B->C moves a disk.\nSolution: {good}") == "correct"
    assert outcome("hanoi", 2, f"Moves: {good}", finish_reason="length") == "unparsed"


@pytest.mark.parametrize(
    "answer",
    [
        "[2, 4, 1, 3]",
        "2 4 1 3",
        "[1, 3, 0, 2]",
        "(1, 2), (2, 4), (3, 1), (4, 3)",
        "[(0, 1), (1, 3), (2, 0), (3, 2)]",
        "Row 1: Column 2\nRow 2: Column 4\nRow 3: Column 1\nRow 4: Column 3",
        "b1, d2, a3, c4",
        ". Q . .\n. . . Q\nQ . . .\n. . Q .",
        "```\n| . | Q | . | . |\n| . | . | . | Q |\n| Q | . | . | . |\n| . | . | Q | . |\n```",
        r"\boxed{[2, 4, 1, 3]}",
        r"\boxed{2, 4, 1, 3}",
        "For 4 rows and 4 columns the list is **[2, 4, 1, 3]**.",
    ],
)
def test_a_placement_is_read_in_every_usual_notation(answer):
    assert outcome("n_queens", 4, answer) == "correct"
    assert outcome("n_queens", 5, answer) != "correct"


@pytest.mark.parametrize("answer", ["[1, 2, 3, 4]", "[2, 4, 1, 1]", "[2, 4, 1, 5]", "[2, 4, 1]", ". Q . .\n" * 4])
def test_a_placement_with_an_attack_is_wrong(answer):
    assert outcome("n_queens", {"n": 4}, answer) == "incorrect"


def test_exactly_the_ninety_two_placements_of_eight_queens_are_right():
    problem = problem_from_data("n_queens", 8)
    safe = [p for p in permutations(range(1, 9)) if len({r + c for r, c in enumerate(p)}) == 8]
    right = [p for p in safe if bench.grade(problem, rf"\boxed{{{list(p)}}}").outcome == "correct"]
    assert len(right) == 92


def test_the_formula_places_queens_on_every_board():
    for n in range(4, 27):
        assert sorted(placement(n)) == list(range(1, n + 1))
        assert outcome("n_queens", n, rf"\boxed{{{placement(n)}}}") == "correct"


@pytest.mark.parametrize("name", TASKS)
def test_golds_grade_correct_and_problems_are_pinned(name):
    task = make_task(name)
    for index in range(task.length()):
        problem = task.problem(seed=3, fold=0, index=index)
        assert bench.grade(problem, rf"\boxed{{{write_gold(problem.gold)}}}").score == 1.0
        assert problem.facts["size"] == task.sizes[index]
    for entry in PINNED[name]["problems"]:
        _, seed, fold, index, _ = entry["id"].split(":")
        problem = task.problem(seed=int(seed), fold=int(fold), index=int(index))
        assert {"id": problem.id, "data": problem.data, "gold": problem.gold} == entry
    assert task.from_data(PINNED[name]["problems"][0]["data"]).question == PINNED[name]["question"]


def test_a_long_hostile_text_is_read_quickly_enough_to_be_graded():
    for text in ("(1," * 40_000, "disk 1 from " * 10_000, "1 " * 50_000, "Q" * 100_000, r"\boxed{" * 20_000):
        for name in TASKS:
            start = time.process_time()
            assert outcome(name, 8, text) != "correct"
            assert time.process_time() - start < 2  # linear work takes some hundredths


@pytest.mark.parametrize("data", [0, 13, "3", {"disks": 3, "n": 3}, {"disks": 3.0}, None, True])
def test_data_without_an_answer_is_refused(data):
    with pytest.raises(ValueError, match=r'hanoi: data has to be \{"disks": n\} or n, from 1 to 12'):
        problem_from_data("hanoi", data)


def test_a_finite_task_has_one_fold_and_no_problem_beyond_its_last():
    task = make_task("hanoi", sizes=[4, 6])
    assert [task.problem(seed=1, fold=0, index=i).data for i in range(2)] == [{"disks": 4}, {"disks": 6}]
    with pytest.raises(ValueError, match="index 2 does not exist: hanoi has 2 problems"):
        task.problem(seed=1, fold=0, index=2)
    with pytest.raises(ValueError, match="has one fold"):
        task.problem(seed=1, fold=1, index=0)
    for sizes in ([3], [27], [], [8, 8], [[8]], "8"):
        with pytest.raises(ValueError, match=r"n_queens: sizes has to be .* integers from 4 to 26, not "):
            make_task("n_queens", sizes=sizes)
