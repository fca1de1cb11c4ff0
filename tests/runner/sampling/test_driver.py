"""The driver's promises, on the scripted engine: nothing lost, nothing waits, deaths are survived."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterator
from threading import Event

import pytest

import bench
from bench.problem import Problem
from runner.config.settings import ModelSettings, ScriptedSettings
from runner.config.suite import Place
from runner.engines.base import Engine, EngineDied
from runner.engines.scripted import ScriptedEngine
from runner.results.record import Record, RecordStatus, Turn
from runner.sampling.driver import Driver
from runner.sampling.generation import Boundary, Failure, FinishReason, Generation
from runner.sampling.request import Message, Request, SamplingParams, Segment
from runner.sampling.sample import (
    Action,
    CallTool,
    Finish,
    Generate,
    Sample,
    SampleSpec,
    SingleTurn,
    Started,
)
from runner.sampling.sample import (
    Event as SampleEvent,
)
from runner.tools.pool import ToolPool
from runner.tools.protocol import ToolCall, ToolResult

MODEL = ModelSettings(name="s", id="s", source="none", family="s", kind="instruct", context=4096)
SPEC = SampleSpec(SamplingParams(), max_tokens=None)
TASK = bench.make_task("sum")


def script(**changes: object) -> ScriptedSettings:
    part = {
        "name": "scripted", "max_restarts": 3, "accuracy": 1.0, "task_accuracy": {}, "thinking_tokens": 0,
        "answer_tokens": 40, "overrun": 0.0, "fail": 0.0, "odd_bytes": 0.0, "tool_calls": 0.0, "unboxed": 0.0,
        "window": 8, "step_s": 0.0, "die_at": None,
    }  # fmt: skip
    return ScriptedSettings.model_validate(part | changes)


def problem_of(problem_id: str) -> Problem:
    _, seed, fold, index, _ = problem_id.split(":")
    return TASK.problem(seed=int(seed), fold=int(fold), index=int(index))


def make_engine(settings: ScriptedSettings) -> Engine:
    return ScriptedEngine(MODEL, settings, problem_of)


def singles(count: int) -> Iterator[Sample]:
    for index in range(count):
        problem = TASK.problem(seed=0, fold=0, index=index)
        yield SingleTurn(problem, Place(0, index, 0), (Message("user", problem.question),), SPEC, seed=index)


def run(samples: Iterator[Sample], engine: ScriptedSettings, tools: ToolPool | None = None) -> list[Record]:
    driver = Driver(lambda: make_engine(engine), tools or ToolPool({}), max_restarts=3)
    return list(driver.run(samples, Event()))


def test_every_sample_gets_exactly_one_record() -> None:
    records = run(singles(100), script())
    assert sorted(r.index for r in records) == list(range(100))
    assert {r.status for r in records} == {RecordStatus.OK}


def test_samples_are_drawn_no_further_than_the_window() -> None:
    drawn = 0

    def counted() -> Iterator[Sample]:
        nonlocal drawn
        for sample in singles(1000):
            drawn += 1
            yield sample

    records = Driver(lambda: make_engine(script(window=5)), ToolPool({}), 0).run(counted(), Event())
    for finished, _ in enumerate(records, start=1):
        assert drawn <= finished + 5 + 5  # in the engine, and finished in the same poll


def test_a_failed_request_is_a_record_with_its_failure() -> None:
    records = run(singles(50), script(fail=0.5))
    failed = [r for r in records if r.status is RecordStatus.ERROR]
    assert 0 < len(failed) < 50
    assert all(r.failure and r.failure.boundary is Boundary.ENGINE for r in failed)


def test_once_stopped_nothing_new_starts() -> None:
    stop = Event()
    got = []
    for record in Driver(lambda: make_engine(script()), ToolPool({}), 0).run(singles(1000), stop):
        got.append(record)
        stop.set()
    assert len(got) <= 8


class TwoTurn:
    """Generates, calls a slow tool with what came, puts the observation in, and generates again."""

    def __init__(self, problem: Problem, log: list[str]) -> None:
        self.key = f"{problem.id}/0"
        self._problem = problem
        self._log = log
        self._turns: list[Turn] = []

    def advance(self, event: SampleEvent) -> Action:
        if isinstance(event, Started):
            return Generate(self._request(0))
        if isinstance(event, ToolResult):
            self._log.append(f"tool {self.key}")
            self._turns.append(Turn("tool", event.text))
            return Generate(self._request(1))
        self._turns.append(Turn("model", event.text, event.token_ids))
        if len(self._turns) == 1:
            return CallTool(ToolCall(f"{self.key}#0", "slow", {"x": 1}))
        return Finish(self._record(event))

    def fail(self, failure: Failure) -> Record:
        return self._record(Generation(self.key, "", FinishReason.ERROR, failure=failure))

    def _request(self, turn: int) -> Request:
        prefix = tuple(Segment(t.text, t.token_ids, injected=t.kind == "tool") for t in self._turns)
        messages = (Message("user", self._problem.question),)
        return Request(f"{self.key}#{turn}", messages, SamplingParams(), 0, None, prefix)

    def _record(self, generation: Generation) -> Record:
        single = SingleTurn(self._problem, Place(0, 0, 0), (), SPEC, 0).advance(generation)
        assert isinstance(single, Finish)
        return dataclasses.replace(single.record, turns=tuple(self._turns))


def two_turns(count: int, log: list[str]) -> Iterator[Sample]:
    for index in range(count):
        yield TwoTurn(TASK.problem(seed=0, fold=0, index=index), log)


def test_a_two_turn_sample_with_a_tool_fits_the_same_loop() -> None:
    log: list[str] = []
    records = run(two_turns(20, log), script(tool_calls=1.0), ToolPool({"slow": lambda arguments: "42"}))
    assert len(records) == 20
    assert all([t.kind for t in r.turns] == ["model", "tool", "model"] for r in records)
    problems = [bench.problem_from_data(r.task, r.data) for r in records]
    assert all(bench.grade(p, r.text).outcome == "correct" for p, r in zip(problems, records, strict=True))


def test_no_engine_step_waits_for_a_tool() -> None:
    """While tools hang, single-turn samples that need none finish."""
    release = Event()

    def slow(arguments: object) -> str:
        release.wait(10)
        return "42"

    def mixed() -> Iterator[Sample]:
        yield from two_turns(2, [])
        yield from (s for i, s in enumerate(singles(52)) if i >= 2)

    finished: list[str] = []
    driver = Driver(lambda: make_engine(script(tool_calls=0.0)), ToolPool({"slow": slow}), 0)
    for record in driver.run(mixed(), Event()):
        finished.append(record.turns[-1].kind if len(record.turns) == 1 else "two")
        if len(finished) == 50:
            assert "two" not in finished
            release.set()
    assert finished.count("two") == 2


def test_a_tool_that_raises_is_an_observation() -> None:
    def broken(arguments: object) -> str:
        raise RuntimeError("no")

    records = run(two_turns(1, []), script(tool_calls=1.0), ToolPool({"slow": broken}))
    assert records[0].turns[1].text == "RuntimeError: no"


class Mortal(ScriptedEngine):
    """Dies when it has taken in a request whose key is poisoned."""

    poison = ":17:"
    deaths = 0

    def submit(self, request: Request) -> None:
        super().submit(request)
        if self.poison in request.key:
            type(self).deaths += 1
            raise EngineDied("poison")


def test_a_request_that_kills_the_engine_twice_becomes_an_error_and_no_neighbour_does() -> None:
    Mortal.deaths = 0
    driver = Driver(lambda: Mortal(MODEL, script(), problem_of), ToolPool({}), max_restarts=3)
    records = list(driver.run(singles(40), Event()))
    assert sorted(r.index for r in records) == list(range(40))
    assert [r.index for r in records if r.status is RecordStatus.ERROR] == [17]
    assert Mortal.deaths == 3


def test_one_death_keeps_the_batch() -> None:
    """What was in flight is asked again together, not one by one."""
    most = 0

    class Once(ScriptedEngine):
        def poll(self, timeout_s: float) -> list[Generation]:
            nonlocal most
            if self.built == 2:
                most = max(most, self.in_flight)
            if self.built == 1 and self.in_flight == self.window:
                raise EngineDied("once")
            return super().poll(timeout_s)

    def build() -> Engine:
        engine = Once(MODEL, script(), problem_of)
        engine.built = next(count)
        return engine

    count = iter((1, 2))
    records = list(Driver(build, ToolPool({}), max_restarts=1).run(singles(40), Event()))
    assert [r.index for r in records if r.status is RecordStatus.ERROR] == []
    assert len(records) == 40
    assert most == 8


def test_an_engine_that_can_not_come_back_is_not_built_again() -> None:
    built = 0

    class Lost(ScriptedEngine):
        def poll(self, timeout_s: float) -> list[Generation]:
            raise EngineDied("the GPU is lost", restartable=False)

    def build() -> Engine:
        nonlocal built
        built += 1
        return Lost(MODEL, script(), problem_of)

    with pytest.raises(EngineDied):
        list(Driver(build, ToolPool({}), max_restarts=3).run(singles(5), Event()))
    assert built == 1


def test_once_stopped_a_dead_engine_is_not_built_again() -> None:
    """A signal to the whole process group ends the engine's own process too."""
    built = 0
    stop = Event()

    class Ended(ScriptedEngine):
        def poll(self, timeout_s: float) -> list[Generation]:
            stop.set()
            raise EngineDied("SIGTERM")

    def build() -> Engine:
        nonlocal built
        built += 1
        return Ended(MODEL, script(), problem_of)

    assert list(Driver(build, ToolPool({}), max_restarts=3).run(singles(5), stop)) == []
    assert built == 1


