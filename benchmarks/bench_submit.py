"""What submitting a sweep of a thousand points takes, sbatch not counted, and composing each point as Hydra does.

    python -m benchmarks.bench_submit [--points 1000] [--composed 50]

The points are a product of two models, prompts and seeds, so that groups and values are swept. ``submit`` is a whole
command with ``hydra.launcher.dry_run=true``: Hydra's start, composing and checking every point, packing, the scripts.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time

from hydra import compose, initialize_config_dir

from runner.config.folder import config_folder

PROMPTS = ("standard", "concise", "ultra_concise", "dont_overthink", "step_by_step")


def submit_s(points: int) -> float:
    """Return the seconds of a command that submits so many points."""
    seeds = f"sampling.seed={','.join(map(str, range(points // len(PROMPTS) // 2)))}"
    swept = ("model=thinker,smollm2_135m", f"prompt={','.join(PROMPTS)}", seeds)
    asked = ("hydra/launcher=slurm", "hydra.launcher.dry_run=true", "hydra.launcher.pack_size=10", "tracking=off")
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        command = [sys.executable, "-m", "runner", "-m", *swept, *asked, f"outputs={folder}"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return time.perf_counter() - start


def compose_s(points: int) -> float:
    """Return the seconds that Hydra takes to compose so many points one by one."""
    with initialize_config_dir(version_base="1.3", config_dir=str(config_folder())):
        start = time.perf_counter()
        for seed in range(points):
            compose("config", overrides=["model=thinker", f"sampling.seed={seed}"])
        return time.perf_counter() - start


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--points", type=int, default=1000)
    parser.add_argument("--composed", type=int, default=50, help="points that Hydra composes one by one")
    asked = parser.parse_args()
    print(f"submit    {asked.points:5} points: {submit_s(asked.points):6.1f} s", flush=True)
    each = compose_s(asked.composed) / asked.composed
    print(f"composing {asked.points:5} points one by one would take {each * asked.points:6.1f} s ({each:.3f} s each)")


if __name__ == "__main__":
    main()
