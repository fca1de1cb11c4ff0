"""A cap on thinking: it holds, the forced text is nobody's output, and who is done is left alone."""

from __future__ import annotations

from threading import Event

import pytest
from test_driver import problem_of, script

import bench
from runner.config.settings import ModelSettings, ScriptedSettings, ThinkingBudget, ThinkingMarkers
from runner.config.suite import Place
from runner.engines.scripted import ScriptedEngine
from runner.results.record import Record, RecordStatus
from runner.sampling.budget import Closing, ForcedClose
from runner.sampling.driver import Driver
from runner.sampling.generation import Boundary, FinishReason, Generation, Usage, failed
from runner.sampling.request import Message, SamplingParams
from runner.sampling.sample import Finish, Generate, SampleSpec, Started
from runner.tools.pool import ToolPool

MARKERS = ThinkingMarkers(open="<think>", close="</think>")
MODEL = ModelSettings(name="s", id="s", source="none", family="s", kind="reasoning", context=4096, thinking=MARKERS)
PROBLEM = bench.make_task("sum").problem(seed=0, fold=0, index=0)
CLOSING = "\n{close}\n\nThe answer is"


def closing(tokens: int, answer_tokens: int = 200) -> Closing:
    budget = ThinkingBudget(kind="thinking", tokens=tokens, answer_tokens=answer_tokens, closing=CLOSING)
    return Closing(budget, MARKERS, "s")


def asked(tokens: int, index: int = 0, answer_tokens: int = 200) -> ForcedClose:
    problem = bench.make_task("sum").problem(seed=0, fold=0, index=index)
    spec = SampleSpec(SamplingParams(), max_tokens=None)
    messages = (Message("user", problem.question),)
    return ForcedClose(problem, Place(0, index, 0), messages, spec, index, closing(tokens, answer_tokens))


def run(tokens: int, engine: ScriptedSettings, answer_tokens: int = 200) -> list[Record]:
    driver = Driver(lambda: ScriptedEngine(MODEL, engine, problem_of), ToolPool({}), 0)
    return list(driver.run((asked(tokens, index, answer_tokens) for index in range(20)), Event()))


@pytest.mark.parametrize("tokens", [0, 1, 9, 50])
def test_no_thinking_is_longer_than_its_cap_and_every_sample_answers(tokens: int) -> None:
    records = run(tokens, script(thinking_tokens=300))
    assert max(record.usage.thinking for record in records) <= tokens
    assert {record.status for record in records} == {RecordStatus.OK}
    for record in records:
        assert bench.grade(PROBLEM, record.text).rule == "boxed"
        assert record.text.count("</think>") == 1


def test_what_is_forced_is_counted_apart_and_marked_in_the_record() -> None:
    (record, *_) = run(50, script(thinking_tokens=300))
    kinds = [turn.kind for turn in record.turns]
    assert kinds == ["model", "injected", "model"]
    forced = record.turns[1].text
    assert forced == "\n</think>\n\nThe answer is"
    assert record.usage.injected == len(forced)  # the scripted engine's tokens are characters
    assert record.usage.output == sum(len(turn.token_ids or ()) for turn in record.turns)


def test_a_cap_of_nothing_throws_its_one_token_away() -> None:
    (record, *_) = run(0, script(thinking_tokens=300))
    assert [turn.kind for turn in record.turns] == ["injected", "model"]
    assert record.text.startswith("<think>\n</think>")
    assert record.usage.thinking == 0
    assert record.usage.output == len(record.turns[1].token_ids or ())


def test_an_answer_ends_where_another_thinking_would_begin() -> None:
    """The thinker did that once in 840 samples: 162 tokens of thinking under a cap of 32."""
    sample = asked(32)
    first = sample.advance(Started())
    assert isinstance(first, Generate)
    assert first.request.stop == ()
    thought = Generation(
        first.request.key,
        "<think>I add",
        FinishReason.LENGTH,
        Usage(prompt=5, output=32, thinking=32),
        tuple(range(32)),
    )
    second = sample.advance(thought)
    assert isinstance(second, Generate)
    assert second.request.stop == ("<think>",)


def test_a_thought_that_ends_in_time_is_left_alone() -> None:
    records = run(2000, script(thinking_tokens=100))
    assert {tuple(turn.kind for turn in record.turns) for record in records} == {("model",)}


def test_an_answer_that_the_cap_cut_goes_on_without_anything_forced() -> None:
    records = run(130, script(thinking_tokens=100, answer_tokens=150), answer_tokens=500)
    went_on = [record for record in records if [turn.kind for turn in record.turns] == ["model", "model"]]
    assert went_on
    assert all(record.usage.injected == 0 and record.status is RecordStatus.OK for record in went_on)


def test_an_answer_beyond_its_reserve_is_truncated() -> None:
    records = run(50, script(thinking_tokens=300, overrun=1.0), answer_tokens=10)
    assert {record.status for record in records} == {RecordStatus.TRUNCATED}
    assert {record.max_tokens for record in records} == {60}


@pytest.mark.parametrize(("room", "status"), [(400, RecordStatus.OK), (60, RecordStatus.TRUNCATED)])
def test_near_the_end_of_the_context_the_answer_keeps_its_reserve(room: int, status: RecordStatus) -> None:
    """Where the reserve of 200 doesn't fit the thinking has one token, and the answer is cut."""
    longest = max(len(bench.make_task("sum").problem(seed=0, fold=0, index=index).question) for index in range(20))
    model = MODEL.model_copy(update={"context": longest + room})
    engine = script(thinking_tokens=900, answer_tokens=100)
    driver = Driver(lambda: ScriptedEngine(model, engine, problem_of), ToolPool({}), 0)
    records = list(driver.run((asked(350, index) for index in range(20)), Event()))
    assert {record.status for record in records} <= {RecordStatus.OK, status}
    assert status in {record.status for record in records}
    for record in records:
        thought, _, _ = record.turns
        left = longest + room - record.usage.prompt - len("\n</think>\n\nThe answer is") - 200
        assert len(thought.token_ids or ()) == min(350, max(1, left))


def test_a_prompt_that_opens_the_thinking_is_not_opened_again() -> None:
    sample = asked(0)
    sample.advance(Started())
    first = Generation("k", "x", FinishReason.LENGTH, Usage(), (1,), prompt_tail="<|assistant|><think>\n")
    action = sample.advance(first)
    assert isinstance(action, Generate)
    assert action.request.prefix[0].text == "\n</think>\n\nThe answer is"


def test_a_failure_ends_it_at_once() -> None:
    sample = asked(0)
    sample.advance(Started())
    action = sample.advance(failed("k", Boundary.ENGINE, "broken", "it broke"))
    assert isinstance(action, Finish)
    assert action.record.status is RecordStatus.ERROR
