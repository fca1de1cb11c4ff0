"""What grading costs: ``python -m benchmarks.bench_grading``.

Prints microseconds of processor time a response, thinking split included, for the kinds of response that a
run meets, and milliseconds for hostile texts of a million characters. Each is the best of several rounds.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import cycle, islice

import bench
from bench.grading.words import words
from bench.problem import Problem

ROUNDS = 7
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


def main() -> None:
    """Measure and print."""
    total = bench.problem_from_data("sum", [12, 30])
    for name, (text, finish_reason) in usual().items():
        seconds = best(lambda t=text, f=finish_reason: bench.grade(total, t, finish_reason=f), 300)  # type: ignore[misc]
        print(f"{name:40} {seconds * 1e6:8.1f} µs")
    ordered = bench.problem_from_data("sorting", list(range(64, -64, -1)))
    text = prose(300) + f"\\boxed{{{list(range(-63, 65))}}}"
    print(f"{'boxed list of 128 elements':40} {best(lambda: bench.grade(ordered, text), 300) * 1e6:8.1f} µs")
    compared = bench.problem_from_data("comparison", [7, 3])
    for name, unit in HOSTILE.items():
        print(f"{f'a million characters of {name}':40} {slowest([total, ordered, compared], unit) * 1e3:8.1f} ms")


if __name__ == "__main__":
    main()
