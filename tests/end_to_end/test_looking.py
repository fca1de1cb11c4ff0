"""What a user types to look at what there is, in a study of several runs: status, show, curve and tasks."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.end_to_end.command import SCRIPTED
from tests.end_to_end.test_sweeps import SMALL, Here, here, study_file, table

__all__ = ["here"]  # a fixture


def commands(text: str) -> list[list[str]]:
    """Return what the lines say to type, without the program's own name."""
    return [shlex.split(line.partition("python -m runner ")[2]) for line in text.split("\n") if "python -m" in line]


def test_status_is_by_the_most_that_was_ever_asked(here: Here) -> None:
    asked = (*SCRIPTED, "suite.tasks=[sum,mode]")
    large = (*asked, "suite.samples=20", "engine.fail=0.5")
    assert here.type(*large).code == 1
    here.type(*asked, "suite.samples=1", "suite.folds=2")
    told = here.type("status", "outputs/single")
    assert told.code == 1
    (row,) = (line.split("│") for line in told.out.split("\n") if "│ scripted" in line)
    assert row[4].strip() == "40"
    assert row[2].strip() != "done"
    assert "the latest command asked for 4, of which 4 are done" in told.out
    assert commands(told.out) == [list(large)]
    assert here.type(*asked, "suite.samples=20").code == 0
    assert here.type("status", "outputs/single").code == 0


def test_status_sees_what_is_left_of_the_latest_request(here: Here) -> None:
    assert here.type(*SCRIPTED, "suite.samples=3").code == 0
    assert here.type(*SCRIPTED, "suite.samples=20", "suite.tasks=[sum]", "engine.fail=0.9").code == 1
    told = here.type("status", "outputs/single")
    assert told.code == 1
    assert "the latest command asked for 20, of which" in told.out
    assert "to finish: " in told.out


@pytest.fixture
def study(here: Here) -> str:
    """Return a study of four runs, and what its sweep printed."""
    done = here.type("-m", *SMALL, "budget.tokens=50,60,70,null", "engine.accuracy=0.0")
    assert done.code == 0, done.err
    return done.out


def test_a_study_of_many_points_has_a_line_for_each(here: Here, study: str) -> None:
    assert "all tasks" not in study
    lines = [line for line in study.split("\n") if line.startswith("point ")]
    assert [line.partition(":")[0] for line in lines] == [f"point {number} of 4" for number in (1, 2, 3, 4)]
    for part in ("accuracy 0.000", "50.0 output tokens", "1 unparsed", "1 truncated", "0 errors", "outputs/s/scripted"):
        assert part in lines[-1]
    failing = here.type("-m", *SMALL, "budget.tokens=51,61,71,81", "engine.fail=1.0")
    assert failing.code == 1
    assert failing.out.count("1 errors") == 4
    assert len(table(failing)) == 1 + 8


@pytest.mark.parametrize("verb", ["show", "curve"])
def test_of_a_study_the_runs_are_listed_each_with_its_command(verb: str, here: Here, study: str) -> None:
    told = here.type(verb, "outputs/s", *(["sum"] if verb == "show" else []))
    assert told.code == 2
    listed = commands(told.err)
    assert len(listed) == 4
    assert [line.split()[1] for line in told.err.split("\n") if "python -m" in line] == ["50", "60", "70", "none"]
    done = here.type(*listed[-1])
    assert done.code == 0, done.err
    assert here.type(verb, "outputs/s", "nothing-like-it", *(["sum"] if verb == "show" else [])).code == 2


def test_a_run_is_named_by_a_part_of_its_name(here: Here, study: str) -> None:
    assert "50 output tokens" in here.type("show", "outputs/s", "b50", "sum").out
    whole = here.type("show", "outputs/s", "b50")
    assert whole.code == 0, whole.err
    assert "all tasks" in whole.out
    assert here.type("curve", "outputs/s", "b50").code == 0
    assert "begins the name of no run and no sample" in here.type("show", "outputs/s", "b50", "nothing").err
    assert len(commands(here.type("show", "outputs/s", "mode").err)) == 4  # a task, and no part of "model"
    several = here.type("show", "outputs/s", "0-", "sum")
    assert several.code == 2
    assert len(commands(several.err)) == 3


def test_one_reason_at_many_points_is_told_once(here: Here) -> None:
    sweep = study_file(here.folder, "budget.tokens=50,9000 prompt=standard,concise,step_by_step,ultra_concise")
    done = here.type(sweep)
    assert done.code == 2
    reason, count, *points = done.err.strip().split("\n")
    assert reason.startswith("budget.tokens=9000: ")
    assert count == "  at 4 points, the first 3 of them:"
    assert len(points) == 3
    assert all(point.startswith("  mine.yaml: point 1 (") for point in points)


def test_tasks_takes_what_a_run_takes(here: Here) -> None:
    (here.folder / "mine" / "prompt").mkdir(parents=True)
    text = "name: short\nsystem: Be short.\nuser: '{question}'\ninterpolate: false\n"
    (here.folder / "mine" / "prompt" / "short.yaml").write_text(text)
    source = (Path(__file__).parent / "own_task.py.txt").read_text().replace('"double"', '"twice"')
    (here.folder / "mine" / "twice.py").write_text(source)
    own = ("--config-dir", "mine", "suite.task_folder=mine")
    listed = here.type("tasks", *own)
    assert listed.code == 0, listed.err
    assert "twice" in listed.out
    assert "sorting" in listed.out
    shown = here.type("tasks", *own, "--show", "twice", "-m", "prompt=short,standard", "budget.tokens=50,100")
    assert shown.code == 0, shown.err
    assert "the first of 4 points" in shown.out
    assert "Be short." in shown.out
    assert "Double 0." in shown.out
    assert here.type("tasks", "sweep=demo_effort", "--show", "sum").code == 0
    missing = here.type("tasks", "--config-dir", "nowhere")
    assert missing.code == 2
    assert "--config-dir nowhere" in missing.err
