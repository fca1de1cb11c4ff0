"""Tracks runs as an experiment does, in a process of its own: the client keeps global state.

Usage: track_runs.py JSON with

- runs: a list of {id, folder, name, tags, samples, accuracy, exit_code}
- settings, limits: changes to the tracking group's settings and to the tracker's time limits
- pause: wait for a line on stdin after each start
- beside: keep a run of the user's own open all the while
"""

from __future__ import annotations

import json
import logging
import signal
import sys
from functools import partial
from pathlib import Path
from typing import Any

import wandb

from runner.config.settings import WandbTracking
from runner.tracking.base import TraceRow, TrackedRun
from runner.tracking.wandb import WandbTracker

SETTINGS = {"name": "wandb", "project": "thinkmeter", "entity": None, "mode": "auto", "tags": (), "trace_rows": 200}
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGUSR2]


def traces(samples: int, count: int) -> list[TraceRow]:
    """Return six rows or ``count``; without any samples that is a fault of ours."""
    return [row(index % samples) for index in range(min(count, 6))]


def row(index: int) -> TraceRow:
    task = ("sum", "median")[index % 2]
    thinking = "\ud800 wait " * 1_000
    return TraceRow(f"{task}:{index}", task, 0, "2+2?", thinking, "It is 4", None, "4", "unparsed", None, 9, 3, 12)


def track(tracker: WandbTracker, run: dict[str, Any], pause: bool) -> None:
    folder = Path(run["folder"])
    config = {"model": {"name": "m", "revision": None, "a.b": 1}, "samples": run.get("samples", 20)}
    tracker.start(TrackedRun(run["id"], run.get("name", "a run"), "study", run.get("tags", ()), config, folder))
    print(json.dumps(tracker.url), flush=True)
    if pause:
        input()
    tasks = {"sum": {"accuracy": run.get("accuracy", 0.5), "missing": None, "nan": float("nan")}}
    tracker.log_summary({"tasks": tasks, "overall": {"n": 40}})
    tracker.log_traces(partial(traces, config["samples"]))
    tracker.finish(run.get("exit_code", 0))


def main(asked: dict[str, Any]) -> None:
    logging.basicConfig(format="%(message)s")
    tracker = WandbTracker(WandbTracking(**SETTINGS | asked.get("settings", {})), **asked.get("limits", {}))
    handlers = [signal.getsignal(number) for number in SIGNALS]
    own = wandb.init(mode="offline", settings=wandb.Settings(silent=True)) if asked.get("beside") else None
    for run in asked["runs"]:
        track(tracker, run, asked.get("pause", False))
    if own:
        own.log({"still": "open"})
        own.finish()
    assert handlers == [signal.getsignal(number) for number in SIGNALS]


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
