"""Promises about answers that are no numbers: expressions, choices, checked answers, programs and judged texts."""

from __future__ import annotations

import hashlib
import os
import resource
import signal
import threading
from dataclasses import dataclass
from importlib.util import find_spec

import pytest

import bench
import bench.answers as answers
from bench.answers import program_of, stated_answer
from bench.grading import symbolic
from bench.problem import AnswerKind, Problem
from bench.registry import Registry
from bench.task import Task
from bench.verdict import Unreadable

needs_math_verify = pytest.mark.skipif(find_spec("math_verify") is None, reason="math-verify is not installed")


def grade(kind, gold, response, **options):
    return bench.grade(Problem("x", "own", None, "?", gold, AnswerKind(kind)), response, **options)


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        (r"\boxed{C}", "C"),
        (r"\boxed{A} and then \boxed{\text{C}}", "C"),
        (r"\boxed{(c)}", "C"),
        (r"\boxed{C. 10 m}", "C"),
        ("The answer is **C**.", "C"),
        ("Answer: C) 3 m/s", "C"),
        ("The answer is C, because A is too small.", "C"),
        ("The correct answer is option C", "C"),
        ("So I think it is C", "C"),
        ("A proton moves faster.", None),
        (r"\boxed{A and C}", None),
        (r"\boxed{Carbon}", None),
        ("<think>C</think>", None),
    ],
)
def test_a_choice_is_read_as_its_letter_alone(text, letter):
    assert grade("choice", "C", text).answer == letter
    assert grade("choice", "C", text).outcome == ("correct" if letter else "unparsed")


def test_another_letter_is_wrong_and_a_cut_response_counts_by_its_box_alone():
    assert grade("choice", "C", r"\boxed{D}").outcome == "incorrect"
    assert grade("choice", "C", "The answer is C", finish_reason="length").reason == "truncated"
    assert grade("choice", "C", r"\boxed{C} and", finish_reason="length").outcome == "correct"


@needs_math_verify
@pytest.mark.parametrize(
    ("gold", "text", "outcome"),
    [
        (r"\frac{1}{2}", r"\boxed{0.5}", "correct"),
        (r"2\sqrt{3}", r"The answer is $\sqrt{12}$.", "correct"),
        (r"(3,\frac{\pi}{2})", r"\boxed{\left(3, \dfrac{\pi}{2}\right)}", "correct"),
        (r"\text{Evelyn}", r"\boxed{Evelyn}", "correct"),
        (r"x^2+1", r"\boxed{1+x^2}", "correct"),
        (r"x^2+1", r"\boxed{x^2-1}", "incorrect"),
        (r"\text{Evelyn}", r"\boxed{\text{Carla}}", "incorrect"),
        ("4", "", "unparsed"),
    ],
)
def test_expressions_are_compared_as_mathematics(gold, text, outcome):
    assert grade("expression", gold, text).outcome == outcome


@pytest.fixture
def impatient(monkeypatch):
    worker = symbolic.Worker(cpu_seconds=2)
    monkeypatch.setattr(symbolic, "_worker", lambda: worker)


@needs_math_verify
def test_what_hangs_the_comparison_is_unparsed_and_the_next_answer_is_graded(impatient):
    hung = grade("expression", "4", r"\boxed{9^{9^{9^{9}}}}")
    assert (hung.outcome, hung.reason) == ("unparsed", "too_complex")
    assert grade("expression", "4", r"\boxed{4}").outcome == "correct"


def test_data_that_json_cannot_hold_raises_nothing():
    assert symbolic.Worker().ask({"data": {1}}).failure == "too_complex"


def placed(columns):
    """Return a question about four queens."""
    return {"task": "n_queens", "file": None, "data": {"n": 4}, "answer": rf"\boxed{{{columns}}}"}


def test_after_an_interruption_the_next_question_gets_its_own_answer(monkeypatch):
    def interrupted(process, deadline):
        raise KeyboardInterrupt

    worker = symbolic.Worker()
    with monkeypatch.context() as patch:
        patch.setattr(symbolic, "_read_line", interrupted)
        with pytest.raises(KeyboardInterrupt):
            worker.ask(placed([1, 2, 3, 4]))
    assert worker.ask(placed([2, 4, 1, 3])).value == 1.0


def test_a_signal_to_all_processes_of_a_job_costs_no_answer():
    worker = symbolic.Worker()
    assert worker.ask(placed([2, 4, 1, 3])).value == 1.0
    process = worker.process_id
    for number in (signal.SIGINT, signal.SIGTERM):
        os.kill(process, number)
        assert worker.ask(placed([2, 4, 1, 3])).value == 1.0
    assert worker.process_id == process


