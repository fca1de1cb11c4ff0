"""One writer a folder; the second is told who holds it, and a killed one holds nothing."""

from __future__ import annotations

import errno
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from runner.errors import StorageError, UserError
from runner.results import lock
from runner.results.layout import RunFolder
from runner.results.lock import LASTS_S, FolderLock, current_holder
from runner.results.store import GenerationStore

# Takes the lock, forks a child if asked to, says so, and waits to be killed.
HOLDER = """
import os, sys, time
from pathlib import Path
from runner.results.lock import FolderLock
with FolderLock(Path(sys.argv[1])):
    child = os.fork() if sys.argv[2] == "fork" else -1
    if child != 0:
        print(child, flush=True)
    time.sleep(600)
"""


def test_a_second_writer_is_told_who_holds_the_folder(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "run")
    with GenerationStore(folder):
        with pytest.raises(UserError) as refused, GenerationStore(folder):
            pass
        holder = current_holder(folder.lock)
    assert holder is not None
    assert (holder.host, holder.pid) == (socket.gethostname(), os.getpid())
    for part in (str(folder.path), str(os.getpid()), socket.gethostname(), "study="):
        assert part in str(refused.value)


def test_a_folder_is_free_after_its_writer(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "run")
    for _ in range(2):
        with GenerationStore(folder):
            pass
    assert current_holder(folder.lock) is None


@pytest.mark.parametrize("fork", ["alone", "fork"])
def test_a_killed_writer_holds_nothing_even_if_its_child_lives(tmp_path: Path, fork: str) -> None:
    path = tmp_path / "lock"
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, path, fork], stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    child = int(holder.stdout.readline())
    try:
        with pytest.raises(UserError, match=str(holder.pid)), FolderLock(path):
            pass
        holder.kill()
        holder.wait()
        assert current_holder(path) is None
        with FolderLock(path):
            pass
    finally:
        holder.kill()
        holder.wait()
        holder.stdout.close()
        if child > 0:
            os.kill(child, signal.SIGKILL)


def claim_of_another_node(path: Path, silent_s: float, **changes: str) -> Path:
    """Leave what a holder on another node leaves, heard of so long ago."""
    claim = path.with_name(f"{path.name}.7")
    holder = {"host": "far", "pid": 1, "since": "2026-01-01", "kernel": "another", "cluster": "", "job": ""}
    claim.write_text(json.dumps({**holder, **changes}))
    heard = time.time() - silent_s
    os.utime(claim, (heard, heard))
    return claim


def test_a_holder_on_another_node_is_believed_as_long_as_it_shows_signs_of_life(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    claim_of_another_node(path, silent_s=LASTS_S / 2)
    with pytest.raises(UserError, match=r"process 1 on far .* free 120 s later"), FolderLock(path):
        pass
    assert current_holder(path) is not None
    claim_of_another_node(path, silent_s=LASTS_S + 1)
    assert current_holder(path) is None
    with FolderLock(path):
        assert [each.name for each in tmp_path.iterdir()] == ["lock.8"]


def test_a_holder_whose_job_the_cluster_no_longer_knows_is_dead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What squeue says of a job that ended, and of one that runs."""
    path = tmp_path / "lock"
    squeue = tmp_path / "bin" / "squeue"
    squeue.parent.mkdir()
    squeue.write_text('#!/bin/sh\ncase "$*" in *--jobs=5) echo RUNNING;; *) echo Invalid job id >&2; exit 1;; esac\n')
    squeue.chmod(0o755)
    monkeypatch.setenv("PATH", str(squeue.parent), prepend=os.pathsep)
    monkeypatch.setenv("SLURM_CLUSTER_NAME", "ours")
    for cluster, job, free in (("ours", "5", False), ("theirs", "4", False), ("ours", "4", True)):
        claim_of_another_node(path, silent_s=LASTS_S / 2, cluster=cluster, job=job)
        if free:
            with FolderLock(path):
                pass
        else:
            with pytest.raises(UserError, match=f"job {job}"), FolderLock(path):
                pass


def test_a_job_that_starts_again_waits_for_its_first_self(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLURM_JOB_ID", "5")
    claim_of_another_node(tmp_path / "lock", silent_s=LASTS_S - 2, job="5")
    with FolderLock(tmp_path / "lock"):
        pass


def test_a_writer_that_stood_still_until_another_took_over_writes_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "lock"
    with FolderLock(path) as mine:
        mine.check()
        claim_of_another_node(path, silent_s=0)
        monkeypatch.setattr(lock, "_now_s", lambda: 1e9)
        with pytest.raises(StorageError, match="stood still"):
            mine.check()


def test_a_writer_whose_file_server_is_silent_for_too_long_writes_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def silent(*_: object) -> None:
        raise OSError(errno.EIO, "no answer")

    with FolderLock(tmp_path / "lock") as mine:
        monkeypatch.setattr(lock.os, "utime", silent)
        mine.check()
        monkeypatch.setattr(lock, "_now_s", lambda: 1e9)
        with pytest.raises(StorageError, match="could not be renewed"):
            mine.check()


def test_of_many_that_want_the_lock_one_at_a_time_has_it(tmp_path: Path) -> None:
    """Even where the system's locks do not reach from one to the other."""
    program = """
import sys, fcntl
from pathlib import Path
from runner.results import lock
if sys.argv[2] == "apart":
    lock._lock = lambda descriptor, kind: None
path = Path(sys.argv[1])
for _ in range(20):
    with lock.FolderLock(path / "lock", patience_s=120):
        inside = path / "inside"
        inside.touch(exist_ok=False)
        inside.unlink()
"""
    for how in ("together", "apart"):
        started = [subprocess.Popen([sys.executable, "-c", program, tmp_path, how]) for _ in range(3)]
        assert [process.wait() for process in started] == [0, 0, 0]
