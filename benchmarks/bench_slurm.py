"""What a sweep takes on a cluster in packs, beside submitit's own launcher, which starts a job for each point.

    cluster/slurm.sh run python -m benchmarks.bench_slurm [--points 24]

Both wait for their jobs. The points differ in the sampling's seed and generate next to nothing, so the time is that of
submitting, starting, importing and loading. Needs the package hydra-submitit-launcher.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SMALL = ("suite.samples=1", "suite.tasks=[sum]", "budget.tokens=4", "tracking=off")
PACKS = ("hydra/launcher=slurm", "hydra.launcher.wait=true", "hydra.launcher.gpus=0")
STOCK = ("hydra/launcher=submitit_slurm", "hydra.launcher.timeout_min=60", "hydra.launcher.mem_gb=2")


def sweep_s(folder: Path, study: str, points: int, *asked: str) -> float:
    """Return the seconds of a command that runs so many points; none may be missing afterwards."""
    seeds = ",".join(map(str, range(points)))
    command = [sys.executable, "-m", "runner", "-m", *asked, *SMALL, f"sampling.seed={seeds}", f"study={study}"]
    start = time.perf_counter()
    subprocess.run([*command, f"outputs={folder}"], check=True, stdout=subprocess.DEVNULL)
    seconds = time.perf_counter() - start
    found = len(list((folder / study).glob("*/generations.jsonl")))
    if found != points:
        raise RuntimeError(f"{study}: {found} of {points} points have samples")
    print(f"{study:6} {points} points: {seconds:7.1f} s", flush=True)
    return seconds


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--points", type=int, default=24)
    parser.add_argument("--model", default="smollm2_135m")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        model = f"model={asked.model}"
        packs = sweep_s(Path(name), "packs", asked.points, *PACKS, model)
        stock = sweep_s(Path(name), "stock", asked.points, *STOCK, model)
    print(f"packs / stock: {packs / stock:.3f}")


if __name__ == "__main__":
    main()
