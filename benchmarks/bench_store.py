"""What storing and grading cost a sample: ``python -m benchmarks.bench_store``.

Naive is what many scripts do with each sample: open the file, append one JSON line, flush, close, and no fsync.
Prints microseconds a sample, by the clock and of processor time, and by how much the process's peak memory rose.
"""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import bench
from bench.problem import write_gold
from runner.config.compose import compose
from runner.engines.base import LoadedModel
from runner.results.layout import RunFolder
from runner.results.record import Record, RecordStatus, Turn, to_json
from runner.results.run import open_run
from runner.results.store import GenerationStore
from runner.results.summary import summarise
from runner.results.verdict_table import LiveTable, grade_run
from runner.sampling.generation import FinishReason, Usage

LOADED = LoadedModel("scripted", "none", 32, "dense", "float32", "cpu", 8_192, {})
SETTINGS = compose(["model=scripted", "engine=scripted", "tracking=off"]).model_dump(mode="json")
THINKING = "Let me add the numbers one by one and check each step before I go on. "


def make_record(task: str, index: int) -> Record:
    """Return a sample of about 1 kB; two of three are right."""
    problem = bench.make_task(task).problem(seed=0, fold=0, index=index)
    answer = write_gold(problem.gold) if index % 3 else "0"
    text = f"<think>{THINKING * 6}</think>\nThe answer is \\boxed{{{answer}}}."
    return Record(
        problem_id=problem.id,
        task=task,
        fold=0,
        index=index,
        repeat=0,
        data=problem.data,
        status=RecordStatus.OK,
        finish_reason=FinishReason.STOP,
        turns=(Turn("model", text, tuple(range(160)), 1.5),),
        usage=Usage(60, 120, 38, 160),
        max_tokens=8_000,
        prompt_sha256="0" * 64,
        prompt_tail="<|im_start|>assistant\n",
        started_s=1.7e9,
        latency_s=1.5,
        code_revision="0" * 40,
    )


def naive(plain: Sequence[Mapping[str, Any]], path: Path) -> None:
    for one in plain:
        with path.open("a") as file:
            file.write(json.dumps(one) + "\n")
            file.flush()


def store(records: Sequence[Record], folder: RunFolder) -> None:
    with GenerationStore(folder) as open_store:
        open_run(folder, SETTINGS, "0" * 16, LOADED, "bench_store")
        for one in records:
            open_store.append(one)


def grade(records: Sequence[Record], folder: RunFolder) -> None:
    table = LiveTable(folder, "none")
    for one in records:
        table.grade(one)
    table.finish()


def timed(name: str, samples: int, work: Callable[[], object]) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start, busy = time.perf_counter(), time.process_time()
    work()
    wall, busy = time.perf_counter() - start, time.process_time() - busy
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    print(f"{name:<42}{wall / samples * 1e6:9.1f}{busy / samples * 1e6:9.1f}{grown:9.0f}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--samples", type=int, default=42_000)
    samples = parser.parse_args().samples
    tasks = bench.task_names("basic_math")
    records = [make_record(tasks[number % len(tasks)], number // len(tasks)) for number in range(samples)]
    plain = [{**json.loads(to_json(one)), "ids": list(range(160))} for one in records]
    print(f"{'':<42}{'µs wall':>9}{'µs CPU':>9}{'MiB':>9}")
    with tempfile.TemporaryDirectory() as scratch:
        folder, other = RunFolder(Path(scratch) / "run"), RunFolder(Path(scratch) / "other")
        timed("naive: open, append a line, flush, close", samples, lambda: naive(plain, Path(scratch) / "naive.jsonl"))
        timed("store.append, ids and fsync included", samples, lambda: store(records, folder))
        timed("grade as they come, write the table", samples, lambda: grade(records, other))
        records.clear()
        plain.clear()
        timed("read which samples are done", samples, lambda: len(GenerationStore(folder).done_keys()))
        timed("grade anew from the store", samples, lambda: grade_run(folder))
        timed("summarise", samples, lambda: summarise(folder))
        mean = folder.generations.stat().st_size / samples
    print(f"each of {samples:,} samples; a line of {mean:.0f} bytes and 160 token ids each")


if __name__ == "__main__":
    main()
