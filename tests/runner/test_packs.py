"""Which points share an engine, in which order they run, and how many GPUs they take."""

from __future__ import annotations

import pytest
from rich.console import Console

from runner import sweep
from runner.config.compose import compose
from runner.config.machine import visible_gpus
from runner.errors import EXIT_INTERRUPTED
from runner.pack import Pack, packs_of, split
from runner.point import Point, prepare

SCRIPTED = ("model=scripted", "engine=scripted", "tracking=off")


def point(*overrides: str) -> Point:
    return prepare(compose([*SCRIPTED, *overrides]))


def test_points_that_share_an_engine_stand_together_largest_budget_first() -> None:
    asked = [
        point(f"engine.accuracy={accuracy}", f"budget.tokens={tokens}", f"prompt={prompt}")
        for tokens in (50, 100, "null")
        for accuracy in (0.5, 0.7)
        for prompt in ("standard", "concise")
    ]
    packs = packs_of(asked)
    assert [len(pack.points) for pack in packs] == [6, 6]
    ran = [(one.settings.prompt.name, one.settings.budget.tokens) for one in packs[0].points]
    assert ran == [(prompt, tokens) for prompt in ("standard", "concise") for tokens in (None, 100, 50)]
    assert {id(one) for pack in packs for one in pack.points} == {id(one) for one in asked}


def test_a_provider_that_is_told_how_to_draw_is_another_engine() -> None:
    api = ("model=claude_sonnet4", "engine=anthropic", "engine.base_url=http://localhost:1", "tracking=off")
    ways = ("sampling=benchmark", "sampling=greedy", "sampling=model_default")
    asked = [prepare(compose([*api, way])) for way in ways]
    assert [len(pack.points) for pack in packs_of(asked)] == [2, 1]


def test_texts_are_shared_over_kinds_of_budgets_and_not_without_reuse() -> None:
    kinds = ("budget=thinking budget.tokens=50", "budget=hint budget.tokens=70", "budget.tokens=60 budget.reuse=false")
    asked = [point(*typed.split()) for typed in (*kinds, "budget.tokens=80")]
    (pack,) = packs_of(asked)
    assert [one.settings.budget.tokens for one in pack.points] == [80, 50, 70, 60]
    assert [len(part.points) for part in split(pack, 1)] == [2, 1, 1]


def test_points_of_one_folder_are_never_run_side_by_side() -> None:
    """A window decides no text, so both points write to one run."""
    (pack,) = packs_of([point("engine.window=4", "suite.samples=2"), point("engine.window=8", "suite.samples=4")])
    assert len(pack.points) == 2


@pytest.mark.parametrize(
    ("overrides", "gpus"),
    [
        (["engine=vllm", "engine.tensor_parallel_size=2", "engine.pipeline_parallel_size=3"], 6),
        (["engine=transformers"], 1),
        (["engine=transformers", "engine.device=cpu"], 0),
    ],
)
def test_a_pack_takes_the_gpus_of_its_engine(overrides: list[str], gpus: int) -> None:
    assert Pack((prepare(compose(["model=qwen3_0p6b", "plan=true", *overrides])),)).gpus == gpus


@pytest.mark.parametrize(
    ("ends", "labels"), [((0, 1), ["point 1 of 2", "point 2 of 2"]), ((EXIT_INTERRUPTED, 0), ["point 1 of 2"])]
)
def test_answers_are_judged_behind_the_engine_point_by_point_until_somebody_breaks_off(
    ends: tuple[int, int], labels: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    packs = packs_of([point("budget.tokens=50"), point("budget.tokens=100")])
    left, seen = list(ends), []

    def judge(one: Point, source: object, command: str, console: Console, brief: str | None) -> int:
        seen.append(brief)
        return left.pop(0)

    monkeypatch.setattr(sweep, "run_point", lambda *asked: 0)
    monkeypatch.setattr(sweep, "_judge", judge)
    assert sweep.run_packs(packs, "command", Console(quiet=True), brief=True) == max(ends)
    assert seen == labels


@pytest.mark.parametrize(("named", "gpus"), [("", []), ("-1", []), ("3", ["3"]), ("0, MIG-x,2", ["0", "MIG-x", "2"])])
def test_the_gpus_are_those_that_are_not_hidden(named: str, gpus: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", named)
    assert visible_gpus() == gpus
