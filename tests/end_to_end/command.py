"""Types commands as a user does: a fresh process, its output and its exit code."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

SCRIPTED = ("model=scripted", "engine=scripted", "tracking=off")


@dataclass(frozen=True, slots=True)
class Done:
    code: int
    out: str
    err: str


def environment(**changes: str) -> dict[str, str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("WANDB_", "SLURM_"))}
    return {**clean, "PYTHONUNBUFFERED": "1", "CUDA_VISIBLE_DEVICES": "", **changes}


def hear_ctrl_c() -> None:
    """Undo what a shell does to a job in the background, which the tests themselves may be: it ignores SIGINT."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def start(*arguments: str, cwd: Path, file_limit: int | None = None, **changes: str) -> subprocess.Popen[str]:
    """Start a command; no file that it writes can grow beyond ``file_limit`` bytes, as on a full disk."""

    def limit() -> None:
        hear_ctrl_c()
        if file_limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (file_limit, file_limit))

    return subprocess.Popen(
        [sys.executable, "-m", "runner", *arguments],
        cwd=cwd,
        env=environment(**changes),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="surrogateescape",
        preexec_fn=limit,
    )


def runner(*arguments: str, cwd: Path, file_limit: int | None = None, timeout_s: float = 300, **changes: str) -> Done:
    process = start(*arguments, cwd=cwd, file_limit=file_limit, **changes)
    out, err = process.communicate(timeout=timeout_s)
    return Done(process.returncode, out, err)


def only_run(cwd: Path, study: str = "single") -> Path:
    (run,) = (path.parent for path in (cwd / "outputs" / study).glob("*/generations.jsonl"))
    return run
