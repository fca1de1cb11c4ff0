"""Promises of bench.registry: tasks are found, never listed; every mistake gets one clear message."""

import subprocess
import sys
from pathlib import Path

import pytest

import bench.arithmetic
from bench.registry import Registry, make_task, problem_from_data, task_names

BASIC_MATH = [
    "sorting",
    "comparison",
    "sum",
    "subtraction",
    "multiplication",
    "division",
    "absolute_difference",
    "find_max",
    "find_min",
    "mean",
    "median",
    "mode",
    "odd_count",
    "even_count",
]

DOUBLE = """
from __future__ import annotations
from dataclasses import dataclass
from bench.arithmetic.operands import ListTask
from bench.problem import AnswerKind

@dataclass(frozen=True)
class Double(ListTask):
    sizes: tuple[int, ...] = (1,)
    name = "double"
    category = "arithmetic"
    answer_kind = AnswerKind.INTEGER

    def question(self, data):
        return f"What is 2 * {data[0]}?"

    def gold(self, data):
        return 2 * data[0]
"""


def test_basic_math_is_listed_in_its_order():
    assert task_names("basic_math") == BASIC_MATH
    assert task_names()[:14] == BASIC_MATH


def test_a_file_dropped_into_a_task_package_is_found(tmp_path, monkeypatch):
    (tmp_path / "dropped_double.py").write_text(DOUBLE)
    monkeypatch.setattr(bench.arithmetic, "__path__", [*bench.arithmetic.__path__, str(tmp_path)])
    assert "double" in Registry().task_names()


def test_tasks_of_a_users_folder_are_found(tmp_path):
    (tmp_path / "double.py").write_text(DOUBLE)
    registry = Registry()
    assert registry.add_folder(tmp_path) == ["double"]
    assert registry.add_folder(tmp_path) == []
    assert registry.task_names("basic_math") == [*BASIC_MATH, "double"]
    assert registry.make_task("double").problem(seed=1, fold=0, index=0).gold % 2 == 0
    (tmp_path / "later.py").write_text(DOUBLE.replace('"double"', '"later"'))
    assert registry.add_folder(str(tmp_path)) == ["later"]


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("def broken(", "SyntaxError"),
        ("import no_such_package", "ModuleNotFoundError: No module named 'no_such_package'"),
        (DOUBLE.replace('"double"', '"sum"'), "task name 'sum' is taken by .*arithmetic.sum.py"),
        (DOUBLE.replace('name = "double"', ""), "task class Double lacks name"),
        (DOUBLE.replace("def gold", "def goId"), "task class Double lacks gold"),
        (DOUBLE.replace('"double"', '"Double it"'), "lower case letters"),
        ("import sys; sys.exit(0)", "SystemExit: 0"),
        (DOUBLE.replace('"double"', "3"), "Double.name has to be of type str, not 3"),
        (DOUBLE.replace('"arithmetic"', "None"), "Double.category has to be of type str"),
        (DOUBLE.replace("AnswerKind.INTEGER", '"integer"'), "Double.answer_kind has to be of type AnswerKind"),
        (DOUBLE.replace("    sizes", "    order = True\n    sizes"), "Double.order has to be of type int, not True"),
    ],
)
def test_a_broken_user_file_is_named_with_its_cause_and_adds_nothing(tmp_path, text, cause):
    (tmp_path / "a.py").write_text(DOUBLE.replace('"double"', '"fine"'))
    (tmp_path / "bad.py").write_text(text)
    registry = Registry()
    with pytest.raises(ValueError, match=rf"bad\.py: .*{cause}"):
        registry.add_folder(tmp_path)
    assert "fine" not in registry.task_names()


def test_a_folder_without_tasks_is_refused(tmp_path):
    with pytest.raises(ValueError, match="does not exist"):
        Registry().add_folder(tmp_path / "nowhere")
    (tmp_path / "empty.py").write_text("")
    with pytest.raises(ValueError, match=r"holds no .py file that defines a Task"):
        Registry().add_folder(tmp_path)


def test_unknown_names_get_near_ones():
    with pytest.raises(ValueError, match=r"unknown task 'substraction'. Did you mean subtraction"):
        make_task("substraction")
    with pytest.raises(ValueError, match="unknown task None"):
        make_task(None)
    with pytest.raises(ValueError, match=r"unknown suite 'basic_maths'. Did you mean basic_math"):
        task_names("basic_maths")
    with pytest.raises(ValueError, match="unknown task 'x'"):
        problem_from_data("x", [1])


def test_unknown_parameters_get_the_allowed_ones():
    with pytest.raises(ValueError, match="sum: unknown parameter 'size'; allowed: low, high, sizes"):
        make_task("sum", size=8)


def test_parameters_are_read_back():
    assert make_task("sum", low=0).params == {"low": 0, "high": 1000, "sizes": (8, 16, 32, 64)}
    assert make_task("multiplication").params["sizes"] == (2, 4, 8)


def test_tasks_need_the_standard_library_only():
    code = (
        "import sys, bench.registry; bench.registry.task_names();"
        "print([name for name in ('numpy', 'pandas', 'torch', 'hydra', 'wandb', 'runner') if name in sys.modules])"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
