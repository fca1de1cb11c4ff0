"""Promises of the fourteen basic-math tasks: exact golds, pinned data, nothing twice, clear errors."""

import json
import math
import statistics
import subprocess
import sys
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest

import bench
from bench.problem import AnswerKind, write_gold
from bench.registry import make_task, problem_from_data, task_names

PINNED = json.loads(Path(__file__).with_name("golden").joinpath("problems.json").read_text(encoding="utf-8"))
TASKS = task_names("basic_math")
LIST_TASKS = [name for name in TASKS if hasattr(make_task(name), "sizes")]


def repeated_addition(factors):
    """Multiply without multiplying: the sum of |b| copies, sign by hand."""
    total = 1
    for factor in factors:
        total = sum([total] * abs(factor)) * (-1 if factor < 0 else 1)
    return total


# Each gold once more, by another way than the task's own.
INDEPENDENT = {
    "sorting": lambda d: tuple(v for v in range(min(d), max(d) + 1) for _ in range(d.count(v))),
    "comparison": lambda d: {-1: "<", 0: "=", 1: ">"}[(d[0] > d[1]) - (d[0] < d[1])],
    "sum": lambda d: int(math.fsum(d)),
    "subtraction": lambda d: d[1] + ~d[0] + 1,
    "multiplication": repeated_addition,
    "division": lambda d: Fraction(d[0]) / Fraction(d[1]),
    "absolute_difference": lambda d: max(d) - min(d),
    "find_max": lambda d: next(v for v in d if all(v >= other for other in d)),
    "find_min": lambda d: next(v for v in d if all(v <= other for other in d)),
    "mean": lambda d: statistics.mean(map(Fraction, d)),
    "median": lambda d: statistics.median(map(Fraction, d)),
    "mode": lambda d: tuple(sorted(statistics.multimode(d))),
    "odd_count": lambda d: len([v for v in d if str(v)[-1] in "13579"]),
    "even_count": lambda d: len([v for v in d if str(v)[-1] in "02468"]),
}


@pytest.mark.parametrize("name", TASKS)
def test_gold_equals_an_independent_computation(name):
    task = make_task(name)
    for index in range(60):
        problem = task.problem(seed=7, fold=index % 6, index=index)
        assert problem.gold == INDEPENDENT[name](problem.data)
        assert isinstance(problem.gold, Fraction) == (problem.answer_kind == "rational")


@pytest.mark.parametrize(
    ("name", "data", "gold"),
    [
        ("sorting", [3, -1, 3], (-1, 3, 3)),
        ("comparison", (2, 2), "="),
        ("sum", [3, -4, 10], 9),
        ("subtraction", [10, 4], -6),
        ("multiplication", [-1000] * 7 + [999], -999 * 10**21),
        ("division", [-6, 4], Fraction(-3, 2)),
        ("absolute_difference", [-5, 5], 10),
        ("find_max", [-3, -2], -2),
        ("find_min", [-3, -2], -3),
        ("mean", [1, 2], Fraction(3, 2)),
        ("median", [4, 1, 3, 2], Fraction(5, 2)),
        ("mode", [5, 1, 5, 1, 2], (1, 5)),
        ("odd_count", [-3, -2, 0, 3, 3], 3),
        ("even_count", [-3, -2, 0, 3, 0], 3),
    ],
)
def test_problem_from_data(name, data, gold):
    problem = problem_from_data(name, data)
    assert problem.gold == gold
    assert problem.data == tuple(data)
    assert problem.id.startswith(f"{name}:data:")


@pytest.mark.parametrize("name", TASKS)
def test_every_gold_grades_correct_and_a_changed_one_does_not(name):
    task = make_task(name)
    for index in range(30):
        problem = task.problem(seed=3, fold=0, index=index)
        other = task.problem(seed=3, fold=1, index=index)
        assert bench.grade(problem, rf"\boxed{{{write_gold(problem.gold)}}}").outcome == "correct"
        if other.gold != problem.gold:
            assert bench.grade(problem, rf"\boxed{{{write_gold(other.gold)}}}").outcome == "incorrect"


@pytest.mark.parametrize("name", TASKS)
def test_data_and_wording_are_pinned(name):
    task, pinned = make_task(name), PINNED[name]
    for entry in pinned["problems"]:
        _, seed, fold, index, _ = entry["id"].split(":")
        problem = task.problem(seed=int(seed), fold=int(fold), index=int(index))
        found = {"id": problem.id, "data": list(problem.data), "gold": str(problem.gold)}
        assert found == entry, "data changed: see write_problems.py in the golden folder"
    question = task.from_data(pinned["problems"][0]["data"]).question
    assert question == pinned["question"], "wording changed: see write_problems.py in the golden folder"
    assert (task.data_version, task.wording_version) == (pinned["data_version"], pinned["wording_version"])


