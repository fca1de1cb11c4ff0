"""Finds an interpreter that has GPTQModel, and lets it quantise a model in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO, Any

from runner.config import machine
from runner.errors import UserError
from runner.weights import gptq_job

# Names the interpreter of an environment that has GPTQModel.
VARIABLE = "THINKMETER_GPTQ_PYTHON"
ADVICE = f"run `make quantize-env`, or name an interpreter that has gptqmodel by {VARIABLE}: docs/precision.md"

# Where make quantize-env puts one.
_BUILT = Path(__file__).resolve().parents[2] / ".venv-gptq" / "bin" / "python"
_ASK = "import importlib.metadata as found; print(found.version('gptqmodel'), found.version('torch'))"
# Torch is imported, which takes seconds, only where there is a GPU that it may not be able to use.
_ASK_DEVICE = "; import torch; print('cuda' if torch.cuda.is_available() else 'cpu')"
_LEAST_WORKERS = 2  # with one GPTQModel does not start
_TOLD = 10  # lines of progress that a model's layers are told in


@dataclass(frozen=True, slots=True)
class Quantizer:
    """An interpreter with GPTQModel.

    Attributes:
        python: The interpreter.
        version: Of its GPTQModel.
        torch: Version of its torch.
        device: What it quantises on, ``cpu`` or ``cuda``.
    """

    python: str
    version: str
    torch: str
    device: str

    def quantize(self, job: Mapping[str, Any], work: Path, tell: Callable[[str], None]) -> None:
        """Do a job of :mod:`runner.weights.gptq_job`; its process ends with this one.

        Args:
            job: See there.
            work: Folder for the job's file; removed by whoever made it.
            tell: Gets a line now and then that says how far it is.

        Raises:
            UserError: GPTQModel can't; with its own last words.
            OSError: the job's file can't be written.
        """
        file = work / "job.json"
        file.write_text(json.dumps(job), encoding="utf-8")
        command = [self.python, gptq_job.__file__, str(file)]
        with tempfile.TemporaryFile("w+b") as log:
            code = _run(command, log, tell)
            if code:
                raise UserError(f"GPTQModel {self.version} failed with status {code}: {_last_words(log)}")


def find_quantizer() -> Quantizer | None:
    """Return the interpreter that the user names, this one, or that of ``make quantize-env``; None without any.

    Raises:
        UserError: the interpreter that the user names has no GPTQModel.
    """
    if named := os.environ.get(VARIABLE):
        if (found := _quantizer(named)) is None:
            raise UserError(f"{VARIABLE}={named}: no interpreter, or one without gptqmodel; {ADVICE}")
        return found
    if machine.has_package("gptqmodel") and (found := _quantizer(sys.executable)):
        return found
    return _quantizer(str(_BUILT)) if _BUILT.exists() else None


@cache
def _quantizer(python: str) -> Quantizer | None:
    """Return an interpreter that has GPTQModel, without importing that; None for another."""
    ask = _ASK + _ASK_DEVICE if machine.has_gpu() else _ASK
    try:
        done = subprocess.run([python, "-c", ask], capture_output=True, text=True, check=True, timeout=120)
        version, torch, *device = done.stdout.split()
    except (OSError, subprocess.SubprocessError, ValueError):
        return None
    return Quantizer(python, version, torch, *(device or ["cpu"]))


def _run(command: list[str], log: IO[bytes], tell: Callable[[str], None]) -> int:
    workers = str(max(_LEAST_WORKERS, machine.cpu().cores))
    # Everything is here by now, so no hub is asked. Modules beside the script must not hide installed ones.
    own = {"GPTQMODEL_CPU_WORKERS": workers, "HF_HUB_OFFLINE": "1", "PYTHONSAFEPATH": "1"}
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=log,
        text=True,
        env={**own, **os.environ},
    )
    with process:
        try:
            _follow(process, tell)
        except BaseException:
            process.kill()
            raise
    return process.returncode


def _follow(process: subprocess.Popen[str], tell: Callable[[str], None]) -> None:
    """Pass on how many layers are done, in a few lines however many layers there are."""
    said = 0
    for line in process.stdout or ():
        done, _, layers = line.strip().partition(" of ")
        share = _TOLD * int(done) // int(layers)
        if share > said:
            tell(f"quantised {done} of {layers} layers")
        said = max(said, share)


def _last_words(log: IO[bytes]) -> str:
    log.seek(0)
    lines = log.read().decode("utf-8", "replace").splitlines()
    return next((line.strip() for line in reversed(lines) if line.strip()), "no message")
