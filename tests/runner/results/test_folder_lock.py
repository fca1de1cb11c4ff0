"""One writer a folder; the second is told who holds it, and a killed one holds nothing."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from runner.errors import UserError
from runner.results.layout import RunFolder
from runner.results.lock import FolderLock, current_holder
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