def test_problems_do_not_depend_on_the_process():
    code = (
        "import bench.registry as r; print([repr(r.make_task(name).problem(seed=5, fold=2, index=i))"
        " for name in r.task_names('basic_math') for i in range(3)])"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True,
            cwd=Path(__file__).parents[2],
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert len(outputs) == 1


def test_problems_do_not_depend_on_the_order_of_calls():
    task = make_task("mode")
    forward = [task.problem(seed=1, fold=0, index=index) for index in range(200)]
    assert forward[::-1] == [task.problem(seed=1, fold=0, index=index) for index in reversed(range(200))]


@pytest.mark.parametrize("name", TASKS)
def test_three_folds_of_1000_never_repeat_a_problem(name):
    task = make_task(name)
    drawn = {task.problem(seed=42, fold=fold, index=i).data for fold in range(3) for i in range(1000)}
    assert len(drawn) == 3000


@pytest.mark.parametrize("name", TASKS)
def test_a_task_has_its_own_stream(name):
    assert make_task(name).draw(1, 0) != make_task(name).draw(2, 0)
    others = [make_task(other) for other in TASKS if other != name]
    assert all(make_task(name).draw(1, 3) != other.draw(1, 3) for other in others)


def test_relations_of_comparison_come_by_their_shares():
    task = make_task("comparison")
    relations = Counter(task.problem(seed=3, fold=i % 6, index=i // 6).gold for i in range(600))
    assert relations == {"=": 198, "<": 198, ">": 204}
    one_fold = Counter(task.problem(seed=3, fold=1, index=i).gold for i in range(1000))
    assert all(abs(one_fold[sign] - 333) < 60 for sign in "<=>")
    only = make_task("comparison", equal=0, less=1, greater=0)
    assert {only.problem(seed=3, fold=0, index=i).gold for i in range(50)} == {"<"}


@pytest.mark.parametrize("name", LIST_TASKS)
def test_sizes_are_equally_frequent_and_values_stay_in_range(name):
    task = make_task(name)
    lists = [task.problem(seed=3, fold=i % 6, index=i // 6) for i in range(48 * 12)]
    sizes = Counter(problem.facts["size"] for problem in lists)
    assert sizes == dict.fromkeys(task.sizes, 576 // len(task.sizes))
    assert all(len(problem.data) == problem.facts["size"] for problem in lists)
    assert all(-1000 <= value <= 1000 for problem in lists for value in problem.data)


def test_values_are_uniform():
    values = [v for i in range(400) for v in make_task("sum", low=0, high=9).problem(seed=8, fold=0, index=i).data]
    shares = [count / len(values) for count in Counter(values).values()]
    assert len(shares) == 10
    assert all(abs(share - 0.1) < 0.015 for share in shares)


@pytest.mark.parametrize("low", [-9, -3, 0, 1])
def test_a_divisor_is_never_zero_and_every_other_pair_comes_once(low):
    task = make_task("division", low=low, high=low + 5)
    divisors = [b for b in range(low, low + 6) if b != 0]
    pairs = [task.draw(1, position) for position in range(6 * len(divisors))]
    assert sorted(pairs) == [(a, b) for a in range(low, low + 6) for b in divisors]


@pytest.mark.parametrize(
    ("name", "params", "space"),
    [
        ("subtraction", {"low": -4, "high": 4}, 81),
        ("sum", {"low": -1, "high": 1, "sizes": (3,)}, 27),
        ("multiplication", {"low": 0, "high": 3, "sizes": (4,)}, 256),
        ("comparison", {"low": 0, "high": 9, "equal": 0, "less": 1, "greater": 0}, 45),
        ("comparison", {"low": 0, "high": 99, "equal": 1, "less": 0, "greater": 0}, 100),
        ("mode", {"low": -9, "high": 9, "sizes": (2,)}, 19),
    ],
)
def test_a_small_space_is_given_out_whole_before_anything_repeats(name, params, space):
    task = make_task(name, **params)
    drawn = [task.draw(9, position) for position in range(2 * space)]
    assert len(set(drawn[:space])) == len(set(drawn[space:])) == len(set(drawn)) == space


def test_modes_are_planted_in_equal_shares():
    task = make_task("mode")
    problems = [task.problem(seed=4, fold=i % 6, index=i // 6) for i in range(144 * 2)]
    assert Counter(problem.facts["modes"] for problem in problems) == {1: 96, 2: 96, 3: 96}
    for problem in problems:
        counts = Counter(problem.data)
        assert {counts[value] for value in problem.gold} == {problem.facts["multiplicity"]}
        assert problem.facts["multiplicity"] >= 2
        assert len(problem.gold) == problem.facts["modes"]
        assert all(count == 1 for value, count in counts.items() if value not in problem.gold)


@pytest.mark.parametrize(("low", "high"), [(-9, 9), (0, 1), (5, 5), (0, 3)])
def test_modes_fit_small_ranges_and_short_lists(low, high):
    task = make_task("mode", low=low, high=high, sizes=(2, 3, 8))
    for position in range(300):
        data = task.draw(2, position)
        counts = Counter(data)
        assert len(data) in (2, 3, 8)
        assert low <= min(data) <= max(data) <= high
        assert max(counts.values()) >= 2
        assert set(counts.values()) <= {1, max(counts.values())}


def test_short_mode_lists_never_repeat_within_3000_problems():
    task = make_task("mode", low=-9, high=9, sizes=(8,))
    drawn = [task.problem(seed=6, fold=fold, index=i).data for fold in range(3) for i in range(1000)]
    assert len(set(drawn)) == 3000


@pytest.mark.parametrize(
    ("name", "params", "message"),
    [
        ("sum", {"low": 5, "high": 4}, r"sum: low \(5\) has to be at most high \(4\)"),
        ("sum", {"low": 0.5}, "low has to be an integer, not 0.5"),
        ("subtraction", {"high": True}, "high has to be an integer, not True"),
        ("sum", {"sizes": ()}, "sizes has to be a list of different integers from 1 on"),
        ("sum", {"sizes": (0,)}, "sizes has to be"),
        ("sum", {"sizes": (8, 8)}, "sizes has to be"),
        ("sum", {"sizes": "8"}, "sizes has to be"),
        ("sum", {"sizes": 8}, "sizes has to be"),
        ("sum", {"sizes": [True]}, "sizes has to be"),
        ("mode", {"sizes": (1, 8)}, "different integers from 2 on"),
        ("division", {"low": 0, "high": 0}, "other than 0"),
        ("comparison", {"equal": 0.5}, r"add up to 1, not 0.5 \+ 0.33 \+ 0.34"),
        ("comparison", {"equal": -0.1}, "equal has to be a whole percent"),
        ("comparison", {"less": float("nan")}, "less has to be a whole percent"),
        ("comparison", {"less": "0.3"}, "less has to be a whole percent"),
        ("comparison", {"greater": 0.345}, "greater has to be a whole percent"),
        ("comparison", {"low": 1, "high": 1}, "at least two integers"),
    ],
)
def test_wrong_parameters_are_refused(name, params, message):
    with pytest.raises(ValueError, match=message):
        make_task(name, **params)


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("sum", [], "at least one integer"),
        ("sum", [1, 2.0], "integers only, not 2.0"),
        ("sum", [True], "integers only, not True"),
        ("sum", "12", "has to be a list of integers, not '12'"),
        ("subtraction", [1], r"two integers \[a, b\], not 1"),
        ("comparison", [1, 2, 3], "two integers"),
        ("division", [1, 0], "b has to be other than 0"),
    ],
)
def test_data_without_an_answer_is_refused(name, data, message):
    with pytest.raises(ValueError, match=message):
        problem_from_data(name, data)


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ({"seed": 1, "fold": 6, "index": 0}, "folds are 0 to 5"),
        ({"seed": 1, "fold": -1, "index": 0}, "folds are 0 to 5"),
        ({"seed": 1, "fold": 0, "index": -1}, "index -1 is below 0"),
        ({"seed": "1", "fold": 0, "index": 0}, "have to be integers"),
    ],
)
def test_places_that_do_not_exist_are_refused(place, message):
    with pytest.raises(ValueError, match=message):
        make_task("sum").problem(**place)


class Fixed(type(make_task("sum"))):
    def gold(self, data):
        return self.fixed


@pytest.mark.parametrize(
    ("kind", "gold", "message"),
    [
        ("integer", True, "an integer or a Fraction, not a bool"),
        ("rational", 0.5, "an integer or a Fraction, not a float"),
        ("relation", "≤", "one of > < =, not a str '≤'"),
        ("integer_list", [1], "a tuple of integers, at least one, not a list"),
        ("integer_list", (1, 2.0), "not a tuple of float, int"),
        ("integer_set", (), "at least one"),
        ("integer", Fraction(-(10**5000)), "at most 1000 digits"),
        ("rational", Fraction(1, 10**1000), "at most 1000 digits"),
        ("integer_list", (1, -(10**1000)), "at most 1000 digits"),
    ],
)
def test_a_gold_that_no_answer_could_meet_is_refused(monkeypatch, kind, gold, message):
    monkeypatch.setattr(Fixed, "answer_kind", AnswerKind(kind))
    monkeypatch.setattr(Fixed, "fixed", gold, raising=False)
    with pytest.raises(ValueError, match=message):
        Fixed().from_data([1])


def test_the_longest_product_grades_and_a_longer_one_is_refused():
    problem = problem_from_data("multiplication", [10**999, 9])
    assert bench.grade(problem, rf"\boxed{{{write_gold(problem.gold)}}}").outcome == "correct"
    with pytest.raises(ValueError, match="multiplication: the gold of answer kind integer has to be of at most 1000"):
        problem_from_data("multiplication", [10**999, 10])


def test_sizes_may_come_from_yaml():
    assert make_task("sum", sizes=[8, 16]) == make_task("sum", sizes=(8, 16))


def test_operands_may_be_huge():
    for name in TASKS:
        task = make_task(name, low=-(10**25), high=10**25)
        values = [value for index in range(20) for value in task.problem(seed=1, fold=0, index=index).data]
        assert max(values) > 10**24
        assert min(values) < -(10**24)
