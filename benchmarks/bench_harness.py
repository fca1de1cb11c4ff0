"""What the program costs apart from the engine: per sample, per step, and in memory.

    python -m benchmarks.bench_harness [--samples 200000]

1. Per sample: driver, sample, store and grading around an engine that answers at once.
2. Per step: the driver around an engine of 256 sequences whose steps take 10 ms, beside those 10 ms.
3. Memory: what a run of many samples adds to the process above its imports.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from threading import Event

import bench
from bench.problem import Problem
from runner.config.suite import Place
from runner.engines.base import EngineCapabilities, LoadedModel
from runner.results.grading import grade_record
from runner.results.layout import RunFolder
from runner.results.store import GenerationStore
from runner.sampling.driver import Driver
from runner.sampling.generation import FinishReason, Generation, Usage
from runner.sampling.request import Message, Request, SamplingParams
from runner.sampling.sample import Sample, SampleSpec, SingleTurn
from runner.tools.pool import ToolPool

SPEC = SampleSpec(SamplingParams(), max_tokens=None)
TEXT = "Adding the numbers one after the other gives the total. " * 12 + "\\boxed{42}"
IDS = tuple(range(150))


class NullEngine:
    """Answers every request with the same text after a fixed number of steps; a step may sleep."""

    capabilities = EngineCapabilities(continues=False, token_ids=True, seeds=True, stop_strings=False, local=True)
    loaded = LoadedModel("null", "none", 0, "none", "none", "none", 8192, {})
    default_sampling = SamplingParams()

    def __init__(self, window: int, steps: int, step_s: float) -> None:
        self.window = window
        self._steps = steps
        self._step_s = step_s
        self._now = 0
        self._waiting: list[tuple[int, str]] = []
        self.polls = 0

    @property
    def in_flight(self) -> int:
        return len(self._waiting)

    def submit(self, request: Request) -> None:
        # Spread over the steps, so that every step finishes a few.
        self._waiting.append((self._now + 1 + len(self._waiting) % self._steps, request.key))

    def poll(self, timeout_s: float) -> list[Generation]:
        if self._step_s:
            time.sleep(self._step_s)
        self._now += 1
        self.polls += 1
        due = [key for step, key in self._waiting if step <= self._now]
        self._waiting = [item for item in self._waiting if item[0] > self._now]
        return [
            Generation(key, TEXT, FinishReason.STOP, Usage(50, 0, 150, 150), IDS, 0.1, 4096, "0" * 64, "tail")
            for key in due
        ]

    def cancel(self, key: str) -> None:
        raise NotImplementedError

    def close(self) -> None: ...


def problems(count: int) -> Iterator[Problem]:
    task = bench.make_task("sum")
    for index in range(count):
        yield task.problem(seed=0, fold=0, index=index)


def samples(count: int) -> Iterator[Sample]:
    for index, problem in enumerate(problems(count)):
        yield SingleTurn(problem, Place(0, index, 0), (Message("user", problem.question),), SPEC, index)


def per_sample(count: int) -> None:
    with tempfile.TemporaryDirectory() as folder, GenerationStore(RunFolder(Path(folder))) as store:
        driver = Driver(lambda: NullEngine(256, 1, 0.0), ToolPool({}), 0)
        start = time.perf_counter()
        for record in driver.run(samples(count), Event()):
            store.append(record)
            grade_record(record)
        seconds = time.perf_counter() - start
    print(f"per sample, problem to verdict, without the engine: {seconds / count * 1e6:.0f} µs ({count} samples)")


def per_step(steps: int) -> None:
    engine = NullEngine(256, 200, 0.01)  # a text of 200 tokens, one a step
    with tempfile.TemporaryDirectory() as folder, GenerationStore(RunFolder(Path(folder))) as store:
        done = 0
        start = time.perf_counter()
        for record in Driver(lambda: engine, ToolPool({}), 0).run(samples(10**9), Event()):
            store.append(record)
            done += 1
            if engine.polls >= steps:
                break
        seconds = time.perf_counter() - start
    bare_start = time.perf_counter()
    for _ in range(steps):
        time.sleep(0.01)
    bare = time.perf_counter() - bare_start
    over = (seconds - bare) / engine.polls * 1e6
    print(
        f"per step of 256 sequences, {done / engine.polls:.1f} of them finishing: {over:.0f} µs on top of the engine's"
    )


def memory(count: int) -> None:
    """Run a whole point in a process of its own: generate, store, grade, summarise."""
    with tempfile.TemporaryDirectory() as folder:
        each = count // 14
        asked = ["model=scripted", "engine=scripted", "tracking=off", f"suite.samples={each}", f"outputs={folder}"]
        code = f"import benchmarks.bench_harness as b; b.memory_of_run({asked!r})"
        subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parent.parent)


def memory_of_run(asked: list[str]) -> None:
    """Print what a run adds to a process that has imported everything and made one small run."""
    from runner.app import main as run

    with redirect_stdout(StringIO()):
        run([*asked, "suite.samples=1", "study=warm"])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    run(asked)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"memory of that run above the imports: {(after - before) / 1024:.0f} MB")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--samples", type=int, default=200_000, help="samples of the memory part")
    arguments = parser.parse_args()
    per_sample(5_000)
    per_step(300)
    memory(arguments.samples)


if __name__ == "__main__":
    main()
