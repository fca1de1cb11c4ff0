"""Types commands as a user does: a fresh process, its output and its exit code."""

from __future__ import annotations

import os
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
    return {**clean, "PYTHONUNBUFFERED": "1", **changes}


def start(*arguments: str, cwd: Path, **changes: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "runner", *arguments],
        cwd=cwd,
        env=environment(**changes),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="surrogateescape",
    )


def runner(*arguments: str, cwd: Path, timeout_s: float = 300, **changes: str) -> Done:
    process = start(*arguments, cwd=cwd, **changes)
    out, err = process.communicate(timeout=timeout_s)
    return Done(process.returncode, out, err)


def only_run(cwd: Path, study: str = "single") -> Path:
    (run,) = (path.parent for path in (cwd / "outputs" / study).glob("*/generations.jsonl"))
    return run
