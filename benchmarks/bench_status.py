"""What ``python -m runner status`` takes for a study of a thousand finished runs: seconds of processor time.

    python -m benchmarks.bench_status [--runs 1000] [--samples 20]

One run is made by the scripted engine and copied under other names, as a sweep over seeds would leave them. The first
command is typed in a study whose runs were finished by a version that kept no counts, so that it reads all samples.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

RUN = ("model=scripted", "engine=scripted", "tracking=off", "study=s")


def make_study(folder: Path, runs: int, samples: int) -> Path:
    """Return the folder of a study of so many finished runs."""
    command = [sys.executable, "-m", "runner", *RUN, f"suite.samples={samples}", f"outputs={folder}"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    (first,) = (path.parent for path in (folder / "s").glob("*/run.json"))
    plain = json.loads((first / "run.json").read_bytes())
    for number in range(1, runs):
        copy = first.with_name(f"copy-{number:08x}")
        shutil.copytree(first, copy)
        (copy / "run.json").write_text(json.dumps({**plain, "fingerprint": f"{number:016x}"}))
    return folder / "s"


def status_s(study: Path) -> float:
    """Return the processor seconds of a command that shows the study."""
    before = os.times()
    subprocess.run([sys.executable, "-m", "runner", "status", str(study)], check=True, stdout=subprocess.DEVNULL)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--samples", type=int, default=20, help="of each of the fourteen tasks")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        study = make_study(Path(folder), asked.runs, asked.samples)
        print(f"status of {asked.runs} finished runs: {status_s(study):6.2f} s", flush=True)
        for counts in study.glob("*/counts.json"):
            counts.unlink()
        print(f"without their counts:         {status_s(study):6.2f} s")


if __name__ == "__main__":
    main()
