"""What a tool call costs beside a plain process a call: ``python -m benchmarks.bench_tools``.

Both sides run the same small programs, as many at a time as there are processor cores: ``code_executor`` in its
sandbox, and ``subprocess.run([python, "-c", program])`` with no bounds at all. Rounds of both alternate, so that what
else the machine does falls on both; the ratio is of the medians.
"""

from __future__ import annotations

import argparse
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from statistics import median

from runner.config.tools import ToolSettings
from runner.tools.launch import interpreter
from runner.tools.pool import ToolPool, cores
from runner.tools.protocol import ToolCall
from runner.tools.python import make_pool

PROGRAM = "numbers = [3, -4, 10, {}]\nprint(sum(numbers))"


def through_pool(pool: ToolPool, name: str, calls: int) -> float:
    """Return calls a second."""
    start = time.perf_counter()
    for number in range(calls):
        argument = {"code": PROGRAM.format(number)} if name == "code_executor" else {"expression": f"9 + {number}"}
        pool.submit(ToolCall(str(number), name, argument))
    found = {}
    while pool.in_flight:
        found |= {result.key: result.text for result in pool.poll(1.0)}
    seconds = time.perf_counter() - start
    if found != {str(number): str(9 + number) for number in range(calls)}:
        raise SystemExit(f"wrong results: {found}")
    return calls / seconds


def plain(calls: int) -> float:
    """Return calls a second of one process a call."""

    def run(number: int) -> str:
        line = [str(interpreter()), "-c", PROGRAM.format(number)]
        return subprocess.run(line, capture_output=True, text=True, check=True).stdout

    start = time.perf_counter()
    with ThreadPoolExecutor(cores()) as executor:
        list(executor.map(run, range(calls)))
    return calls / (time.perf_counter() - start)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=100, help="calls a round")
    parser.add_argument("--rounds", type=int, default=5)
    asked = parser.parse_args()
    pool = make_pool(ToolSettings(names=("calculator", "code_executor")))
    through_pool(pool, "code_executor", 2 * cores())
    ours, theirs = [], []
    for _ in range(asked.rounds):
        ours.append(through_pool(pool, "code_executor", asked.calls))
        theirs.append(plain(asked.calls))
    calculator = through_pool(pool, "calculator", 10 * asked.calls)
    pool.close()
    ratio = median(ours) / median(theirs)
    print(f"code_executor         {median(ours):8.1f} calls/s on {cores()} cores")
    print(f"a plain process each  {median(theirs):8.1f} calls/s; code_executor makes {ratio:.2f} times as many")
    print(f"calculator            {calculator:8.0f} calls/s")


if __name__ == "__main__":
    main()
