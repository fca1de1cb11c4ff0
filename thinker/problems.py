"""Which problems there are: the ranges of the program's small suite, the part kept for tests, all others."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from omegaconf import OmegaConf

import bench
from bench.problem import Problem, part_of
from bench.task import MAX_FOLDS, Task

SUITES = Path(__file__).parents[1] / "conf" / "suite"


@cache
def suite() -> dict[str, Any]:
    """Return the settings of the small suite, as the program composes them."""
    files = [OmegaConf.load(SUITES / f"{name}.yaml") for name in ("basic_math", "basic_math_small")]
    merged = OmegaConf.merge(*({"suite": file} for file in files))
    resolved: Any = OmegaConf.to_container(merged, resolve=True)
    return dict(resolved["suite"])


def tasks() -> list[Task]:
    """Return the 14 tasks in their small ranges."""
    return [bench.make_task(name, **params) for name, params in suite()["params"].items()]


def is_held_out(problem: Problem) -> bool:
    """Tell whether a problem's operands belong to the part that the suite asks and training never sees."""
    split = suite()["split"]
    return bool(part_of(problem.data, split["parts"]) == split["part"])


def drawn(task: Task, seed: int, *, held_out: bool) -> Iterator[Problem]:
    """Yield problems of a task without end, either none or only those that are held out."""
    split = suite()["split"]
    position = 0
    while True:
        problem = task.problem(seed=seed, fold=position % MAX_FOLDS, index=position // MAX_FOLDS)
        position += 1
        if (part_of(problem.data, split["parts"]) == split["part"]) is held_out:
            yield problem
