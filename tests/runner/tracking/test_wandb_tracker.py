"""What the real client sends to a loopback server, and what it does without one."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from wandb_server import EVENTS, HISTORY, WandbServer

SCRIPT = Path(__file__).with_name("track_runs.py")
ROOT = Path(__file__).parents[3]
KEY = "5ec2e7" * 7  # 42 hexadecimal digits
GENERATIONS = '{"text":"kept whole"}\n'


@pytest.fixture
def server() -> Iterator[WandbServer]:
    with WandbServer() as running:
        yield running
    assert running.errors == []


class Outcome:
    """What a tracking process left: urls of its runs and the lines it printed beside them."""

    def __init__(self, stdout: str, stderr: str, code: int | None) -> None:
        assert code == 0, stderr
        self.urls = [json.loads(line) for line in stdout.splitlines()]
        self.lines = stderr.splitlines()


def environment(folder: Path, **extra: str) -> dict[str, str]:
    """Return an environment without the user's own W&B settings, login or home."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("WANDB_", "XDG_", "NETRC"))}
    home = folder / "home"
    home.mkdir(exist_ok=True)
    return {**kept, "HOME": str(home), "PYTHONPATH": str(ROOT), **extra}


def online(folder: Path, url: str) -> dict[str, str]:
    return environment(folder, WANDB_BASE_URL=url, WANDB_API_KEY=KEY)


def launch(env: dict[str, str], folder: Path, runs: list[dict[str, Any]], **asked: Any) -> subprocess.Popen[str]:
    for run in runs:
        run["folder"] = str(run_folder(folder, run["id"]))
    command = [sys.executable, str(SCRIPT), json.dumps({"runs": runs, **asked})]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, env=env, cwd=folder, stdin=pipe, stdout=pipe, stderr=pipe, text=True)


def wait(process: subprocess.Popen[str], typed: str | None = None) -> Outcome:
    try:
        out, err = process.communicate(typed, timeout=90)
    finally:
        process.kill()
    return Outcome(out, err, process.returncode)


def run_folder(folder: Path, run_id: str) -> Path:
    path = folder / run_id
    path.mkdir(exist_ok=True)
    (path / "generations.jsonl").write_text(GENERATIONS)
    return path


def track(env: dict[str, str], folder: Path, *runs: dict[str, Any], **asked: Any) -> Outcome:
    return wait(launch(env, folder, list(runs), **asked))


def sync(env: dict[str, str], folder: Path) -> None:
    (offline,) = folder.glob("wandb/offline-run-*")
    command = [sys.executable, "-m", "wandb", "sync", str(offline)]
    env = {**env, "WANDB_API_KEY": KEY, "WANDB_ERROR_REPORTING": "false"}
    subprocess.run(command, env=env, cwd=folder, check=True, capture_output=True, timeout=90)


def names(folder: Path, pattern: str) -> list[str]:
    return sorted(path.name for path in folder.glob(pattern))


def table_rows(content: bytes) -> list[dict[str, Any]]:
    table = json.loads(content)
    return [dict(zip(table["columns"], row, strict=True)) for row in table["data"]]


def test_an_online_run_arrives_whole(server, tmp_path):
    outcome = track(
        online(tmp_path, server.url), tmp_path, {"id": "run-1", "tags": ["greedy"]}, settings={"tags": ["mine"]}
    )
    run = server.runs["run-1"]
    assert run.fields == {"displayName": "a run", "groupName": "study", "tags": ["greedy", "mine"]}
    assert run.config["model"]["value"] == {"name": "m", "revision": None, "a_b": 1}
    assert run.summary["tasks"] == {"sum": {"accuracy": 0.5, "missing": None, "nan": None}}
    assert any("system.cpu" in line or "system.memory" in line for line in run.lines(EVENTS))
    assert run.exit_code == 0
    assert outcome.urls == [f"{server.url}/team/thinkmeter/runs/run-1"]
    assert outcome.lines == []  # the client itself prints nothing
    assert not [path for path in [*run.files, *server.uploads] if path.endswith(("output.log", ".py", ".patch"))]


def test_traces_arrive_trimmed_in_a_table_and_whole_in_an_artifact(server, tmp_path):
    track(online(tmp_path, server.url), tmp_path, {"id": "run-1"}, settings={"trace_rows": 4})
    rows = table_rows(server.uploaded("traces.table.json"))
    assert len(rows) == 4
    assert rows[0]["thinking"].startswith("? wait")
    assert rows[0]["thinking"].endswith("[+3000 characters]")
    assert rows[0]["extracted"] is None
    assert server.artifacts["traces-run-1"] == "traces"
    assert server.uploaded("generations.jsonl").decode() == GENERATIONS
    kept = [path.read_text(errors="ignore") for path in tmp_path.rglob("*") if path.is_file()]
    assert kept.count(GENERATIONS) == 1  # no copy is left, neither here nor in a cache


def test_traces_that_fail_cost_a_warning(server, tmp_path):
    outcome = track(online(tmp_path, server.url), tmp_path, {"id": "run-1", "samples": 0})
    assert outcome.lines == ["W&B: the traces are not logged: ZeroDivisionError: integer modulo by zero"]
    assert server.runs["run-1"].exit_code == 0


