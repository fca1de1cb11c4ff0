"""What a plan counts: a text that points share once, and no earlier run that is too small to tell anything."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rich.console import Console

from runner.config.compose import compose
from runner.experiment import run_point
from runner.pack import opened, packs_of
from runner.plan import paid_once
from runner.point import Point, prepare
from runner.sweep import plan_of

BASE = ("model=scripted", "engine=scripted", "tracking=off", "suite.tasks=[sum,mode]", "suite.samples=10")
SAMPLES = 20


def points(outputs: Path, *lines: str) -> list[Point]:
    return [prepare(compose([*BASE, f"outputs={outputs}", *line.split()])) for line in lines]


def tokens(outputs: Path, *lines: str) -> list[float | None]:
    asked = points(outputs, *lines)
    return [plan.tokens.value for plan in paid_once([plan_of(point) for point in asked], asked)]


def generate(outputs: Path, *overrides: str) -> None:
    point = prepare(compose([*BASE, f"outputs={outputs}", "study=earlier", *overrides]))
    with opened(packs_of([point])[0]) as source:
        run_point(point, source, "command", Console(quiet=True))


def test_budgets_of_one_text_pay_for_the_largest_alone(tmp_path: Path) -> None:
    assert tokens(tmp_path, "budget.tokens=50", "budget.tokens=200", "budget.tokens=100") == [0, 200 * SAMPLES, 0]


def test_budgets_on_thinking_pay_for_their_answers_too(tmp_path: Path) -> None:
    common = "budget=thinking budget.answer_tokens=30 budget.tokens"
    paid = tokens(tmp_path, f"{common}=100", f"{common}=10", f"{common}=0")
    assert paid == [130 * SAMPLES, 30 * SAMPLES, 30 * SAMPLES]


@pytest.mark.parametrize(
    "other", ["prompt=concise", "sampling.seed=1", "suite.seed=1", "model.name=other", "budget.reuse=false", "study=s"]
)
def test_what_is_not_the_same_text_is_paid_for_each_time(other: str, tmp_path: Path) -> None:
    paid = tokens(tmp_path, "budget.tokens=200", f"budget.tokens=50 {other}")
    assert paid == [200 * SAMPLES, 50 * SAMPLES]


def test_what_is_done_already_costs_nothing(tmp_path: Path) -> None:
    generate(tmp_path, "budget.tokens=200")
    assert tokens(tmp_path, "budget.tokens=200 study=earlier", "budget.tokens=50 study=earlier") == [0, 0]


@pytest.mark.parametrize(("samples", "counts"), [(9, False), (10, True)])
def test_an_earlier_run_of_a_few_samples_tells_nothing(samples: int, counts: bool, tmp_path: Path) -> None:
    generate(tmp_path, f"suite.samples={samples}")  # of two tasks
    (point,) = points(tmp_path, "study=s")
    assert (plan_of(point).tokens.value is not None) == counts


@pytest.mark.parametrize(
    ("engine", "seconds", "expected"),
    [("scripted", 10.0, 2.0), ("scripted", 1.0, None), ("vllm", 10.0, None)],
    ids=["measured", "too short", "another engine"],
)
def test_speed_is_taken_from_the_same_engine_and_no_short_stretch(
    engine: str, seconds: float, expected: float | None, tmp_path: Path
) -> None:
    generate(tmp_path)
    (earlier,) = points(tmp_path, "study=earlier")
    known = json.loads(earlier.folder.run_json.read_text())
    known["loaded"]["engine"] = engine
    known["attempts"][0] |= {"seconds": seconds, "output_tokens": 1000 * int(seconds), "device": "a device"}
    earlier.folder.run_json.write_text(json.dumps(known))
    (point,) = points(tmp_path, "study=s budget.tokens=100")
    plan = plan_of(point)
    assert plan.seconds.value == expected
    assert ("on a device" in plan.seconds.basis) == (expected is not None)
