"""Samples that call tools: every protocol and slip, limits and budgets, and no engine step that waits for a tool."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from threading import Event
from typing import Any

import pytest
from test_driver import problem_of, script

import bench
from runner.config.settings import ModelSettings, ThinkingMarkers
from runner.config.suite import Place
from runner.engines.base import Engine
from runner.engines.scripted import ScriptedEngine
from runner.engines.trajectory import KeptInMemory
from runner.engines.trajectory_cache import TrajectoryCache
from runner.results.record import Record, RecordStatus, read_line, to_json
from runner.sampling.driver import Driver
from runner.sampling.generation import FinishReason, Generation
from runner.sampling.request import Message, SamplingParams
from runner.sampling.sample import CallTool, Finish, Generate, SampleSpec, Started
from runner.sampling.tool_turns import ToolLimits, ToolTurns
from runner.tools.dialects import Dialect, Native, React, ReactMessages
from runner.tools.pool import ToolPool
from runner.tools.protocol import SPECS, ToolResult

MARKERS = ThinkingMarkers(open="<think>", close="</think>")
MODEL = ModelSettings(name="s", id="s", source="none", family="s", kind="reasoning", context=20000, thinking=MARKERS)
ALL = tuple(SPECS.values())
CALCULATOR = (SPECS["calculator"],)
DIALECTS: dict[str, Dialect] = {
    "react": React(CALCULATOR, 10, MARKERS),
    "react_messages": ReactMessages(CALCULATOR, 10, MARKERS),
    "native": Native(CALCULATOR, "s", MARKERS),
}


def calculate(arguments: Mapping[str, Any]) -> str:
    numbers = [int(number) for number in arguments["expression"].replace(" - ", " + -").split(" + ")]
    return str(sum(numbers))


def sample(dialect: Dialect, index: int = 0, cap: int | None = None, limits: ToolLimits | None = None) -> ToolTurns:
    problem = bench.make_task("sum").problem(seed=0, fold=0, index=index)
    spec = SampleSpec(SamplingParams(), max_tokens=cap)
    messages = (Message("user", problem.question),)
    return ToolTurns(problem, Place(0, index, 0), messages, spec, index, dialect, limits or ToolLimits(10, None))


def run(
    dialect: Dialect, count: int = 10, cap: int | None = None, limits: ToolLimits | None = None, **part: object
) -> list[Record]:
    engine = script(**{"tool_calls": 1.0, **part})
    driver = Driver(lambda: ScriptedEngine(MODEL, engine, problem_of), ToolPool({"calculator": calculate}), 0)
    return list(driver.run((sample(dialect, index, cap, limits) for index in range(count)), Event()))


def outcomes(records: list[Record]) -> set[str]:
    return {bench.grade(bench.problem_from_data(one.task, one.data), one.text).outcome.value for one in records}


FORMS = ["hermes", "llama", "mistral", "bare", "structured"]
WAYS = [("react", "hermes"), ("react_messages", "hermes"), *(("native", form) for form in FORMS)]


@pytest.mark.parametrize(("dialect", "form"), WAYS)
@pytest.mark.parametrize("thinking", [0, 80])
def test_every_protocol_calls_gets_the_result_and_answers(dialect: str, form: str, thinking: int) -> None:
    records = run(DIALECTS[dialect], call_form=form, thinking_tokens=thinking, calls=2)
    assert outcomes(records) == {"correct"}
    for record in records:
        assert [turn.kind for turn in record.turns] == ["model", "tool", "model", "tool", "model"]
        call = record.turns[1]
        gold = bench.problem_from_data(record.task, record.data).gold
        assert (call.name, call.ok, call.fault, call.text) == ("calculator", True, None, str(gold))
        assert record.usage.injected == 0
        assert record.usage.tool >= len(record.turns[1].text) + len(record.turns[3].text)
        assert record.usage.output == sum(len(turn.token_ids or ()) for turn in record.turns)


SLIPS = {
    "fence": None, "json": None, "inline": None, "lower_case": None, "several": None, "made_up": None,
    "in_thinking": None, "broken": "syntax", "no_input": "syntax", "unknown_tool": "unknown_tool",
}  # fmt: skip


@pytest.mark.parametrize("dialect", ["react", "react_messages", "native"])
@pytest.mark.parametrize("slip", SLIPS)
def test_every_slip_is_understood_or_answered_with_what_is_wrong(dialect: str, slip: str) -> None:
    records = run(DIALECTS[dialect], slip=slip, thinking_tokens=60)
    assert outcomes(records) == {"correct"}
    for record in records:
        first = record.turns[1]
        assert first.fault == SLIPS[slip]
        assert first.ok is (SLIPS[slip] is None)
        if first.fault:
            assert first.text.startswith("Error: ")


def test_a_made_up_result_never_reaches_the_conversation_but_stays_in_the_record() -> None:
    asked = sample(DIALECTS["react"])
    asked.advance(Started())
    text = "Action: calculator\nAction Input: 1 + 2\nObservation: 9\nFinal Answer: 9"
    call = asked.advance(Generation("k", text, FinishReason.STOP))
    assert isinstance(call, CallTool)
    follow = asked.advance(ToolResult(call.call.key, "3", True, 0.1))
    assert isinstance(follow, Generate)
    assert "".join(segment.text for segment in follow.request.prefix) == (
        "Action: calculator\nAction Input: 1 + 2\nObservation: 3\nThought:"
    )
    end = asked.advance(Generation("k", " it is 3", FinishReason.STOP))
    assert isinstance(end, Finish)
    assert end.record.turns[0].text == text
    assert end.record.turns[0].kept == text.index("\nObservation")
    assert end.record.turns[0].slips == ("made_up_observation",)


def test_only_a_model_that_does_not_think_is_stopped_at_an_observation() -> None:
    for markers, stop in ((None, ("\nObservation:", "\nQuestion:")), (MARKERS, ())):
        first = sample(React(ALL, 3, markers)).advance(Started())
        assert isinstance(first, Generate)
        assert first.request.stop == stop


@pytest.mark.parametrize("dialect", ["react", "native"])
def test_a_call_that_is_only_thought_about_is_none(dialect: str) -> None:
    marked = '<tool_call>{"name": "calculator", "arguments": {"expression": "1"}}</tool_call>'
    call = f"Action: calculator\nAction Input: 1\n{marked}"
    asked = sample(DIALECTS[dialect])
    asked.advance(Started())
    end = asked.advance(Generation("k", f"<think>{call}</think>\\boxed{{7}}", FinishReason.STOP))
    assert isinstance(end, Finish)
    assert len(end.record.turns) == 1


def test_a_text_that_a_cap_cut_calls_nothing() -> None:
    asked = sample(DIALECTS["react"])
    asked.advance(Started())
    end = asked.advance(Generation("k", "Action: calculator\nAction Input: 1 + 2", FinishReason.LENGTH))
    assert isinstance(end, Finish)
    assert end.record.status is RecordStatus.TRUNCATED


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("cap", [30, 80, 120, 200])
def test_a_budget_holds_over_all_texts_of_a_sample(dialect: str, cap: int) -> None:
    records = run(DIALECTS[dialect], cap=cap, calls=3)
    assert all(record.usage.output <= cap for record in records)
    assert all(record.max_tokens == cap for record in records if record.turns[-1].kind == "model")
    cut = {record.status for record in records}
    assert cut == ({RecordStatus.TRUNCATED} if cap < 200 else cut)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_behind_the_last_call_the_model_is_told_to_answer(dialect: str) -> None:
    records = run(DIALECTS[dialect], calls=5, limits=ToolLimits(2, None))
    for record in records:
        results = [turn for turn in record.turns if turn.kind == "tool"]
        assert [turn.fault for turn in results] == [None, None, "limit"]
        assert record.status is RecordStatus.TRUNCATED  # it calls all the same


def test_results_beyond_their_tokens_end_the_calls() -> None:
    (record,) = run(DIALECTS["react"], count=1, calls=9, limits=ToolLimits(9, 30))
    faults = [turn.fault for turn in record.turns if turn.kind == "tool"]
    assert faults.count(None) == 2
    assert faults[-1] == "limit"


def test_a_record_with_tools_is_read_back_and_one_without_is_written_as_before() -> None:
    (record,) = run(DIALECTS["react"], count=1, slip="made_up")
    again, _ = read_line(to_json(record))
    assert again.turns == tuple(
        dataclasses.replace(turn, token_ids=None, latency_s=round(turn.latency_s, 6)) for turn in record.turns
    )
    plain = run(DIALECTS["react"], count=1, tool_calls=0.0)[0]
    assert '"turns":[{"kind":"model","text":' in to_json(plain)
    assert "slips" not in to_json(plain)


def test_with_64_samples_in_flight_no_engine_step_waits_for_a_tool() -> None:
    """The tools of some hang until all others have finished; the engine makes its steps meanwhile."""
    release, steps = Event(), 0

    class Counting(ScriptedEngine):
        def poll(self, timeout_s: float) -> list[Generation]:
            nonlocal steps
            steps += self.in_flight > 0
            return super().poll(timeout_s)

    def slow(arguments: Mapping[str, Any]) -> str:
        assert release.wait(30)
        return calculate(arguments)

    quick = sum(len(record.turns) == 1 for record in run(DIALECTS["react"], count=64, tool_calls=0.5))
    assert 0 < quick < 64
    engine = script(tool_calls=0.5, window=64)
    driver = Driver(lambda: Counting(MODEL, engine, problem_of), ToolPool({"calculator": slow}, workers=64), 0)
    finished: list[Record] = []
    while_hanging = 0
    for record in driver.run((sample(DIALECTS["react"], index) for index in range(64)), Event()):
        finished.append(record)
        if len(finished) == quick:
            while_hanging = steps
            release.set()
    assert [len(record.turns) == 1 for record in finished] == [True] * quick + [False] * (64 - quick)
    assert 1 < while_hanging < steps


@pytest.mark.parametrize("dialect", DIALECTS)
def test_texts_that_points_share_give_the_same_conversations(dialect: str) -> None:
    """Budgets of a study, the largest first: what is cut from stored texts is what would have been written."""
    kept = KeptInMemory()
    engine = script(tool_calls=1.0, calls=2, thinking_tokens=60)

    def conversations(cap: int | None, shared: bool) -> tuple[dict[str, tuple[object, ...]], int]:
        def make() -> Engine:
            plain = ScriptedEngine(MODEL, engine, problem_of)
            return TrajectoryCache(plain, kept, "run") if shared else plain

        driver = Driver(make, ToolPool({"calculator": calculate}), 0)
        records = list(driver.run((sample(DIALECTS[dialect], index, cap) for index in range(8)), Event()))
        said = {one.key: ([(t.kind, t.text) for t in one.turns], one.status, one.usage.tool) for one in records}
        return said, sum(one.usage.output - one.usage.reused for one in records)

    for cap in (None, 300, 120):
        shared, generated = conversations(cap, shared=True)
        assert shared == conversations(cap, shared=False)[0]
        assert generated == 0 if cap is not None else generated > 0
