"""Studies on the scripted engine: one load a model, a truthful table, and the same command finishes what is left."""

from __future__ import annotations

import json
import random
import shlex
import signal
import sys
import time
from pathlib import Path

import pytest

from runner.__main__ import COMMANDS
from runner.app import main
from runner.cli.app import main as look
from tests.end_to_end.command import SCRIPTED, Done, runner, start

SMALL = (*SCRIPTED, "suite.samples=1", "suite.tasks=[sum]", "study=s")
# Each point takes some seconds; nothing but time depends on it.
SLOW = ("engine.step_s=0.02", "engine.window=4", "suite.samples=60", "suite.tasks=[sum,mode]")


class Here:
    """Types commands in this process, which saves the start of a fresh one."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self._capsys = capsys

    def type(self, *arguments: str) -> Done:
        code = (look if arguments[0] in COMMANDS else main)(arguments)
        out, err = self._capsys.readouterr()
        return Done(code, out, err)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Here:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["runner"])
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    return Here(tmp_path, capsys)


def study_file(folder: Path, *points: str, common: tuple[str, ...] = SCRIPTED) -> str:
    entries = [shlex.split(point) for point in points]
    (folder / "mine.yaml").write_text(json.dumps({"study": "s", "common": list(common), "points": entries}))
    return "sweep=mine.yaml"


def table(done: Done) -> list[list[str]]:
    """Return the cells of the last table, its heading first."""
    last = done.out[done.out.rindex("study outputs") :]
    return [
        line.replace("┃", "│").strip("│").replace(" ", "").split("│")
        for line in last.split("\n")
        if line[:1] in ("┃", "│")
    ]


def test_twelve_points_load_their_model_once(here: Here) -> None:
    done = here.type("-m", *SMALL, "budget.tokens=50,100,200,null", "prompt=standard,concise,step_by_step")
    assert done.code == 0, done.err
    assert done.out.count("loading scripted") == 1
    assert len(table(done)) == 1 + 12


def test_two_models_are_loaded_once_each_however_they_are_mixed(here: Here) -> None:
    done = here.type("-m", *SMALL, "budget.tokens=50,100", "engine.accuracy=0.2,0.8")
    assert done.out.count("loading scripted") == 2
    assert here.type("-m", *SMALL, "budget.tokens=50,100", "engine.accuracy=0.2,0.8").out.count("loading") == 0


def test_a_point_that_fails_has_a_row_that_says_so(here: Here) -> None:
    sweep = study_file(here.folder, "budget.tokens=100", "prompt=concise engine.fail=1.0")
    done = here.type(sweep, "suite.samples=2", "suite.tasks=[sum]")
    assert done.code == 1
    heading, first, second = table(done)
    assert [row[heading.index("state")] for row in (first, second)] == ["failed0/2", "done"]
    command = "python -m runner sweep=mine.yaml suite.samples=2 'suite.tasks=[sum]'"
    assert f"to go on: {command}\n" in done.out
    status = here.type("status", "outputs/s")
    assert status.code == 1
    assert f"to finish: {command}\n" in status.out
    study_file(here.folder, "budget.tokens=100", "prompt=concise")
    again = here.type(sweep, "suite.samples=2", "suite.tasks=[sum]")
    assert again.code == 0
    assert "state" not in table(again)[0]


def test_every_mistake_of_every_point_is_told_before_anything_runs(here: Here) -> None:
    sweep = study_file(here.folder, "budget.tokens=50,9000", "prompt=concyse", "budget.tokens=70")
    done = here.type(sweep)
    assert done.code == 2
    too_long, unknown = done.err.strip().split("\n")
    assert too_long.startswith("mine.yaml: point 1 (")
    assert "holds 8192 tokens" in too_long
    assert unknown.startswith("mine.yaml: point 2 (")
    assert "Did you mean concise" in unknown
    assert not (here.folder / "outputs").exists()


def test_points_that_can_not_be_told_apart_are_refused(here: Here) -> None:
    done = here.type(study_file(here.folder, "prompt=concise", "prompt=concise prompt.name=short"))
    assert done.code == 2
    assert "both have the same texts" in done.err


def test_a_point_named_twice_runs_once(here: Here) -> None:
    done = here.type(study_file(here.folder, "budget.tokens=50,null", "budget=total"), "suite.samples=1")
    assert done.code == 0, done.err
    assert "1 of 3 points are named twice" in done.out
    assert len(table(done)) == 1 + 2


def test_a_plan_of_a_study_is_one_table_and_does_nothing(here: Here) -> None:
    done = here.type(study_file(here.folder, "budget.tokens=50,100", "prompt=concise"), "suite.samples=5", "plan=true")
    assert done.code == 0, done.err
    assert "Plan for 3 points" in done.out
    (total,) = (line for line in done.out.split("\n") if "all points" in line)
    assert total.replace(" ", "").split("│")[2:4] == ["210", "210"]
    assert not (here.folder / "outputs").exists()


def test_the_sweepers_params_in_a_users_own_config_still_sweep(here: Here) -> None:
    (here.folder / "mine" / "grid").mkdir(parents=True)
    params = "# @package _global_\nhydra:\n  sweeper:\n    params:\n      budget.tokens: 50,100\n"
    (here.folder / "mine" / "grid" / "two.yaml").write_text(params)
    done = here.type("--config-dir", "mine", "-m", "+grid=two", *SMALL)
    assert done.code == 0, done.err
    assert len(table(done)) == 1 + 2


@pytest.mark.parametrize("launcher", ["local", "basic"])
def test_another_launcher_runs_the_points_too(launcher: str, here: Here) -> None:
    done = here.type("-m", *SMALL, "budget.tokens=50,100", f"hydra/launcher={launcher}", "engine.fail=1.0")
    assert done.code == 1, done.err
    assert len(list(here.folder.glob("outputs/s/*/summary.json"))) == 2


def test_a_point_that_never_began_is_queued(here: Here) -> None:
    assert here.type("-m", *SMALL, "budget.tokens=50,100").code == 0
    (gone,) = here.folder.glob("outputs/s/*-b50-*/run.json")
    gone.unlink()
    status = here.type("status", "outputs/s")
    assert status.code == 1
    assert "queued" in status.out
    assert "budget.tokens=50,100" in status.out


def test_packs_spread_over_the_gpus_that_are_seen(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    source = (Path(__file__).parent / "own_task.py.txt").read_text()
    tells = "\nimport os\n\nprint('sees', os.environ['CUDA_VISIBLE_DEVICES'])\n"
    (tmp_path / "mine" / "double.py").write_text(source + tells)
    own = ("suite.task_folder=mine", "suite.tasks=[double]", "suite.samples=2", "study=s")
    packs = "engine.accuracy=0.2,0.5,0.8"
    done = runner("-m", *SCRIPTED, *own, packs, "budget.tokens=50,100", cwd=tmp_path, CUDA_VISIBLE_DEVICES="4,7")
    assert done.code == 0, done.out + done.err
    assert {line for line in done.out.split("\n") if line.endswith(("sees 4", "sees 7"))} == {
        "[GPU 4] sees 4",
        "[GPU 7] sees 7",
    }
    assert done.out.count("loading scripted") == 3
    assert len(table(done)) == 1 + 6


def test_ctrl_c_ends_the_study_and_says_how_to_go_on(tmp_path: Path) -> None:
    process = start("-m", *SMALL, *SLOW, "budget.tokens=200,300", cwd=tmp_path)
    await_samples(tmp_path, 5)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 130, out + err
    assert "Traceback" not in err
    heading, *rows = table(Done(130, out, err))
    states = [row[heading.index("state")] for row in rows]
    assert states[0] == "notbegun"
    assert states[1].startswith("part")
    assert out.rstrip().split("\n")[-1].startswith("to go on: python -m runner -m")


def test_ctrl_c_reaches_packs_on_gpus_once(tmp_path: Path) -> None:
    process = start("-m", *SMALL, *SLOW, "engine.accuracy=0.2,0.5,0.8", cwd=tmp_path, CUDA_VISIBLE_DEVICES="0,1")
    await_samples(tmp_path, 5)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 130, out + err
    assert "Traceback" not in out + err
    assert "to go on: python -m runner -m" in out


def test_packs_on_gpus_finish_when_nobody_reads_what_they_say(tmp_path: Path) -> None:
    process = start("-m", *SMALL, *SLOW, "engine.accuracy=0.2,0.5,0.8", cwd=tmp_path, CUDA_VISIBLE_DEVICES="0,1")
    assert process.stdout is not None
    process.stdout.readline()
    process.stdout.close()  # as `| head -1` does
    try:
        assert process.wait(timeout=120) == 130
    finally:
        process.kill()
    assert process.stderr is not None
    assert "Traceback" not in process.stderr.read()


@pytest.mark.slow
@pytest.mark.parametrize("gpus", ["", "0,1"])
def test_a_killed_study_is_finished_by_the_same_command(gpus: str, tmp_path: Path) -> None:
    asked = ("-m", *SMALL, *SLOW, "budget.tokens=100,200", "engine.accuracy=0.2,0.8")
    moments, killed = random.Random(0), 0
    for _ in range(6):
        process = start(*asked, cwd=tmp_path, CUDA_VISIBLE_DEVICES=gpus)
        time.sleep(moments.uniform(1.0, 5.0))
        process.kill()
        process.communicate()  # ends when the processes of packs have let go of the pipe too
        killed += process.returncode == -signal.SIGKILL
    done = runner(*asked, "engine.step_s=0", cwd=tmp_path, CUDA_VISIBLE_DEVICES=gpus)
    assert done.code == 0, done.out + done.err
    assert killed
    for path in tmp_path.glob("outputs/s/*/generations.jsonl"):
        keys = [json.loads(line)["problem_id"] for line in path.read_bytes().split(b"\n")[:-1]]
        assert len(keys) == len(set(keys)) == 120
    assert len(list(tmp_path.glob("outputs/s/*/summary.json"))) == 4


def await_samples(cwd: Path, count: int) -> None:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        if sum(path.read_bytes().count(b"\n") for path in cwd.glob("outputs/*/*/generations.jsonl")) >= count:
            return
        time.sleep(0.02)
    raise AssertionError("the study did not begin")