def test_a_second_attempt_continues_the_same_run(server, tmp_path):
    env = online(tmp_path, server.url)
    track(env, tmp_path, {"id": "run-1", "exit_code": 1})
    track(env, tmp_path, {"id": "run-1", "accuracy": 0.75, "samples": 40})
    (run,) = server.runs.values()
    assert run.starts == 2
    assert run.exit_code == 0
    assert run.config["samples"]["value"] == 40
    assert run.summary["tasks"]["sum"]["accuracy"] == 0.75
    assert [json.loads(line)["_step"] for line in run.lines(HISTORY)] == [0, 1]


def test_runs_of_one_process_are_each_finished_beside_a_users_own(server, tmp_path):
    runs = [{"id": "one", "accuracy": 0.1}, {"id": "two", "exit_code": 3}]
    env = {**online(tmp_path, server.url), "WANDB_ERROR_REPORTING": "false"}  # that of the user's run
    track(env, tmp_path, *runs, beside=True)
    assert {name: run.exit_code for name, run in server.runs.items()} == {"one": 0, "two": 3}
    assert server.runs["one"].summary["tasks"]["sum"]["accuracy"] == 0.1


def test_long_and_odd_names_arrive_cut(server, tmp_path):
    tags = ["é" * 300, "é" * 299, "a,b=c", "a,b=c"]
    outcome = track(online(tmp_path, server.url), tmp_path, {"id": "a" * 64, "name": "模型/" * 100, "tags": tags})
    fields = server.runs["a" * 64].fields
    assert len(fields["displayName"]) == 128
    assert [len(tag) for tag in fields["tags"]] == [64, 64, 5]
    assert outcome.lines == []


def test_the_key_is_written_nowhere(server, tmp_path):
    track(online(tmp_path, server.url), tmp_path, {"id": "run-1"})
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert any(path.suffix == ".wandb" for path in files)
    assert [path for path in files if KEY.encode() in path.read_bytes()] == []
    assert not any(KEY.encode() in content for content in server.uploads.values())
    assert KEY not in json.dumps(server.runs["run-1"].config)


def test_a_login_in_netrc_is_a_login(server, tmp_path):
    env = environment(tmp_path, WANDB_BASE_URL=server.url)
    login = f"machine {server.url.removeprefix('http://')} login user password {KEY}\n"
    Path(env["HOME"], ".netrc").write_text(login)
    Path(env["HOME"], ".netrc").chmod(0o600)
    track(env, tmp_path, {"id": "run-1"})
    assert server.runs["run-1"].finished


def test_without_a_login_runs_stay_in_their_folders_and_sync_later(server, tmp_path):
    env = environment(tmp_path, WANDB_BASE_URL=server.url)
    outcome = track(env, tmp_path, {"id": "one"}, {"id": "two"})
    assert outcome.urls == [None, None]
    assert len(outcome.lines) == 1
    assert "no login" in outcome.lines[0]
    assert server.runs == {}
    assert sorted(path.relative_to(tmp_path).parts[0] for path in tmp_path.rglob("staging")) == ["one", "two"]

    (tmp_path / "one" / "generations.jsonl").write_text("grown since\n")
    sync(env, tmp_path / "one")
    assert server.runs["one"].summary["tasks"]["sum"]["accuracy"] == 0.5
    assert server.uploaded("generations.jsonl").decode() == GENERATIONS


@pytest.mark.parametrize(("mode", "folders"), [("offline", 1), ("disabled", 0)])
def test_the_environment_decides_for_mode_auto(server, tmp_path, mode, folders):
    outcome = track({**online(tmp_path, server.url), "WANDB_MODE": mode}, tmp_path, {"id": "run-1"})
    assert outcome.lines == []
    assert server.runs == {}
    assert len(names(tmp_path, "run-1/wandb/offline-run-*")) == folders


@pytest.mark.parametrize("listens", [False, True], ids=["refused", "silent"])
def test_an_unreachable_server_is_tried_once_then_runs_stay_offline(tmp_path, listens):
    with socket.socket() as port:
        port.bind(("127.0.0.1", 0))
        if listens:
            port.listen()
        env = online(tmp_path, f"http://127.0.0.1:{port.getsockname()[1]}")
        outcome = track(env, tmp_path, {"id": "one"}, {"id": "two"}, limits={"init_timeout_s": 2})
    assert len(outcome.lines) == 1
    assert "offline" in outcome.lines[0]
    assert len(names(tmp_path, "*/wandb/offline-run-*")) == 2
    assert names(tmp_path, "two/wandb/run-*") == []


def test_a_client_that_breaks_costs_warnings_not_the_run(server, tmp_path):
    process = launch(online(tmp_path, server.url), tmp_path, [{"id": "one"}, {"id": "two"}], pause=True)
    process.stdout.readline()
    server.broken = True  # such answers kill the client's background process
    outcome = wait(process, "\n\n")
    assert any(line.startswith("W&B: ") for line in outcome.lines)
    assert names(tmp_path, "two/wandb/*run-*-two") != []


def test_a_server_that_fails_during_a_run_does_not_hold_it(server, tmp_path):
    env = {**online(tmp_path, server.url), "WANDB_HTTP_TIMEOUT": "1"}
    process = launch(env, tmp_path, [{"id": "one"}, {"id": "two"}], pause=True, limits={"finish_timeout_s": 1})
    process.stdout.readline()
    server.status = 503
    outcome = wait(process, "\n\n")
    assert "wandb sync" in outcome.lines[-1]
    assert names(tmp_path, "*/wandb/offline-run-*") != []
    assert set(server.runs) == {"one"}
