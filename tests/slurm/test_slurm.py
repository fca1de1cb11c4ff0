"""Sweeps on a real SLURM: packed, resumed, preempted; files, exit codes and the accounting agree whatever happens."""

from __future__ import annotations

import json
import re
import signal
from pathlib import Path

import pytest

from tests.end_to_end.command import SCRIPTED, Done
from tests.slurm.cluster import LAUNCHER, SLOW, STUDY, Cluster

pytestmark = [pytest.mark.slurm, pytest.mark.slow]

WAIT = "hydra.launcher.wait=true"
OWN_TASK = (Path(__file__).parents[1] / "end_to_end" / "own_task.py.txt").read_text()


def submitted(done: Done) -> bool:
    return "submitted job" in done.out


def test_24_points_of_2_models_are_4_jobs_that_load_once(cluster: Cluster) -> None:
    swept = '"prompt=standard,concise,step_by_step", "budget.tokens=16,32,64,128"'
    (cluster.folder / "two.yaml").write_text(
        "study: s\ncommon: [tracking=off, suite=basic_math_small, suite.samples=2, 'suite.tasks=[sum,mode]']\npoints:\n"
        f"  - [model=scripted, engine=scripted, {swept}]\n  - [model=thinker, engine=transformers, {swept}]\n"
    )
    asked = ("hydra/launcher=slurm", "sweep=two.yaml", "hydra.launcher.pack_size=8", WAIT)
    done = cluster.type(*asked)
    assert done.code == 0, done.out + done.err + cluster.logs()
    assert cluster.states() == ["COMPLETED|0:0"] * 4
    logs = cluster.logs()
    assert [logs.count(f"loading {model} on") for model in ("scripted", "thinker")] == [2, 2]
    cluster.check(runs=24, samples=4)
    assert "24 points, 0 of them complete" in done.out
    again = cluster.type(*asked)
    assert again.code == 0
    assert not submitted(again)
    assert "24 points, 24 of them complete" in again.out


def test_jobs_that_fail_or_are_cancelled_cost_the_others_nothing(cluster: Cluster) -> None:
    """Points whose samples fail, that exits by itself, that raises, that is cancelled, and one that is done."""
    for folder, end in (("quits", "import os; os._exit(0)"), ("raises", "raise RuntimeError('boom')")):
        written = f"if data > 3 and __import__('os').path.exists('trouble'):\n            {end}\n        return f"
        (cluster.folder / folder).mkdir()
        (cluster.folder / folder / f"{folder}.py").write_text(
            OWN_TASK.replace("return f", written).replace("double", folder).replace("Double", folder.capitalize())
        )
    (cluster.folder / "trouble").touch()
    sweep = {
        "study": "s",
        "common": [*SCRIPTED, "suite.samples=8", "suite.tasks=[sum,mode]"],
        "points": [
            ["engine.accuracy=0.1", "engine.step_s=1"],
            ["engine.accuracy=0.2"],
            ["engine.accuracy=0.3", "suite.task_folder=quits", "suite.tasks=[quits]"],
            ["engine.fail=1.0"],
            ["engine.accuracy=0.4", "suite.task_folder=raises", "suite.tasks=[raises]"],
        ],
    }
    (cluster.folder / "five.yaml").write_text(json.dumps(sweep))
    asked = ("hydra/launcher=slurm", "sweep=five.yaml", WAIT)
    process = cluster.start(*asked)
    cluster.until(lambda: bool(cluster.submissions()) and cluster.submissions()[-1]["job"] is not None)
    cluster.until(lambda: cluster.ask("squeue", "--noheader", "--states=R", f"--jobs={cluster.job()}_0") != [])
    cluster.ask("scancel", f"{cluster.job()}_0")
    out, err = process.communicate(timeout=240)
    assert process.returncode == 1, out + err
    assert "to go on: python -m runner hydra/launcher=slurm sweep=five.yaml" in out
    assert cluster.states() == ["CANCELLED by 0|0:0", "COMPLETED|0:0", "FAILED|1:0", "FAILED|1:0", "FAILED|2:0"]
    status = cluster.type("status", "outputs/s")
    assert status.code == 1
    assert f"job {cluster.job()}_0 cancelled by 0" in status.out
    assert f"job {cluster.job()}_2 failed with exit code 1" in status.out
    assert f"job {cluster.job()}_4 failed with exit code 2" in status.out
    assert re.search(rf"{cluster.job()}_2_0_log.out\n  the pack ended by itself; \d samples are missing", status.out)
    assert "RuntimeError: boom" in status.out
    blind = cluster.type("status", "outputs/s", PATH=cluster.without("sacct"))
    assert f"job {cluster.job()}_0 cancelled or killed" in blind.out
    assert f"job {cluster.job()}_2 failed with exit code 1" in blind.out
    assert "to finish: python -m runner hydra/launcher=slurm sweep=five.yaml" in blind.out
    counts = [len(keys) for keys in cluster.samples().values()]
    assert sorted(counts)[-1] == 16
    (cluster.folder / "trouble").unlink()
    (cluster.folder / "five.yaml").write_text(
        json.dumps(sweep).replace("fail=1.0", "fail=0.0").replace("step_s=1", "step_s=0")
    )
    again = cluster.type(*asked)
    assert again.code == 0, again.out + again.err + cluster.logs()
    assert "5 points, 1 of them complete" in again.out
    assert {len(keys) for keys in cluster.samples().values()} == {8, 16}
    assert cluster.states() == ["COMPLETED|0:0"] * 4


