"""Asks the published code, llmthinkbench 0.1.6, for its verdicts; run by that package's own Python.

    .venv-released/bin/python benchmarks/released_probe.py < questions.jsonl > verdicts.jsonl

``make .venv-released/.ready`` sets that Python up. A question is ``{"task": …, "data": …, "response": …}``, a verdict
the same with ``correct``, ``answer`` (the text of what was read, or null) and ``followed``; verdicts may be given as
questions again, which is how tests/bench/released_code is made. With ``--time`` each line is a number, the seconds
of processor time that the verdict takes.

torch is replaced by an empty stand-in, since the package imports it and grading does not use it.
"""

from __future__ import annotations

import importlib
import json
import logging
import statistics
import sys
import time
from collections import Counter
from functools import cache
from types import ModuleType
from typing import Any

_NAMES = {"find_max": "find_maximum", "find_min": "find_minimum"}
_WORDS = {1: "greater than", 0: "equal to", -1: "less than"}
_REPEATS = 5
_READ = ("parsed_answer", "calculated_answer", "parsed_max", "parsed_min")


@cache
def _task(name: str) -> Any:
    """Return one of their tasks without the model that its constructor wants."""
    module = importlib.import_module(f"llmthinkbench.tasks.{name}_task")
    kind = getattr(module, "".join(part.title() for part in name.split("_")) + "Task")
    return kind.__new__(kind)


def _point(task: str, data: list[int]) -> Any:
    """Return the data in the form that their task takes."""
    if task == "comparison":
        first, second = data
        order = (first > second) - (first < second)
        return {"num1": first, "num2": second, "relation": "<=>"[order + 1], "answer": _WORDS[order]}
    if task in ("mean", "median"):
        return {"input_list": data, task: float(getattr(statistics, task)(data))}
    if task == "mode":
        counts = Counter(data)
        return {"input_list": data, "modes": sorted(x for x in counts if counts[x] == max(counts.values()))}
    return data


def ask(task: str, data: list[int], response: str) -> dict[str, Any]:
    """Return their verdict on one response."""
    name = _NAMES.get(task, task)
    try:
        found = _task(name).evaluate_response(response, _point(task, data))
    except Exception as error:
        return {"correct": False, "answer": f"{type(error).__name__} raised", "followed": False}
    (read,) = (found[key] for key in _READ if key in found)
    answer = None if read is None else str(read)
    return {"correct": bool(found["accuracy"]), "answer": answer, "followed": bool(found["instruction_followed"])}


def seconds(task: str, data: list[int], response: str) -> float:
    """Return the processor time of one verdict, the best of rounds that take about a quarter of a second together."""
    kind, point = _task(_NAMES.get(task, task)), _point(task, data)
    found = []
    until = time.process_time() + 0.25
    while time.process_time() < until or len(found) < 2:
        start = time.process_time()
        for _ in range(_REPEATS):
            kind.evaluate_response(response, point)
        found.append((time.process_time() - start) / _REPEATS)
    return min(found)


def main() -> None:
    """Answer the questions of the standard input."""
    timed = "--time" in sys.argv[1:]
    logging.disable(logging.CRITICAL)
    sys.modules["torch"] = ModuleType("torch")
    sys.set_int_max_str_digits(0)
    for line in sys.stdin:
        question = json.loads(line)
        asked = question["task"], question["data"], question["response"]
        print(json.dumps(seconds(*asked) if timed else {**question, **ask(*asked)}))


if __name__ == "__main__":
    main()
