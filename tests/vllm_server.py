"""vLLM's own server on loopback, in the environment that has it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_START_S = 1500  # about 30 s on two free cores


@contextmanager
def vllm_serving(folder: Path, name: str, log: Path, *flags: str) -> Iterator[str]:
    """Serve the model in ``folder`` under ``name``; yields the address. What it says goes to ``log``."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    arguments = ["--model", str(folder), "--served-model-name", name, "--host", "127.0.0.1", "--port", str(port)]
    arguments += ["--dtype", "float32", "--enforce-eager", "--generation-config", "vllm", "--max-num-seqs", "8", *flags]
    own = {"VLLM_CPU_KVCACHE_SPACE": "1", "HF_HUB_OFFLINE": "1", "VLLM_NO_USAGE_STATS": "1"}
    own["VLLM_CPU_OMP_THREADS_BIND"] = str(min(os.sched_getaffinity(0)))
    with log.open("wb") as said:
        process = subprocess.Popen(
            [sys.executable, "-m", "vllm.entrypoints.openai.api_server", *arguments],
            env=os.environ | own,
            stdout=said,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    url = f"http://127.0.0.1:{port}"
    try:
        _wait(f"{url}/health", process, log)
        yield url
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _wait(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    """Wait until the server answers."""
    deadline = time.monotonic() + _START_S
    while time.monotonic() < deadline:
        assert process.poll() is None, log.read_text(errors="replace")[-4000:]
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.5)  # a process of its own says in no other way that it is ready
    raise AssertionError(log.read_text(errors="replace")[-4000:])
