"""What grading costs: ``python -m benchmarks.bench_grading``; ``make bench-released`` beside the published code.

Prints microseconds of processor time a response, thinking split included, for the kinds of response that a
run meets, and milliseconds for hostile texts of a million characters. Each is the best of several rounds.
``--beside PYTHON`` names a Python that has llmthinkbench 0.1.6: the usual responses are then graded by it as well, and
the hostile ones are left out.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import time
from collections.abc import Callable
from itertools import cycle, islice
from pathlib import Path
from statistics import fmean

import bench
from bench.grading.words import words
from bench.problem import Problem

ROUNDS = 7
# A problem of each task that one number answers, all with the answer 42.
BESIDE: dict[str, list[int]] = {
    "sum": [12, 30], "subtraction": [12, 54], "multiplication": [6, 7], "division": [84, 2],
    "absolute_difference": [54, 12], "find_max": [3, 42], "find_min": [300, 42], "mean": [41, 43], "median": [41, 43],
    "odd_count": [1] * 42, "even_count": [2] * 42,
}  # fmt: skip
PROBE = Path(__file__).with_name("released_probe.py")
MILLION = 1_000_000
WORDS = words("we add the numbers one by one, so the partial total is 14 + 3 = 17. Now 17 < 20, go on with [3, 4];")
HOSTILE = {
    "brackets": "(",
    "spaces": " ",
    "digits": "9",
    "powers": "9^",
    "open boxes": "\\boxed{",
    "closed boxes": "\\boxed{a} ",
    "fractions": "\\frac12",
    "vulgar fractions": "½",
    "thinking tags": "<think>x",
    "special tokens": "<eos> ",
    "angles": "<",
    "markers": "the answer is ",
    "statements": "answer: 3 4 ",
    "sentences": "3 is x. ",
    "lines": "\n- 1",
    "fences": "```\n",
}


def prose(length: int) -> str:
    """Return text like that of a trace, in lines of about ninety characters."""
    lines = [
        " ".join(islice(cycle(WORDS), start % len(WORDS), start % len(WORDS) + 20)) for start in range(length // 80)
    ]
    return "\n".join(lines)[:length]


def best(grade: Callable[[], object], repeats: int) -> float:
    """Return the seconds of one call in the fastest round."""
    seconds = []
    for _ in range(ROUNDS):
        start = time.process_time()
        for _ in range(repeats):
            grade()
        seconds.append((time.process_time() - start) / repeats)
    return min(seconds)


def usual() -> dict[str, tuple[str, str]]:
    """Return responses of the usual kinds with how they ended."""
    trace = prose(24_000)
    return {
        "boxed, 1,000 characters": (prose(980) + "\n\\boxed{42}", "stop"),
        "boxed, 24,000 characters": (trace + "\n\\boxed{42}", "stop"),
        "thinking, then boxed, 24,000 characters": (f"<think>{trace}</think>\n\\boxed{{42}}", "stop"),
        "marker, 24,000 characters": (trace + "\nThe answer is 42.", "stop"),
        "no box, 24,000 characters": (trace, "stop"),
        "cut in the answer, 24,000 characters": (trace, "length"),
        "cut in the thinking, 24,000 characters": (f"<think>{trace}", "length"),
    }


def slowest(problems: list[Problem], unit: str) -> float:
    """Return the seconds of the slowest way to meet a million characters of one unit."""
    body = (unit * (MILLION // len(unit) + 1))[:MILLION]
    texts = (body, f"\\boxed{{{body}}}", f"The answer is {body}", f"{body}\n7")
    return max(best(lambda t=text, p=problem: bench.grade(p, t), 1) for text in texts for problem in problems)  # type: ignore[misc]


def theirs(python: str) -> dict[str, list[float]]:
    """Return the seconds that the published code takes for each of the usual responses, a list over tasks."""
    asked = [(name, task) for name in usual() for task in BESIDE]
    questions = [{"task": task, "data": BESIDE[task], "response": usual()[name][0]} for name, task in asked]
    found = subprocess.run(
        [python, str(PROBE), "--time"],
        input="\n".join(map(json.dumps, questions)),
        capture_output=True,
        text=True,
        check=True,
    )
    seconds: dict[str, list[float]] = {}
    for (name, _), number in zip(asked, found.stdout.split(), strict=True):
        seconds.setdefault(name, []).append(float(number))
    return seconds


def compare(python: str) -> None:
    """Print both times and their ratio, means over tasks: the published code reads each task in its own way."""
    print(f"means over {len(BESIDE)} tasks, in brackets the published code's quickest and slowest task")
    others = theirs(python)
    for name, (text, finish_reason) in usual().items():
        problems = [bench.problem_from_data(task, data) for task, data in BESIDE.items()]
        own = fmean(best(lambda p=p: bench.grade(p, text, finish_reason=finish_reason), 60) for p in problems)  # type: ignore[misc]  # noqa: B023
        other = others[name]
        print(
            f"{name:40} {own * 1e6:8.1f} µs   theirs {fmean(other) * 1e6:9.1f} µs "
            f"({min(other) * 1e6:.1f}–{max(other) * 1e6:.1f})   {fmean(other) / own:7.1f} ×"
        )


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--beside", metavar="PYTHON", help="a Python that has llmthinkbench 0.1.6")
    python = options.parse_args().beside
    if python:
        compare(python)
        return
    total = bench.problem_from_data("sum", [12, 30])
    for name, (text, finish_reason) in usual().items():
        seconds = best(lambda t=text, f=finish_reason: bench.grade(total, t, finish_reason=f), 300)  # type: ignore[misc]
        print(f"{name:40} {seconds * 1e6:8.1f} µs")
    measure_hostile(total)


def measure_hostile(total: Problem) -> None:
    """Measure and print long lists and hostile texts, which the published code is not asked about."""
    ordered = bench.problem_from_data("sorting", list(range(64, -64, -1)))
    text = prose(300) + f"\\boxed{{{list(range(-63, 65))}}}"
    print(f"{'boxed list of 128 elements':40} {best(lambda: bench.grade(ordered, text), 300) * 1e6:8.1f} µs")
    compared = bench.problem_from_data("comparison", [7, 3])
    for name, unit in HOSTILE.items():
        print(f"{f'a million characters of {name}':40} {slowest([total, ordered, compared], unit) * 1e3:8.1f} ms")


if __name__ == "__main__":
    main()
