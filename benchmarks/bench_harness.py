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
from collections import deque
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
USAGE = Usage(50, 0, 150, 150)


class NullEngine:
    """Answers every request with the same text after a fixed number of steps; a step may take time."""

    capabilities = EngineCapabilities(continues=False, token_ids=True, seeds=True, stop_strings=False, local=True)
    loaded = LoadedModel("null", "none", 0, "none", "none", "none", 8192, {})
    default_sampling = SamplingParams()

    def __init__(self, window: int, steps: int, step_s: float) -> None:
        self.window = window
        self._steps = steps
        self._step_s = step_s
        self._now = 0
        self._waiting: deque[tuple[int, str]] = deque()  # (step it ends at, key)
        self._submitted = 0
        self.polls = 0
        self.cpu_s = 0.0  # spent in steps

    @property
    def in_flight(self) -> int:
        return len(self._waiting)

    def submit(self, request: Request) -> None:
        # The first ones end one after the other, so that from then on every step finishes a few.
        first = self._submitted < self.window
        steps = 1 + self._submitted * self._steps // self.window if first else self._steps
        self._submitted += 1
        self._waiting.append((self._now + steps, request.key))

    def poll(self, timeout_s: float) -> list[Generation]:
        start = time.process_time()
        while time.process_time() - start < self._step_s:
            pass  # an engine in this process computes; it does not sleep
        self._now += 1
        self.polls += 1
        finished = []
        while self._waiting and self._waiting[0][0] <= self._now:
            _, key = self._waiting.popleft()
            finished.append(Generation(key, TEXT, FinishReason.STOP, USAGE, IDS, 0.1, 4096, "0" * 64, "tail"))
        self.cpu_s += time.process_time() - start
        return finished

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
        start, cpu_start = time.perf_counter(), time.process_time()
        for record in driver.run(samples(count), Event()):
            store.append(record)
            grade_record(record)
        wall, cpu = time.perf_counter() - start, time.process_time() - cpu_start
    cost = f"{wall / count * 1e6:.0f} µs, of CPU {cpu / count * 1e6:.0f} µs"
    print(f"per sample, problem to verdict, without the engine: {cost} ({count} samples)")


def per_step(steps: int) -> None:
    engine = NullEngine(256, 200, 0.01)  # a text of 200 tokens, one a step
    with tempfile.TemporaryDirectory() as folder, GenerationStore(RunFolder(Path(folder))) as store:
        done = 0
        cpu_start = time.process_time()
        for record in Driver(lambda: engine, ToolPool({}), 0).run(samples(10**9), Event()):
            if not done:  # the window is full from here on
                cpu_start, first = time.process_time() - engine.cpu_s, engine.polls
            store.append(record)
            done += 1
            if engine.polls >= steps:
                break
        cpu = time.process_time() - engine.cpu_s - cpu_start
    polls = engine.polls - first
    print(f"per step of 256 sequences, {done / polls:.1f} of them finishing: {cpu / polls * 1e6:.0f} µs of CPU")


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