def test_two_requests_with_one_key_are_refused() -> None:
    twice = [next(singles(1)), next(singles(1))]
    with pytest.raises(ValueError, match="key"):
        run(iter(twice), script())


def test_more_deaths_than_allowed_end_the_run_with_what_was_finished() -> None:
    got = []
    driver = Driver(lambda: Mortal(MODEL, script(), problem_of), ToolPool({}), max_restarts=0)
    with pytest.raises(EngineDied):
        got.extend(driver.run(singles(40), Event()))
    assert got
    assert all(r.status is RecordStatus.OK for r in got)


class Faulty(SingleTurn):
    def advance(self, event: SampleEvent) -> Action:
        raise KeyError("my own fault")


def test_a_sample_that_raises_costs_only_itself() -> None:
    def samples() -> Iterator[Sample]:
        problem = TASK.problem(seed=0, fold=1, index=0)
        yield Faulty(problem, Place(1, 0, 0), (), SPEC, 0)
        yield from singles(10)

    records = run(samples(), script())
    assert [r.fold for r in records if r.status is RecordStatus.ERROR] == [1]
    assert len(records) == 11


def test_the_same_seed_gives_the_same_texts_in_any_window() -> None:
    texts = [{r.key: r.text for r in run(singles(50), script(window=w, overrun=0.2))} for w in (1, 7, 64)]
    assert texts[0] == texts[1] == texts[2]


def test_driver_overhead_leaves_a_step_free() -> None:
    """Waiting on tools alone must not spin."""
    polls = 0

    class Counting(ToolPool):
        def poll(self, timeout_s: float) -> list[ToolResult]:
            nonlocal polls
            polls += 1
            return super().poll(timeout_s)

    def slow(arguments: object) -> str:
        time.sleep(0.2)
        return "x"

    run(two_turns(1, []), script(tool_calls=1.0), Counting({"slow": slow}))
    assert polls < 5
