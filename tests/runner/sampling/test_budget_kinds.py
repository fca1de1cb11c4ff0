"""Each way to limit tokens says what it did: which mechanism it was, and whether it acted."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

import runner
from bench.problem import Problem
from runner.cli.curve import show_curve
from runner.config.compose import compose
from runner.config.fingerprint import generation_fingerprint
from runner.config.settings import Scoring, ScriptedSettings
from runner.config.suite import Suite
from runner.engines.scripted import ScriptedEngine
from runner.engines.source import EngineSource
from runner.errors import UserError
from runner.experiment import run_point
from runner.pack import opened, packs_of
from runner.point import Point, prepare
from runner.results.record import Record
from runner.results.store import read
from runner.sampling.budget import NATIVE_SLACK_TOKENS
from runner.sampling.prompting import messages_of
from runner.sampling.request import Request

BASE = ("model=scripted", "engine=scripted", "tracking=off", "suite.samples=10", "suite.tasks=[sum,mode]")
CONSOLE = Console(quiet=True)


def asked(outputs: Path, *overrides: str) -> Point:
    return prepare(compose([*BASE, f"outputs={outputs}", *overrides]))


def run(outputs: Path, *overrides: str) -> list[Record]:
    point = asked(outputs, *overrides)
    (pack,) = packs_of([point])
    with opened(pack) as source:
        run_point(point, source, "command", CONSOLE)
    return list(read(point.folder))


ACTED: dict[str, Callable[[Record, int], bool]] = {
    "total": lambda record, tokens: record.usage.output == tokens,
    "thinking": lambda record, tokens: "injected" in {turn.kind for turn in record.turns},
    "hint": lambda record, tokens: record.usage.output > tokens,
    "native": lambda record, tokens: record.usage.thinking == tokens,
}


@pytest.mark.parametrize(("kind", "tokens"), [("total", 330), ("thinking", 200), ("hint", 330), ("native", 200)])
def test_the_record_says_what_limited_its_tokens_and_whether_it_acted(kind: str, tokens: int, tmp_path: Path) -> None:
    records = run(tmp_path, f"budget={kind}", f"budget.tokens={tokens}")
    assert {record.budget_kind for record in records} == {kind}
    hits = [record.budget_hit for record in records]
    assert hits == [ACTED[kind](record, tokens) for record in records]
    assert set(hits) == {True, False}
    frame = runner.load(tmp_path / "single")
    assert sorted(frame["budget_hit"]) == sorted(map(bool, hits))
    assert set(frame["budget_kind"]) == {kind}
    assert set(frame["noise"]) == {"counter"}


def test_without_a_limit_and_in_a_failure_nothing_acted(tmp_path: Path) -> None:
    assert {(record.budget_kind, record.budget_hit) for record in run(tmp_path)} == {(None, None)}
    assert runner.load(tmp_path / "single")["budget_hit"].isna().all()
    failures = run(tmp_path, "budget.tokens=50", "engine.fail=1.0", "study=failed")
    assert {(record.budget_kind, record.budget_hit) for record in failures} == {("total", None)}


def test_a_hint_is_said_behind_the_question_and_nothing_is_forced(tmp_path: Path) -> None:
    problem = next(Suite(compose([*BASE]).suite).places())[0]
    told, plain = compose([*BASE, "budget=hint", "budget.tokens=7"]), compose([*BASE])
    (user,), (before,) = messages_of(told, problem.question), messages_of(plain, problem.question)
    assert user.content.removeprefix(before.content) == (
        "\n\nUse at most 7 tokens for your whole response, thinking included."
    )
    hinted, free = run(tmp_path, "budget=hint", "budget.tokens=7"), run(tmp_path, "study=free")
    assert [record.text for record in hinted] == [record.text for record in free]
    assert {record.prompt_sha256 for record in hinted}.isdisjoint({record.prompt_sha256 for record in free})


def test_two_hints_are_two_runs_and_no_limit_is_one_run(tmp_path: Path) -> None:
    names = [
        ["budget=hint", "budget.tokens=64"],
        ["budget=hint", "budget.tokens=65"],
        ["budget=hint", "budget.tokens=64", "budget.text='Be brief: {tokens}.'"],
        ["budget=native", "budget.tokens=64"],
        ["budget=hint", "budget.tokens=null"],
    ]
    prints = [fingerprint(*overrides) for overrides in names]
    assert len(set(prints)) == len(names)
    assert prints[-1] == fingerprint("budget=native", "budget.tokens=null") == fingerprint("budget=total")


def fingerprint(*overrides: str) -> str:
    settings = compose([*BASE, *overrides])
    return generation_fingerprint(settings, Suite(settings.suite))


def test_an_engine_closes_the_thinking_where_its_cap_is(tmp_path: Path) -> None:
    records = run(tmp_path, "budget=native", "budget.tokens=0", "engine.overrun=0.3")
    assert {record.usage.thinking for record in records} == {0}
    frame = runner.load(tmp_path / "single")
    assert set(frame["thinking_state"]) == {"forced"}
    assert set(frame["injected_tokens"]) == {0}


@pytest.mark.parametrize("kind", ["hint", "native"])
def test_texts_under_such_a_budget_have_no_curve(kind: str, tmp_path: Path) -> None:
    run(tmp_path, f"budget={kind}", "suite.samples=1")
    with pytest.raises(UserError, match=f"made with budget={kind}.*needs a run with budget=total"):
        show_curve(tmp_path / "single", None, "16", None, Scoring.PAPER, CONSOLE)


class Deaf(ScriptedEngine):
    """An engine of an earlier version: it takes a cap on thinking and ignores it."""

    def submit(self, request: Request) -> None:
        super().submit(replace(request, thinking_cap=None))


def test_an_ignored_cap_is_an_error_of_its_sample_and_the_others_go_on(tmp_path: Path) -> None:
    point = asked(tmp_path, "budget=native", "budget.tokens=200")
    engine = point.engine
    assert isinstance(engine, ScriptedSettings)

    def load(problem_of: Callable[[str], Problem]) -> Deaf:
        return Deaf(point.settings.model, engine, problem_of)

    assert run_point(point, EngineSource(load), "command", CONSOLE) == 1
    records = list(read(point.folder))
    assert len(records) == 20
    failures = [record.failure for record in records if record.usage.thinking > 200 + NATIVE_SLACK_TOKENS]
    assert 0 < len(failures) < 20
    for failure in failures:
        assert failure is not None
        assert failure.kind == "cap_ignored"
        assert re.search(r"thought for \d+ tokens, so the engine has ignored its cap.*budget=thinking", failure.message)
    assert sum(record.failure is None for record in records) == 20 - len(failures)


@pytest.mark.parametrize(
    ("overrides", "says"),
    [
        (
            ["model=thinker", "engine=transformers"],
            "budget=native: engine=transformers has no cap.*use budget=thinking",
        ),
        (["model=scripted", "engine=scripted", "model.thinking=null"], "does not think; use budget=total"),
        (["model=scripted", "engine=scripted", "budget.tokens=9000"], "context of scripted holds 8192"),
    ],
)
def test_what_cannot_be_capped_is_refused_before_anything_starts(overrides: list[str], says: str) -> None:
    with pytest.raises(UserError, match=says):
        prepare(compose(["tracking=off", "budget=native", *overrides]))


@pytest.mark.parametrize(
    ("overrides", "says"),
    [
        (
            ["budget.tokens=9000"],
            r"^budget.tokens=9000: the context of scripted holds 8192 tokens .*; give less, or null",
        ),
        (
            ["budget=thinking", "budget.tokens=8000", "budget.answer_tokens=200"],
            r"^budget.tokens=8000 with budget.answer_tokens=200: the context of scripted holds 8192 .* less of either$",
        ),
        (
            ["model=qwen3_0p6b", "engine=vllm", "engine.max_model_len=1024", "budget.tokens=2000", "plan=true"],
            r"^budget.tokens=2000: engine.max_model_len holds 1024 tokens",
        ),
    ],
)
def test_a_budget_that_leaves_no_room_for_a_prompt_is_refused_by_its_parts(overrides: list[str], says: str) -> None:
    with pytest.raises(UserError, match=says):
        prepare(compose([*BASE, *overrides]))


def test_a_hint_without_a_place_for_the_number_is_refused() -> None:
    with pytest.raises(UserError, match=r"budget.text must contain \{tokens\}"):
        compose([*BASE, "budget=hint", "budget.text=short"])
