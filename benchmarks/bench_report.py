"""What it takes to summarise and to report a study: ``python -m benchmarks.bench_report --runs 500 --samples 1400``.

Every run holds the same problems; one is graded and the others are its copies under names of their own, so that each
has verdicts on disk. Prints seconds by the clock and of processor time, and the process's peak memory.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from benchmarks.bench_store import LOADED, make_record
from runner.cli.report import report_study
from runner.config.compose import compose
from runner.config.settings import Scoring
from runner.report.console import make_console
from runner.report.frames import read_study
from runner.results.layout import RunFolder
from runner.results.record import Turn
from runner.results.run import open_run
from runner.results.store import GenerationStore
from runner.results.verdict_table import grade_run

TASKS = ("sorting", "comparison", "sum", "subtraction", "multiplication", "division", "absolute_difference", "find_max",
         "find_min", "mean", "median", "mode", "odd_count", "even_count")  # fmt: skip
SETTINGS = compose(["model=scripted", "engine=scripted", "tracking=off"]).model_dump(mode="json")
BUDGETS = 10  # of each model; with none among them, a curve and nine pairs


def make_study(study: Path, runs: int, samples: int, text_bytes: int) -> None:
    """Write a study of graded runs; their texts are one file with many names."""
    first = RunFolder(study / "run-0000")
    with GenerationStore(first) as store:
        open_run(first, SETTINGS, f"{0:016x}", LOADED, "bench_report")
        for index in range(samples):
            record = make_record(TASKS[index % len(TASKS)], index // len(TASKS))
            turn = record.turns[0]
            padded = turn.text.replace("</think>", _working(index, text_bytes - len(turn.text)) + "</think>")
            usage = replace(record.usage, output=record.usage.output + 7 * index % 1_000)
            store.append(replace(record, turns=(Turn("model", padded),), usage=usage))
    grade_run(first)
    identity = json.loads(first.run_json.read_bytes())
    for number in range(1, runs):
        folder = RunFolder(study / f"run-{number:04}")
        shutil.copytree(first.path, folder.path, copy_function=os.link)
        folder.run_json.unlink()
        identity["settings"]["model"]["name"] = f"bench-{number // BUDGETS:04}"
        step = number % BUDGETS
        identity["settings"]["budget"]["tokens"] = 32 << step if step else None
        folder.run_json.write_text(json.dumps({**identity, "fingerprint": f"{number:016x}"}))


def _working(seed: int, size: int) -> str:
    """Return about ``size`` characters that look like a trace's steps: no two lines are alike."""
    lines, length, number = [], 0, seed
    while length < size:
        number += 17
        lines.append(
            f"\nStep {len(lines) + 1}: {number} and {3 * seed} make {number + 3 * seed}. I keep {number} in mind."
        )
        length += len(lines[-1])
    return "".join(lines)


def main() -> None:
    """Make a study, read it, and print what it took."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--samples", type=int, default=140)
    parser.add_argument("--text-bytes", type=int, default=1_000)
    parser.add_argument("--page", action="store_true", help="also write the report")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as root:
        study = Path(root) / "study"
        make_study(study, asked.runs, asked.samples, asked.text_bytes)
        before, start, work = (
            resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
            time.perf_counter(),
            time.process_time(),
        )
        frames = read_study(study)
        seconds, worked = time.perf_counter() - start, time.process_time() - work
        if asked.page:
            report_study(study, None, 20_000, False, Scoring.PAPER, make_console())
            print(
                f"whole report: {time.perf_counter() - start:.1f} s ({time.process_time() - work:.1f} s of processor)"
            )
            print(f"its folder: {sum(file.stat().st_size for file in (study / 'report').rglob('*.*')) >> 20} MiB")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    held = sum(int(frame.memory_usage(deep=True).sum()) for frame in (frames.points, frames.tasks, frames.samples))
    print(
        f"{len(frames.points)} runs, {len(frames.samples):,} samples: {seconds:.1f} s ({worked:.1f} s of processor)",
        end=", ",
    )
    print(f"peak memory {peak >> 10} MiB ({before >> 10} before), frames {held >> 20} MiB")


if __name__ == "__main__":
    main()
