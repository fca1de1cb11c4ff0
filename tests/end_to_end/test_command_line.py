"""What a user types, on the scripted engine: exit codes, folders, one clear line for each mistake."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pandas as pd
import pytest

import runner as package
from tests.end_to_end.command import SCRIPTED, environment, only_run, runner, start


def test_a_run_ends_with_a_table_and_running_again_generates_nothing(tmp_path: Path) -> None:
    first = runner(*SCRIPTED, "suite.samples=3", cwd=tmp_path)
    assert first.code == 0, first.err
    assert "all tasks" in first.out
    run = only_run(tmp_path)
    assert {"run.json", "settings.yaml", "generations.jsonl", "token_ids.u32", "summary.json"} <= set(os.listdir(run))
    stored = (run / "generations.jsonl").read_bytes()
    again = runner(*SCRIPTED, "suite.samples=3", cwd=tmp_path)
    assert again.code == 0
    assert "nothing to generate" in again.out
    assert (run / "generations.jsonl").read_bytes() == stored


def test_raising_samples_grows_the_same_run(tmp_path: Path) -> None:
    assert runner(*SCRIPTED, "suite.samples=2", cwd=tmp_path).code == 0
    assert runner(*SCRIPTED, "suite.samples=4", "suite.tasks=[sum,mode]", "engine.window=3", cwd=tmp_path).code == 0
    lines = (only_run(tmp_path) / "generations.jsonl").read_bytes().split(b"\n")
    assert len(lines) - 1 == 2 * 14 + 2 * 2


def test_another_temperature_gets_another_folder(tmp_path: Path) -> None:
    for temperature in ("0.1", "0.5"):
        assert runner(*SCRIPTED, "suite.samples=1", f"sampling.temperature={temperature}", cwd=tmp_path).code == 0
    assert len(list((tmp_path / "outputs" / "single").glob("*/run.json"))) == 2


def test_failed_samples_are_kept_apart_and_tried_again(tmp_path: Path) -> None:
    partial = runner(*SCRIPTED, "suite.samples=4", "engine.fail=0.3", cwd=tmp_path)
    assert partial.code == 1
    assert "PARTIAL" in partial.out
    assert "to go on: python -m runner" in partial.out
    summary = json.loads((only_run(tmp_path) / "summary.json").read_text())
    low, high = summary["overall"]["accuracy_bounds"]
    assert low < summary["overall"]["accuracy"] < high
    status = runner("status", "outputs/single", cwd=tmp_path)
    assert status.code == 1
    assert "to finish: python -m runner" in status.out
    assert runner(*SCRIPTED, "suite.samples=4", cwd=tmp_path).code == 0
    assert runner("status", "outputs/single", cwd=tmp_path).code == 0
    frame = package.load(tmp_path / "outputs" / "single")
    assert len(frame) == 56
    assert not frame.duplicated(["problem_id", "repeat"]).any()


def test_the_engine_may_die_in_the_middle(tmp_path: Path) -> None:
    died = runner(*SCRIPTED, "suite.samples=3", "engine.die_at=10", cwd=tmp_path)
    assert died.code == 0, died.out + died.err
    assert len(package.load(tmp_path / "outputs" / "single")) == 42


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["model=smolm2_135m"], "Did you mean smollm2_135m"),
        ([*SCRIPTED, "suite.tasks=[summ]"], "sum"),
        ([*SCRIPTED, "budget.tokens=0"], "budget.tokens=0"),
        ([*SCRIPTED, "budget.tokens=9000"], "context"),
        ([*SCRIPTED, "budget.tokenz=5"], "budget.tokens"),
        ([*SCRIPTED, "suite.low=5", "suite.high=1"], "low"),
        ([*SCRIPTED, "suite.task_folder=nowhere"], "suite.task_folder"),
        ([*SCRIPTED, "+engine.task_accuracy.smu=0.5"], "Did you mean sum"),
        ([*SCRIPTED, "model.chat_template=nowhere"], "model.chat_template='nowhere'"),
        (["model="], "model=: nothing given"),
        (["engine=[auto,vlm]"], "engine=vlm: no such option"),
        (["model=scripted"], "engine=scripted"),
        (["engine=scripted"], "model=scripted"),
        (["engine=vllm"], "pip install -e '.[vllm]'"),
        (["engine=vllm", "engine.max_model_len=99999"], "engine.max_model_len=99999"),
        (["engine=transformers", "precision=fp16"], "use precision=fp32"),
        (["--nonsense"], "--nonsense"),
        (["stauts", "outputs/none"], "Did you mean status"),
        (["show", "outputs/none", "sum"], "outputs/none"),
        (["status", "outputs/none"], "outputs/none"),
        (["tasks", "--show", "summ"], "Did you mean sum"),
    ],
)
def test_a_mistake_ends_in_one_clear_line_and_exit_code_2(arguments: list[str], says: str, tmp_path: Path) -> None:
    done = runner(*arguments, cwd=tmp_path)
    assert done.code == 2, done.out + done.err
    assert says in done.err
    assert "Traceback" not in done.err
    assert not (tmp_path / "outputs").exists()


@pytest.mark.parametrize("study", ["a b", "../../up", "/etc/x", "ä=ö", "x" * 300, ".hidden"])
def test_no_name_leaves_outputs(study: str, tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    done = runner(*SCRIPTED, "suite.samples=1", "suite.tasks=[sum]", f"study='{study}'", cwd=inside)
    assert done.code == 0, done.err
    assert os.listdir(tmp_path) == ["inside"]
    assert os.listdir(inside) == ["outputs"]
    (folder,) = (inside / "outputs").iterdir()
    assert len(folder.name) <= 100
    assert folder.name.isascii()


def test_a_full_disk_is_one_line_and_costs_only_what_did_not_fit(tmp_path: Path) -> None:
    full = runner(*SCRIPTED, "suite.samples=20", cwd=tmp_path, file_limit=100_000)
    assert full.code == 1
    assert "generations.jsonl" in full.err or "token_ids" in full.err
    assert "Traceback" not in full.err
    assert runner(*SCRIPTED, "suite.samples=20", cwd=tmp_path).code == 0
    assert len(package.load(tmp_path / "outputs" / "single")) == 280


def test_a_broken_setup_is_told_early(tmp_path: Path) -> None:
    cut = runner(*SCRIPTED, "suite.samples=5", "engine.overrun=1.0", "budget.tokens=50", cwd=tmp_path)
    assert "Warning: 50 of the first 50 samples were cut off" in cut.out.replace("\n", " ")
    fine = runner(*SCRIPTED, "suite.samples=5", cwd=tmp_path)
    assert "Warning" not in fine.out


def test_a_folder_of_another_machine_is_not_gone_on_with(tmp_path: Path) -> None:
    assert runner(*SCRIPTED, "suite.samples=1", cwd=tmp_path).code == 0
    run_json = only_run(tmp_path) / "run.json"
    run_json.write_text(run_json.read_text().replace('"compute_dtype": "none"', '"compute_dtype": "bfloat16"'))
    refused = runner(*SCRIPTED, "suite.samples=2", cwd=tmp_path)
    assert refused.code == 2
    assert "study=NAME" in refused.err


def test_an_installed_copy_has_all_it_needs(tmp_path: Path) -> None:
    root = Path(__file__).resolve().parents[2]
    wheel = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "-q",
        "--no-deps",
        "--no-build-isolation",
        "-w",
        str(tmp_path),
        str(root),
    ]
    subprocess.run(wheel, check=True)
    (built,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(built) as archive:
        archive.extractall(tmp_path / "site")
        assert {"hydra_plugins/thinkmeter/local.py", "runner/sweeps/token_budget.yaml"} <= set(archive.namelist())
    done = runner(*SCRIPTED, "suite.samples=1", cwd=tmp_path, PYTHONPATH=str(tmp_path / "site"))
    assert done.code == 0, done.err
    found = [sys.executable, "-c", "import runner; print(runner.__file__)"]
    where = subprocess.run(found, cwd=tmp_path, env=environment(PYTHONPATH=str(tmp_path / "site")), capture_output=True)
    assert str(tmp_path).encode() in where.stdout


def test_plan_says_what_would_be_done_and_does_nothing(tmp_path: Path) -> None:
    done = runner(*SCRIPTED, "suite.samples=5", "plan=true", cwd=tmp_path)
    assert done.code == 0
    assert "70, of which 70 are missing" in done.out
    assert "detectable difference" in done.out
    assert not (tmp_path / "outputs").exists()
    runner(*SCRIPTED, "suite.samples=2", cwd=tmp_path)
    assert "70, of which 42 are missing" in runner(*SCRIPTED, "suite.samples=5", "plan=true", cwd=tmp_path).out


def test_a_sweep_names_its_study_after_what_it_sweeps(tmp_path: Path) -> None:
    for _ in range(2):
        done = runner("-m", *SCRIPTED, "suite.samples=1", "budget.tokens=50,100,null", cwd=tmp_path)
        assert done.code == 0, done.err
    (study,) = (path for path in (tmp_path / "outputs").iterdir() if path.name.startswith("adhoc-"))
    assert len(list(study.glob("*/summary.json"))) == 3


def test_all_points_are_checked_before_the_first_starts(tmp_path: Path) -> None:
    done = runner("-m", *SCRIPTED, "suite.samples=1", "budget.tokens=50,9000,0,100", cwd=tmp_path)
    assert done.code == 2
    too_long, too_short = done.err.strip().split("\n")
    assert "budget.tokens=9000 " in too_long
    assert "holds 8192 tokens" in too_long
    assert "budget.tokens=0: input should be greater than 0" in too_short
    assert not list(tmp_path.glob("outputs/*/*/run.json"))


def test_a_failing_point_does_not_stop_the_others(tmp_path: Path) -> None:
    assert runner(*SCRIPTED, "suite.samples=1", "budget.tokens=50", "study=s", cwd=tmp_path).code == 0
    generations = only_run(tmp_path, "s") / "generations.jsonl"
    generations.unlink()
    generations.mkdir()
    done = runner("-m", *SCRIPTED, "suite.samples=1", "budget.tokens=50,100", "study=s", cwd=tmp_path)
    assert done.code == 1
    assert str(generations.relative_to(tmp_path)) in done.err
    assert len(list((tmp_path / "outputs" / "s").glob("*/summary.json"))) == 2


def test_the_same_settings_typed_otherwise_are_the_same_run(tmp_path: Path) -> None:
    for greedy in (["sampling=greedy"], ["sampling.temperature=0", "sampling.top_p=1"]):
        assert runner(*SCRIPTED, *greedy, "suite.samples=1", cwd=tmp_path).code == 0
    only_run(tmp_path)


def test_show_takes_whole_numbers(tmp_path: Path) -> None:
    assert runner(*SCRIPTED, "suite.samples=15", "suite.tasks=[sum]", cwd=tmp_path).code == 0
    shown = runner("show", "outputs/single", "sum:0:0:1", cwd=tmp_path)
    assert "sum:0:0:1:" in shown.out


@pytest.mark.parametrize("name", ["x[/b]", "[bold]", "[/]"])
def test_names_are_no_markup(name: str, tmp_path: Path) -> None:
    asked = [*SCRIPTED, "suite.samples=1", f"outputs='{name}'", f"model.name='{name}'"]
    assert runner(*asked, "plan=true", cwd=tmp_path).code == 0
    assert runner(*asked, cwd=tmp_path).code == 0
    status = runner("status", f"{name}/single", cwd=tmp_path)
    assert status.code == 0, status.err
    assert name in status.out


def test_a_run_without_its_identity_is_not_spoken_for(tmp_path: Path) -> None:
    asked = [*SCRIPTED, "suite.samples=1", "suite.tasks=[sum]"]
    assert runner(*asked, cwd=tmp_path).code == 0
    (only_run(tmp_path) / "run.json").unlink()
    refused = runner(*asked, cwd=tmp_path)
    assert refused.code == 2
    assert "no run.json" in refused.err


@pytest.mark.parametrize("redirection", [">&-", "2>&-", "<&-", "| head -1", ">&- 2>&-"])
def test_closed_streams_cost_nothing(redirection: str, tmp_path: Path) -> None:
    typed = shlex.join([sys.executable, "-m", "runner", *SCRIPTED, "suite.samples=1", "suite.tasks=[sum]"])
    done = subprocess.run(
        ["bash", "-c", f"{typed} {redirection}"], cwd=tmp_path, env=environment(), capture_output=True
    )
    assert b"Traceback" not in done.stderr + done.stdout
    assert done.returncode == 0
    lines = (only_run(tmp_path) / "generations.jsonl").read_bytes().split(b"\n")
    assert [json.loads(line)["task"] for line in lines[:-1]] == ["sum"]


def test_an_ascii_terminal_gets_its_table(tmp_path: Path) -> None:
    done = runner(
        *SCRIPTED, "suite.samples=1", "suite.tasks=[sum]", cwd=tmp_path, PYTHONIOENCODING="ascii", COLUMNS="0"
    )
    assert done.code == 0, done.err
    assert "all tasks" in done.out


def test_an_early_ctrl_c_is_no_traceback(tmp_path: Path) -> None:
    for moment in (0.2, 0.5, 0.9):
        process = start(*SCRIPTED, "suite.samples=500", "engine.step_s=0.1", cwd=tmp_path)
        time.sleep(moment)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        assert process.returncode == 130, out + err
        assert "Traceback" not in err


def test_sigterm_ends_cleanly(tmp_path: Path) -> None:
    process = start(*SCRIPTED, "suite.samples=20", "engine.step_s=0.02", "engine.window=4", cwd=tmp_path)
    _await_lines(tmp_path, 5)
    process.terminate()
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, out + err
    assert "SIGTERM: finishing" in out


def test_ctrl_c_keeps_what_is_there_and_says_how_to_go_on(tmp_path: Path) -> None:
    slow = [*SCRIPTED, "suite.samples=20", "engine.step_s=0.02", "engine.window=4"]
    process = start(*slow, cwd=tmp_path)
    _await_lines(tmp_path, 5)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, out + err
    assert "to go on: python -m runner" in out
    assert "Traceback" not in err
    assert runner(*SCRIPTED, "suite.samples=20", cwd=tmp_path).code == 0
    assert len(package.load(tmp_path / "outputs" / "single")) == 280


def test_a_second_writer_is_told_who_holds_the_folder(tmp_path: Path) -> None:
    process = start(*SCRIPTED, "suite.samples=50", "engine.step_s=0.02", "engine.window=2", cwd=tmp_path)
    _await_lines(tmp_path, 1)
    second = runner(*SCRIPTED, "suite.samples=50", cwd=tmp_path)
    status = runner("status", "outputs/single", cwd=tmp_path)
    process.kill()
    process.communicate()
    assert second.code == 2
    assert str(process.pid) in second.err
    assert "running" in status.out


def test_odd_bytes_survive_the_whole_way(tmp_path: Path) -> None:
    done = runner(*SCRIPTED, "suite.samples=2", "engine.odd_bytes=1.0", "engine.accuracy=1.0", cwd=tmp_path)
    assert done.code == 0, done.err
    run = only_run(tmp_path)
    texts = [
        json.loads(line)["turns"][0]["text"] for line in (run / "generations.jsonl").read_bytes().split(b"\n")[:-1]
    ]
    assert all("\u2028\u0085\x00\ud800\r\n" in text for text in texts)
    shown = runner(
        "show", str(run), json.loads((run / "generations.jsonl").open().readline())["problem_id"], cwd=tmp_path
    )
    assert shown.code == 0, shown.err
    assert "\x00" not in shown.out


def test_show_tells_prompt_thinking_answer_and_verdict(tmp_path: Path) -> None:
    runner(*SCRIPTED, "suite.samples=2", "engine.accuracy=0.0", cwd=tmp_path)
    done = runner("show", "outputs/single", "sum", cwd=tmp_path)
    assert done.code == 0, done.err
    for part in ("What is the sum", "thinking,", "answer,", "incorrect", "rule boxed", "gold"):
        assert part in done.out


def test_load_is_a_frame_with_a_row_a_sample(tmp_path: Path) -> None:
    runner(*SCRIPTED, "suite.samples=2", "suite.repeats=2", cwd=tmp_path)
    frame = package.load(tmp_path / "outputs" / "single")
    assert isinstance(frame, pd.DataFrame)
    assert len(frame) == 56
    assert set(frame["task"]) == set(package.summary(tmp_path / "outputs" / "single")["task"]) - {"overall"}


def test_an_own_task_file_is_asked_graded_and_shown(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    source = (Path(__file__).parent / "own_task.py.txt").read_text()
    (tmp_path / "mine" / "double.py").write_text(source)
    own = ["suite.task_folder=mine", "suite.tasks=[double]", "suite.samples=3", "engine.accuracy=1.0"]
    done = runner(*SCRIPTED, *own, cwd=tmp_path)
    assert done.code == 0, done.err
    assert set(package.load(tmp_path / "outputs" / "single")["outcome"]) == {"correct"}
    assert "Double" in runner("show", "outputs/single", "double:0:0:0", cwd=tmp_path).out
    assert "nothing to generate" in runner(*SCRIPTED, *own, cwd=tmp_path).out
    (tmp_path / "mine" / "double.py").write_text(source + "\n# edited\n")
    assert "of which 3 are missing" in runner(*SCRIPTED, *own, "plan=true", cwd=tmp_path).out


def test_an_own_task_never_shares_a_folder_with_the_suite_alone(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    source = (Path(__file__).parent / "own_task.py.txt").read_text()
    (tmp_path / "mine" / "double.py").write_text(source)
    for asked in (["suite.tasks=[sum]"], ["suite.task_folder=mine", "suite.tasks=[sum,double]"]):
        assert runner(*SCRIPTED, *asked, "suite.samples=1", cwd=tmp_path).code == 0
    sizes = [
        len(package.load(run)) for run in (tmp_path / "outputs" / "single").iterdir() if (run / "run.json").exists()
    ]
    assert sorted(sizes) == [1, 2]


@pytest.mark.parametrize("command", [["doctor"], ["models"], ["tasks"], ["--help"], []])
def test_looking_needs_no_run(command: list[str], tmp_path: Path) -> None:
    done = runner(*command, cwd=tmp_path)
    assert done.code in (0, 1 if command == ["doctor"] else 0), done.err
    assert len(done.out) > 200
    assert not (tmp_path / "outputs").exists()


def test_a_plan_is_made_where_the_point_itself_cant_run(tmp_path: Path) -> None:
    done = runner("model=qwen3_8b", "engine=vllm", "precision=fp16", "plan=true", cwd=tmp_path)
    assert done.code == 0, done.err
    assert "1400 are missing" in done.out
    assert "not on this machine: engine=vllm is not installed here" in done.out
    assert "not on this machine: precision=fp16" in done.out


def test_a_plan_says_that_an_unfinished_run_tells_little(tmp_path: Path) -> None:
    started = start(*SCRIPTED, "suite.samples=500", "engine.step_s=0.05", cwd=tmp_path)
    _await_lines(tmp_path, 20)
    started.send_signal(signal.SIGINT)
    started_out, _ = started.communicate(timeout=60)
    assert "of 7000 samples; short texts end first" in started_out
    plan = runner(*SCRIPTED, "suite.samples=600", "engine.step_s=0.05", "plan=true", cwd=tmp_path)
    assert "of its 7000 samples, the short ones come first" in " ".join(plan.out.replace("│", " ").split())


def test_what_is_broken_off_before_the_first_answer_shows_no_empty_table(tmp_path: Path) -> None:
    started = start(*SCRIPTED, "suite.samples=5", "engine.step_s=30", cwd=tmp_path)
    deadline = time.monotonic() + 60
    while not list(tmp_path.glob("outputs/*/*/generations.jsonl")) and time.monotonic() < deadline:
        time.sleep(0.1)
    time.sleep(1)
    started.send_signal(signal.SIGINT)
    out, _ = started.communicate(timeout=120)
    assert started.returncode == 130
    assert "not finished: none of 70 samples" in out
    assert "┃" not in out


def _await_lines(cwd: Path, count: int) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        for path in cwd.glob("outputs/*/*/generations.jsonl"):
            if path.read_bytes().count(b"\n") >= count:
                return
        time.sleep(0.02)
    raise AssertionError("the run did not begin")


def test_a_run_of_another_version_is_one_line(tmp_path: Path) -> None:
    asked = [*SCRIPTED, "suite.samples=1", "suite.tasks=[sum]"]
    assert runner(*asked, cwd=tmp_path).code == 0
    run_json = only_run(tmp_path) / "run.json"
    run_json.write_text(run_json.read_text().replace('"interpolate"', '"interpolates"').replace('"folds"', '"foldz"'))
    for command in (["status", "outputs/single"], ["show", str(run_json.parent), "sum:0:0:0"]):
        done = runner(*command, cwd=tmp_path)
        assert done.code == 2
        assert "Traceback" not in done.err


def test_what_the_program_warns_of_reaches_the_terminal(tmp_path: Path) -> None:
    asked = [*SCRIPTED, "suite.tasks=[sum]"]
    assert runner(*asked, "suite.samples=1", cwd=tmp_path).code == 0
    generations = only_run(tmp_path) / "generations.jsonl"
    generations.write_text("garbage\n" + generations.read_text())
    for multirun in ([], ["-m", "study=single"]):
        done = runner(*multirun, *asked, "suite.samples=2", cwd=tmp_path)
        assert done.code == 0, done.err
        assert "1 lines are no records" in done.out + done.err