def test_a_package_that_cannot_be_imported_decides_nothing(tmp_path, monkeypatch):
    (tmp_path / "math_verify.py").write_text("raise ImportError('broken')", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert symbolic.Worker().ask({"gold": "4", "answer": "5", "boxed": True}).failure == "check_failed"


def test_a_caller_with_many_open_files_gets_its_answer():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(4_096, hard)), hard))
    held = [os.open(os.devnull, os.O_RDONLY) for _ in range(1_100)]
    try:
        assert symbolic.Worker().ask(placed([2, 4, 1, 3])).value == 1.0
    finally:
        for descriptor in held:
            os.close(descriptor)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@needs_math_verify
def test_threads_share_the_process_and_each_gets_its_own_answer():
    found = {}
    threads = [
        threading.Thread(target=lambda n=n: found.update({n: grade("expression", str(n), rf"\boxed{{{n % 3}}}")}))
        for n in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [found[n].outcome for n in range(6)] == ["correct"] * 3 + ["incorrect"] * 3


def test_without_math_verify_an_expression_is_ungraded(monkeypatch):
    monkeypatch.setattr(symbolic, "find_spec", lambda name: None)
    verdict = grade("expression", "4", r"\boxed{4}")
    assert (verdict.outcome, verdict.reason) == ("ungraded", "math_verify_missing")


def test_programs_and_judged_texts_wait_for_others():
    assert grade("judged", "a reference", "any text").reason == "not_judged"
    assert grade("judged", "a reference", "").outcome == "unparsed"
    assert grade("executed", "", "Here:\n```python\nprint(1)\n```\nDone.").reason == "not_executed"
    assert grade("executed", "", "I can't.").outcome == "unparsed"
    assert program_of("```\na\n```\n\n```python\nprint(1)\n```") == "print(1)"


OWN = """
import os
from bench.problem import AnswerKind
from bench.task import Task
from bench.verdict import Unreadable

class Own(Task):
    name = "NAME"
    category = "algorithmic"
    answer_kind = AnswerKind.CHECKED
    hostile_check = HOSTILE

    def draw(self, seed, position):
        return position
    def question(self, data):
        return f"Name a number near {data}."
    def gold(self, data):
        return str(data)
    def read_data(self, data):
        return data
    def check(self, data, answer):
        if "?" in answer:
            raise Unreadable("nothing")
        if "loop" in answer:
            while True:
                pass
        if "die" in answer:
            os._exit(3)
        if "own process" in answer:
            return float(os.getpid() == data)
        return 1.0 if str(data) in answer else 0.25 if "near" in answer else float(answer)
"""


@pytest.fixture
def checked(tmp_path, monkeypatch):
    def make(hostile):
        folder = tmp_path / str(hostile)
        folder.mkdir()
        name = f"own_{hashlib.sha256(str(folder).encode()).hexdigest()}"  # the process keeps the tasks it has seen
        (folder / "own.py").write_text(OWN.replace("HOSTILE", str(hostile)).replace("NAME", name), encoding="utf-8")
        registry = Registry()
        registry.add_folder(folder)
        monkeypatch.setattr(answers, "task_class", registry.task_class)
        return registry.make_task(name)

    return make


@pytest.mark.parametrize("hostile", [False, True])
def test_a_check_decides_and_only_a_whole_score_is_right(checked, hostile):
    problem = checked(hostile).from_data(7)
    right, near = bench.grade(problem, "It is 7"), bench.grade(problem, "It is near 8")
    assert (right.outcome, right.score) == ("correct", 1.0)
    assert (near.outcome, near.score) == ("incorrect", 0.25)
    assert bench.grade(problem, "?").outcome == "unparsed"
    failed = bench.grade(problem, "no number")
    assert (failed.outcome, failed.reason) == ("ungraded", "check_failed")
    assert bench.grade(problem, "2.5").reason == "check_failed"  # no score
    assert bench.grade(problem, "It is 7", finish_reason="length").reason == "truncated"


def test_a_hostile_check_runs_elsewhere_and_its_death_costs_nothing(checked, impatient):
    task = checked(True)
    assert bench.grade(task.from_data(os.getpid()), "own process").score == 0.0
    for text in ("die", "loop"):
        assert bench.grade(task.from_data(7), text).reason == "too_complex"
    assert bench.grade(task.from_data(7), "7").outcome == "correct"


def test_a_box_beats_a_statement_and_a_statement_the_last_line():
    assert stated_answer("The answer is 3.\nDone: \\boxed{ 4 }.\nbye").text == "4"
    assert stated_answer("The answer is 3.\nbye").text == "3."
    assert stated_answer("a\n\nlast\n").rule == "last_line"
    assert stated_answer(" \n") is None


def test_golds_of_text_kinds_are_checked():
    @dataclass(frozen=True)
    class Own(Task):
        name = "own"
        category = "science"
        answer_kind = AnswerKind.CHOICE

        def draw(self, seed, position):
            return position

        def question(self, data):
            return "?"

        def gold(self, data):
            return data

        def read_data(self, data):
            return data

    assert Own().from_data("D").gold == "D"
    for wrong in ("d", "DE", 4):
        with pytest.raises(ValueError, match="has to be"):
            Own().from_data(wrong)
    assert issubclass(Unreadable, ValueError)
