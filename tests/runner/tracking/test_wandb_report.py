"""The comparison report: what the real client sends to a loopback server, and what lies beside the page without one."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from test_wandb_tracker import environment, online
from wandb_server import ENTITY, WandbServer

ASKED = (
    "model=scripted", "engine=scripted", "study=s", "suite.tasks=[sum,mode]", "suite.samples=3",
    "budget.tokens=40,80", "tracking.trace_rows=0", "tracking.mode=offline",
)  # fmt: skip


@pytest.fixture
def server() -> Iterator[WandbServer]:
    with WandbServer() as running:
        yield running
    assert running.errors == []


def runner(env: dict[str, str], cwd: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "runner", *arguments]
    return subprocess.run(command, env=env, cwd=cwd, capture_output=True, text=True, timeout=300)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a study of two runs, tracked offline."""
    folder = tmp_path_factory.mktemp("wandb_report")
    done = runner(environment(folder), folder, "-m", *ASKED)
    assert done.returncode == 0, done.stderr
    return folder


def panels(spec: dict[str, Any]) -> list[dict[str, Any]]:
    (grid,) = (block for block in spec["blocks"] if block["type"] == "panel-grid")
    return grid["metadata"]["panelBankSectionConfig"]["panels"]


def test_offline_the_report_lies_beside_the_page(place: Path) -> None:
    done = runner(environment(place), place, "report", "outputs/s", "--wandb")
    assert done.returncode == 0, done.stderr
    spec = json.loads((place / "outputs/s/report/wandb-report.json").read_text("utf-8"))["spec"]
    spec = json.loads(spec) if isinstance(spec, str) else spec
    assert [panel["viewType"] for panel in panels(spec)] == [
        "Scatter Plot", "Scatter Plot", "Parallel Coordinates Plot", "Run Comparer",
    ]  # fmt: skip
    text = json.dumps(spec)
    assert "config:budget.value.tokens" in text
    assert "summary:accuracy" in text
    assert "Most accurate" in text
    assert "95 % interval" in text


def test_online_it_is_saved_with_the_runs_of_the_study(place: Path, server: WandbServer) -> None:
    settings = place / "outputs/s"
    for run in settings.glob("*/run.json"):  # as if they had been made with a login
        run.write_text(run.read_text().replace('"mode": "offline"', '"mode": "auto"'))
    done = runner(online(place, server.url), place, "report", "outputs/s", "--wandb")
    assert done.returncode == 0, done.stderr
    assert f"W&B report: {server.url}/{ENTITY}/thinkmeter/reports/" in done.stdout
    (view,) = server.views
    spec = json.loads(view["spec"])
    (grid,) = (block for block in spec["blocks"] if block["type"] == "panel-grid")
    (runs,) = grid["metadata"]["runSets"]
    assert runs["project"]["name"] == "thinkmeter"
    assert '"group"' in json.dumps(runs["filters"])
    assert '"s"' in json.dumps(runs["filters"])


def test_a_server_that_fails_leaves_the_files_and_one_line(place: Path, server: WandbServer) -> None:
    server.broken = True
    done = runner(online(place, server.url), place, "report", "outputs/s", "--wandb")
    assert done.returncode == 0, done.stderr
    assert "the report is not saved on 127.0.0.1" in done.stdout + done.stderr
    assert (place / "outputs/s/report/wandb-report.json").exists()


def test_a_study_that_was_not_tracked_is_refused(tmp_path: Path) -> None:
    env = environment(tmp_path)
    asked = [word for word in ASKED if not word.startswith(("tracking", "budget"))]
    assert runner(env, tmp_path, *asked, "tracking=off").returncode == 0
    done = runner(env, tmp_path, "report", "outputs/s", "--wandb")
    assert done.returncode == 2
    assert "tracking=wandb" in done.stderr
