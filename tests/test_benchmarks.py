"""Every benchmark that needs neither a cluster nor minutes of a model still runs; its figures are not looked at."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.end_to_end.command import environment

ROOT = Path(__file__).resolve().parent.parent
SMALL = {
    "problems": (),
    "store": ("--samples", "140"),
    "harness": ("--samples", "280"),
    "status": ("--runs", "3", "--samples", "1"),
    "report": ("--runs", "3", "--samples", "28", "--page"),
    "submit": ("--points", "20", "--composed", "2"),
    "tools": ("--calls", "5", "--rounds", "1"),
    "redundancy": ("--traces", "2"),
}


@pytest.mark.parametrize("name", SMALL)
def test_a_benchmark_runs(name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", f"benchmarks.bench_{name}", *SMALL[name]],
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
