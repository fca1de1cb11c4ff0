"""The scripted engine keeps an engine's contract, so that tests on it mean something."""

from __future__ import annotations

import pytest

import bench
from bench.problem import Problem
from runner.config.settings import ModelSettings, ScriptedSettings, ThinkingMarkers
from runner.engines.scripted import ScriptedEngine
from runner.sampling.generation import Boundary, FinishReason, Generation
from runner.sampling.request import Message, Request, SamplingParams, Segment

MARKERS = ThinkingMarkers(open="<think>", close="</think>")
MODEL = ModelSettings(name="s", id="s", source="none", family="s", kind="reasoning", context=4096, thinking=MARKERS)
TASK = bench.make_task("sum")
PART = {
    "name": "scripted", "max_restarts": 3, "accuracy": 1.0, "task_accuracy": {}, "thinking_tokens": 100,
    "answer_tokens": 40, "overrun": 0.0, "fail": 0.0, "odd_bytes": 0.0, "tool_calls": 0.0, "unboxed": 0.0,
    "window": 8, "step_s": 0.0, "die_at": None,
}  # fmt: skip


def problem_of(problem_id: str) -> Problem:
    return TASK.problem(seed=0, fold=0, index=int(problem_id.split(":")[3]))


def ask(cap: int | None = None, prefix: tuple[Segment, ...] = (), turn: int = 0, **part: object) -> Generation:
    engine = ScriptedEngine(MODEL, ScriptedSettings.model_validate(PART | part), problem_of)
    problem = TASK.problem(seed=0, fold=0, index=3)
    message = (Message("user", problem.question),)
    engine.submit(Request(f"{problem.id}/0#{turn}", message, SamplingParams(), 7, cap, prefix))
    (generation,) = engine.poll(0.1)
    return generation


@pytest.mark.parametrize("cut", [1, 6, 7, 50, 60, 100])
def test_a_cut_text_and_its_continuation_are_the_whole(cut: int) -> None:
    whole = ask()
    first = ask(cap=cut)
    rest = ask(prefix=(Segment(first.text, first.token_ids),), turn=1)
    assert first.finish_reason is FinishReason.LENGTH
    assert first.text + rest.text == whole.text
    assert (first.token_ids or ()) + (rest.token_ids or ()) == whole.token_ids
    assert first.usage.thinking + rest.usage.thinking == whole.usage.thinking


def test_the_thinking_is_what_stands_between_the_markers() -> None:
    whole = ask()
    inside = whole.text[len("<think>") : whole.text.index("</think>")]
    assert whole.usage.thinking == len(inside)
    assert whole.usage.output == len(whole.text) + 1
    assert whole.usage.answer == whole.usage.output - len(inside) - len("<think></think>")


def test_a_prompt_that_fills_the_context_is_refused_as_real_engines_do() -> None:
    generation = ask(prefix=(Segment("x" * 4096),))
    assert generation.failure is not None
    assert (generation.failure.boundary, generation.failure.kind) == (Boundary.PROMPT, "prompt_too_long")


def test_an_overrun_ends_at_the_cap_inside_its_thinking() -> None:
    generation = ask(cap=200, overrun=1.0)
    assert generation.finish_reason is FinishReason.LENGTH
    assert generation.usage.output == 200
    assert bench.split_thinking(generation.text).state == "unclosed"


def test_after_a_forced_close_it_answers() -> None:
    cut = ask(cap=30)
    forced = (Segment(cut.text, cut.token_ids), Segment("</think>\n\n", injected=True))
    answer = ask(prefix=forced, turn=1)
    assert answer.usage.thinking == 0
    verdict = bench.grade(TASK.problem(seed=0, fold=0, index=3), cut.text + "</think>\n\n" + answer.text)
    assert verdict.outcome == "correct"
