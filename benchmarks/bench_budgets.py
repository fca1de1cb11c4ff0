"""What a sweep of budgets costs beside its largest budget, and beside a process for each of its points.

    python -m benchmarks.bench_budgets [--model thinker --suite basic_math_small] [--kind total thinking] [--apart]

Eight budgets times two prompts. ``total``: 128 … 1024 tokens in equal steps; ``thinking``: the same caps for the
thinking, with a reserve for the answer. Each is typed as one sweep and as a sweep of the largest budget alone, a
fresh folder each.
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

BUDGETS = range(128, 1025, 128)
PROMPTS = "prompt=standard,concise"
KINDS = {"total": (), "thinking": ("budget=thinking", "budget.answer_tokens=64")}


def seconds(arguments: Sequence[str], folder: Path) -> float:
    """Type a command and return how long it took.

    Raises:
        subprocess.CalledProcessError: it failed.
    """
    start = time.perf_counter()
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parent.parent)}
    command = [sys.executable, "-m", "runner", *arguments, f"outputs={folder}"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
    return time.perf_counter() - start


def budgets(values: Sequence[int]) -> str:
    """Return the words that sweep these budgets."""
    return f"budget.tokens={','.join(map(str, values))}"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="smollm2_135m")
    parser.add_argument("--suite", default="basic_math")
    parser.add_argument("--samples", type=int, default=4, help="of each task and point")
    parser.add_argument("--kind", choices=list(KINDS), nargs="+", default=["total"])
    parser.add_argument("--apart", action="store_true", help="also type each point as a command of its own")
    asked = parser.parse_args()
    common = (f"model={asked.model}", f"suite={asked.suite}", f"suite.samples={asked.samples}", "sampling=greedy")
    for kind in asked.kind:
        words = (*common, *KINDS[kind], "tracking=off")
        with tempfile.TemporaryDirectory() as name:
            measure(kind, words, Path(name), apart=asked.apart)


def measure(kind: str, words: Sequence[str], folder: Path, *, apart: bool) -> None:
    """Print what one kind of budget costs."""
    largest = seconds(["-m", *words, PROMPTS, budgets(BUDGETS[-1:])], folder / "largest")
    swept = seconds(["-m", *words, PROMPTS, budgets(BUDGETS)], folder / "swept")
    print(f"{kind}: largest budget alone {largest:.1f} s, all eight {swept:.1f} s: {swept / largest:.2f} x", flush=True)
    if not apart:
        return
    each = [
        seconds([*words, f"prompt={prompt}", f"budget.tokens={tokens}"], folder / f"{prompt}{tokens}")
        for prompt in ("standard", "concise")
        for tokens in BUDGETS
    ]
    print(f"{kind}: a process each {sum(each):.1f} s: the sweep is {swept / sum(each):.3f} of it", flush=True)


if __name__ == "__main__":
    main()
