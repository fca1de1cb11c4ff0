"""Writes problems.json, the pinned problems: ``python -m tests.bench.golden.write_problems`` from the top folder.

Run it only after raising the ``data_version`` or ``wording_version`` of each task whose problems were changed on
purpose, and look at the difference: entries of other tasks must not change.
"""

import json
from pathlib import Path
from typing import Any

import bench

PATH = Path(__file__).with_name("problems.json")
SUITES = ("basic_math", "algorithmic")
SEEDS = (0, 42)
PLACES = ((0, 0), (1, 7), (5, 999))  # fold, index


def pinned(name: str) -> dict[str, Any]:
    """Return what is pinned of one task: its versions, one wording, and some problems."""
    task = bench.make_task(name)
    places = [(seed, fold, index) for seed in SEEDS for fold, index in (PLACES if task.length() is None else ((0, 1),))]
    problems = [task.problem(seed=seed, fold=fold, index=index) for seed, fold, index in places]
    return {
        "data_version": task.data_version,
        "wording_version": task.wording_version,
        "question": problems[0].question,
        "problems": [{"id": p.id, "data": _plain(p.data), "gold": str(p.gold)} for p in problems],
    }


def _plain(data: Any) -> Any:
    return list(data) if isinstance(data, tuple) else data


def main() -> None:
    """Write the file."""
    tasks = {name: pinned(name) for suite in SUITES for name in bench.task_names(suite)}
    text = json.dumps(tasks, indent=1)
    PATH.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