def test_a_job_that_needs_longer_than_its_time_goes_on_in_the_next(cluster: Cluster) -> None:
    slower = (*STUDY, "engine.step_s=0.1", "engine.window=4", "suite.samples=100", "budget.tokens=300")
    asked = (*LAUNCHER, *slower, "hydra.launcher.timeout=1", "hydra.launcher.notice=15", WAIT)
    process = cluster.start(*asked)
    cluster.await_samples(1)
    cluster.until(lambda: cluster.starts() == 2)
    cluster.check_part(200)
    cluster.ask("scancel", f"{cluster.job()}_0")
    assert process.wait(timeout=60) == 1
    done = cluster.type(*asked, "engine.step_s=0")
    assert done.code == 0, done.out + done.err
    cluster.check(runs=1, samples=200)


@pytest.mark.parametrize("partition", ["main", "plain"])
def test_a_preempted_job_goes_on(partition: str, cluster: Cluster) -> None:
    process = cluster.start(
        *LAUNCHER, *STUDY, *SLOW, "budget.tokens=300", f"hydra.launcher.partition={partition}", WAIT
    )
    cluster.await_samples(5)
    cluster.ask("srun", "--partition=urgent", "--nodes=4", "--exclusive", "true")
    out, err = process.communicate(timeout=240)
    assert process.returncode == 0, out + err + cluster.logs()
    assert cluster.starts() == 2
    assert cluster.states() == ["COMPLETED|0:0"]
    cluster.check(runs=1, samples=200)


def test_a_job_whose_node_is_lost_goes_on_elsewhere(cluster: Cluster) -> None:
    process = cluster.start(*LAUNCHER, *STUDY, *SLOW, "budget.tokens=300", WAIT)
    cluster.await_samples(5)
    (node,) = cluster.ask("squeue", "--noheader", f"--jobs={cluster.job()}", "--format=%N")
    cluster.kit("kill-node", node)
    try:
        out, err = process.communicate(timeout=240)
    finally:
        cluster.kit("start-node", node)
    assert process.returncode == 0, out + err + cluster.logs()
    assert cluster.starts() == 2
    assert cluster.states() == ["COMPLETED|0:0"]
    cluster.check(runs=1, samples=200)


def test_a_job_starts_again_a_bounded_number_of_times(cluster: Cluster) -> None:
    asked = (*LAUNCHER, *STUDY, *SLOW, "budget.tokens=300", "hydra.launcher.requeues=0", WAIT)
    process = cluster.start(*asked)
    cluster.await_samples(5)
    cluster.ask("scancel", "--signal=USR2", f"{cluster.job()}_0")
    out, err = process.communicate(timeout=240)
    assert process.returncode == 1, out + err
    assert "1 starts are all that hydra.launcher.requeues=0 allows" in cluster.logs()
    assert cluster.states() == ["FAILED|1:0"]


def test_a_submitter_that_is_killed_or_interrupted_costs_nothing(cluster: Cluster) -> None:
    """The same command comes back to the jobs, submits none twice, and ends as if nothing had been."""
    asked = (*LAUNCHER, *STUDY, *SLOW, "budget.tokens=100,300", "engine.accuracy=0.2,0.8", WAIT)
    process = cluster.start(*asked)
    cluster.await_samples(1)
    process.kill()
    process.communicate()
    process = cluster.start(*asked)
    assert process.stdout is not None
    status = cluster.type("status", "outputs/s")
    assert status.code == 0
    assert f"job {cluster.job()}_0 running on n" in status.out
    while "running on" not in (line := process.stdout.readline()):
        assert line, cluster.logs()
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "the jobs go on" in out
    done = cluster.type(*asked)
    assert done.code == 0, done.out + done.err + cluster.logs()
    assert len(cluster.submissions()) == 1
    assert cluster.states() == ["COMPLETED|0:0"] * 2
    cluster.check(runs=4, samples=200)


