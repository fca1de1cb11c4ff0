"""When a model knew, where some of its answers can't be had."""

from __future__ import annotations

import shutil
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from runner.config.compose import compose
from runner.engines.scripted import ScriptedEngine
from runner.onset import onsets
from runner.point import prepare
from runner.results.run import load_run
from runner.sampling.generation import Boundary, Generation, failed
from runner.sampling.request import Request
from runner.sweep import run_alone

STEP = 40


def test_an_answer_that_failed_is_not_a_wrong_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    part = ["engine=scripted", "engine.thinking_tokens=100", "engine.answer_tokens=0", "engine.accuracy=1"]
    asked = ["model=scripted", *part, "budget.tokens=null", "suite.tasks=[sum]", "suite.samples=3", "tracking=off"]
    one = prepare(compose([*asked, f"outputs={tmp_path}"]))
    run_alone(one, "python -m runner", Console(file=StringIO()))
    run = load_run(one.folder)
    assert run is not None
    whole = onsets(one.folder, run, STEP, 3)
    assert all(found.probes == -(-found.thinking // STEP) > 1 for found in whole)
    play = ScriptedEngine._play

    def without_the_last(engine: ScriptedEngine, request: Request) -> Generation:
        if sum(len(segment.text) for segment in request.prefix if not segment.injected) >= STEP:
            return failed(request.key, Boundary.PROMPT, "prompt_too_long", "no room")
        return play(engine, request)

    monkeypatch.setattr(ScriptedEngine, "_play", without_the_last)
    shutil.rmtree(tmp_path / "single" / "trajectories")  # else nobody is asked
    cut = onsets(one.folder, run, STEP, 3)
    assert [found.settled for found in cut] == [found.settled for found in whole]
    assert cut == [replace(found, probes=1) for found in whole]
