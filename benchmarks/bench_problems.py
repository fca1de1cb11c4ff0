"""How fast problems are drawn: ``python -m benchmarks.bench_problems``.

Prints the number of problems, the seconds of the best of five rounds on one core, and how many times longer
that takes than the obvious way: draw the same shapes with ``random.Random`` and write the question, but with
no ids, digests, facts or distinctness.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence

import bench
from bench.arithmetic.operands import ListTask
from bench.task import Task

SEED = 42
FOLDS = 3
PER_FOLD = 1000
ROUNDS = 5


def draw_all(tasks: Sequence[Task]) -> int:
    """Draw every problem of every task and fold; return how many."""
    count = 0
    for task in tasks:
        for fold in range(FOLDS):
            for index in range(PER_FOLD):
                task.problem(seed=SEED, fold=fold, index=index)
                count += 1
    return count


def draw_all_plainly(tasks: Sequence[Task]) -> int:
    """Draw lists and pairs of the same sizes from one ``random.Random`` a task, with question and answer."""
    count = 0
    for task in tasks:
        source = random.Random(f"{SEED}:{task.name}")
        for _ in range(FOLDS * PER_FOLD):
            size = source.choice(task.sizes) if isinstance(task, ListTask) else 2
            data = tuple(source.randint(-1000, 1000) or 1 for _ in range(size))
            task.question(data)
            task.gold(data)
            count += 1
    return count


def best(draw: Callable[[Sequence[Task]], int], tasks: Sequence[Task]) -> tuple[int, float]:
    """Return how many problems ``draw`` drew and the seconds of its fastest round."""
    seconds = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        count = draw(tasks)
        seconds.append(time.perf_counter() - start)
    return count, min(seconds)


def main() -> None:
    """Measure and print."""
    tasks = [bench.make_task(name) for name in bench.task_names("basic_math")]
    count, seconds = best(draw_all, tasks)
    _, plain = best(draw_all_plainly, tasks)
    print(f"{count:,} problems in {seconds:.2f} s, {seconds / plain:.2f} times the time of random.Random")


if __name__ == "__main__":
    main()