def test_shards_of_a_point_are_jobs_and_a_lost_one_is_made_again_alone(cluster: Cluster) -> None:
    asked = (*LAUNCHER, *STUDY, *SLOW, "budget.tokens=100,300", "shards=3")
    done = cluster.type(*asked)
    assert done.code == 0, done.out + done.err
    cluster.until(lambda: len(cluster.ask("squeue", "--noheader", "--states=R", f"--jobs={cluster.job()}")) == 3)
    cluster.await_samples(5)
    first = cluster.job()
    cluster.ask("scancel", f"{first}_1")
    cluster.until(lambda: "1" not in cluster.ask("squeue", "--noheader", "--array", "--format=%K", f"--jobs={first}"))
    again = cluster.type(*asked, WAIT)
    assert again.code == 0, again.out + again.err + cluster.logs()
    assert cluster.submissions()[-1]["shards"] == [[3, 1]]
    assert cluster.states() == ["COMPLETED|0:0"]
    cluster.check(runs=2, samples=200)
    assert {path.name for path in cluster.folder.glob("outputs/s/*/shards/*")} == {"1-of-3", "2-of-3", "3-of-3"}


def test_status_follows_the_jobs_and_ends_them(cluster: Cluster) -> None:
    asked = (*LAUNCHER, *STUDY, "engine.step_s=0.1", "engine.window=4", "suite.samples=100", "budget.tokens=300")
    assert cluster.type(*asked).code == 0
    cluster.await_samples(1)
    status = cluster.type("status", "outputs/s")
    assert status.code == 0
    assert "outputs/s: 1 running" in status.out
    watching = cluster.start("status", "outputs/s", "--watch")
    assert watching.stdout is not None
    while "running on" not in (line := watching.stdout.readline()):
        assert line
    cancelled = cluster.type("status", "outputs/s", "--cancel")
    assert f"cancelled: {cluster.job()}_0" in cancelled.out
    out, err = watching.communicate(timeout=60)
    assert watching.returncode == 1, out + err
    assert "cancelled" in out
    assert "to finish: python -m runner -m hydra/launcher=slurm" in out
    cluster.check_part(200)


def test_a_queued_job_runs_the_program_that_was_submitted(cluster: Cluster) -> None:
    asked = (*LAUNCHER, *STUDY, "suite.samples=2", "budget.tokens=50", "hydra.launcher.sbatch=[--hold]")
    assert cluster.type(*asked).code == 0
    path = cluster.folder / "outputs/s/.slurm" / cluster.name() / "submission.json"
    path.write_text(json.dumps({**json.loads(path.read_bytes()), "source": "another program"}))
    cluster.ask("scontrol", "release", cluster.job())
    assert cluster.states() == ["FAILED|2:0"]
    assert "the program changed after this was submitted: then another program" in cluster.logs()
    # Compiled files show which copy was imported.
    done = cluster.type(*asked[:-1], "hydra.launcher.snapshot=true", WAIT, PYTHONDONTWRITEBYTECODE="")
    assert done.code == 0, done.out + done.err + cluster.logs()
    assert cluster.states() == ["COMPLETED|0:0"]
    assert list((path.parent.parent / cluster.name() / "source").glob("runner/__pycache__/point.*")) != []
    cluster.check(runs=1, samples=4)


def test_the_stock_launcher_works_too(cluster: Cluster) -> None:
    stock = ("-m", "hydra/launcher=submitit_slurm", "hydra.launcher.timeout_min=60", "hydra.launcher.mem_gb=1")
    done = cluster.type(*stock, *STUDY, "suite.samples=2", "budget.tokens=50,100")
    assert done.code == 0, done.out + done.err
    cluster.check(runs=2, samples=4)


def test_a_job_may_submit(cluster: Cluster) -> None:
    """What the outer job was given, its node and its number of tasks, is no matter of the inner one."""
    inner = cluster.start_inside(*LAUNCHER, *STUDY, "suite.samples=2", "budget.tokens=50", WAIT)
    assert inner.code == 0, inner.out + inner.err + cluster.logs()
    assert cluster.states() == ["COMPLETED|0:0"]


def test_what_the_cluster_refuses_is_one_line(cluster: Cluster) -> None:
    done = cluster.type(*LAUNCHER, *STUDY, "hydra.launcher.partition=nowhere")
    assert done.code == 2
    (line,) = done.err.strip().split("\n")
    assert line.startswith("sbatch refuses: ")
    assert "Invalid partition name" in line
    assert not cluster.submissions()
