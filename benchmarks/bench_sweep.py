"""What a sweep on one model spends on loading, beside a process for each of its points.

    python -m benchmarks.bench_sweep [--points 12]

Loading is the time from a point's first line to its engine being there, taken inside the process: imports of the
engine's packages, weights, tokenizer. Generating is kept as small as it can be.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

SMALL = ("model=smollm2_135m", "suite.samples=1", "suite.tasks=[sum]", "budget.tokens=4", "tracking=off")
# Wraps the one function that loads, in the process that is measured, and adds its seconds to a file.
_TIMED = """
import sys, time
from runner.engines import factory
load, seconds, arguments = factory.make_engine, sys.argv[1], sys.argv[2:]
def timed(*asked):
    start = time.perf_counter()
    engine = load(*asked)
    with open(seconds, "a") as file:
        file.write(f"{time.perf_counter() - start}\\n")
    return engine
factory.make_engine = timed
from runner.app import main
sys.exit(main(arguments))
"""


def measured(arguments: Sequence[str], folder: Path) -> tuple[list[float], float]:
    """Type a command; return the seconds of each load, and those of the whole."""
    loads = folder / "loads"
    loads.unlink(missing_ok=True)
    start = time.perf_counter()
    command = [sys.executable, "-c", _TIMED, str(loads), *arguments, f"outputs={folder / 'outputs'}"]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parent.parent)}
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
    return [float(line) for line in loads.read_text().split()], time.perf_counter() - start


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--points", type=int, default=12, help="points of the sweep, told apart by the sampling's seed")
    seeds = range(parser.parse_args().points)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        swept = f"sampling.seed={','.join(map(str, seeds))}"
        loads, whole = measured(["-m", *SMALL, swept, "study=sweep"], folder)
        apart = [measured([*SMALL, f"sampling.seed={seed}", "study=apart"], folder) for seed in seeds]
    loads_apart = [seconds for each, _ in apart for seconds in each]
    show("one sweep", loads, whole)
    show("a process each", loads_apart, sum(seconds for _, seconds in apart))
    print(f"loading in the sweep / in separate processes: {sum(loads) / sum(loads_apart):.3f}")


def show(name: str, loads: Sequence[float], whole: float) -> None:
    """Print one way's loads and seconds."""
    print(f"{name:16} {len(loads):3} loads, {sum(loads):7.1f} s loading, {whole:7.1f} s in all", flush=True)


if __name__ == "__main__":
    main()
