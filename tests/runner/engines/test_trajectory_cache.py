"""A reused text is the text: every generation equals the engine's own, whatever was asked before it."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from threading import Event

import pytest
from test_scripted import MODEL, PART, TASK, problem_of
from tiny_model import model_settings, request, thinking

from runner.config.settings import PrecisionSettings, ScriptedSettings, ThinkingBudget, TransformersSettings
from runner.config.suite import Place
from runner.engines.scripted import ScriptedEngine
from runner.engines.trajectory import KeptInMemory, Piece, Trajectories, Trajectory
from runner.engines.trajectory_cache import TrajectoryCache
from runner.engines.transformers import TransformersEngine
from runner.engines.writing import LocalEngine
from runner.results.record import Record
from runner.sampling.budget import Closing, ForcedClose
from runner.sampling.driver import Driver
from runner.sampling.generation import FinishReason, Generation
from runner.sampling.request import Message, Request, SamplingParams, Segment
from runner.sampling.sample import SampleSpec
from runner.tools.pool import ToolPool
from runner.weights.weights import Weights

CAPS = (1, 17, 30, 60, None)
GREEDY, HOT, COUNTED = SamplingParams(), SamplingParams(1.0, 0.95), SamplingParams(1.0, 0.95, noise="counter")


class Watched:
    """A real engine that remembers what it was asked for."""

    def __init__(self, engine: LocalEngine) -> None:
        self._engine = engine
        self.asked: list[Request] = []

    def submit(self, request: Request) -> None:
        self.asked.append(request)
        self._engine.submit(request)

    def __getattr__(self, name: str) -> object:
        return getattr(self._engine, name)

    @property
    def tokens(self) -> int:
        """Most new tokens that it was asked for."""
        return sum(one.max_tokens or 0 for one in self.asked)


def scripted(**part: object) -> ScriptedEngine:
    return ScriptedEngine(MODEL, ScriptedSettings.model_validate(PART | part), problem_of)


@pytest.fixture(scope="module")
def transformers(model_made_once: Path) -> Iterator[TransformersEngine]:
    model = model_settings(model_made_once, thinking=thinking(), kind="reasoning", context=160)
    settings = TransformersSettings(name="transformers", max_restarts=0, batch_size=4, device="cpu", threads=1)
    engine = TransformersEngine(model, PrecisionSettings(name="fp32"), settings, Weights(model_made_once, "r"))
    yield engine
    engine.close()


@pytest.fixture(params=["scripted", "transformers"])
def local(request: pytest.FixtureRequest) -> LocalEngine:
    if request.param == "scripted":
        return scripted(thinking_tokens=30)
    engine: LocalEngine = request.getfixturevalue("transformers")
    return engine


def sample(index: int, cap: int | None, turn: int = 0, sampling: SamplingParams = GREEDY, **fields: object) -> Request:
    problem = TASK.problem(seed=0, fold=0, index=index)
    messages = (Message("user", problem.question[:80]),)
    return Request(f"{problem.id}/0#{turn}", messages, sampling, index, cap, **fields)  # type: ignore[arg-type]


def ask(engine: LocalEngine | TrajectoryCache, requests: Sequence[Request]) -> dict[str, Generation]:
    done: dict[str, Generation] = {}
    for one in requests:
        engine.submit(one)
    while engine.in_flight:
        done |= {generation.key: generation for generation in engine.poll(0.05)}
    return done


def plain(generation: Generation) -> Generation:
    """Return it without what reuse may change."""
    usage = dataclasses.replace(generation.usage, source="ids", reused=0)
    return dataclasses.replace(generation, usage=usage, latency_s=0.0, derived_from=())


def mismatches(found: dict[str, Generation], expected: dict[str, Generation]) -> list[str]:
    assert found.keys() == expected.keys()
    return [key for key, generation in found.items() if plain(generation) != plain(expected[key])]


@pytest.mark.parametrize("sampling", [GREEDY, HOT, COUNTED])
@pytest.mark.parametrize("order", ["up", "down", "mixed"])
def test_every_cap_in_any_order_gives_what_the_engine_gives(
    local: LocalEngine, sampling: SamplingParams, order: str
) -> None:
    caps = list(CAPS if order != "down" else CAPS[::-1])
    if order == "mixed":
        random.Random(3).shuffle(caps)
    store, wrong = KeptInMemory(), []
    for cap in caps:
        requests = [sample(index, cap, sampling=sampling) for index in range(4)]
        wrong += mismatches(ask(TrajectoryCache(local, store, f"b{cap}"), requests), ask(local, requests))
    assert not wrong, f"{len(wrong)} of {4 * len(caps)} differ"


def test_rising_caps_cost_the_largest_one_and_falling_caps_nothing(local: LocalEngine) -> None:
    for caps in ([10, 20, 40, 80], [80, 40, 20, 10]):
        watched, store = Watched(local), KeptInMemory()
        for cap in caps:
            ask(TrajectoryCache(watched, store, str(cap)), [sample(0, cap)])  # type: ignore[arg-type]
        assert watched.tokens <= 80


def test_a_cut_says_so_and_names_the_run_it_comes_from(local: LocalEngine) -> None:
    store = KeptInMemory()
    (whole,) = ask(TrajectoryCache(local, store, "large"), [sample(0, 60)]).values()
    (cut,) = ask(TrajectoryCache(local, store, "small"), [sample(0, 7)]).values()
    (same,) = ask(TrajectoryCache(local, store, "small"), [sample(0, 60)]).values()
    (more,) = ask(TrajectoryCache(local, store, "larger"), [sample(0, 61)]).values()
    said = [(one.usage.source, one.usage.reused, one.derived_from) for one in (whole, cut, same, more)]
    assert said == [("ids", 0, ()), ("derived", 7, ("large",)), ("ids", 60, ("large",)), ("ids", 60, ("large",))]


def test_one_running_request_serves_all_smaller_caps_and_a_larger_one_goes_on_from_it(local: LocalEngine) -> None:
    requests = [sample(0, cap, turn) for turn, cap in enumerate((40, 12, 64, 3, 30))]
    expected = {one.key: ask(local, [one])[one.key] for one in requests}
    watched = Watched(local)
    assert not mismatches(ask(TrajectoryCache(watched, KeptInMemory(), "r"), requests), expected)  # type: ignore[arg-type]
    assert [one.max_tokens for one in watched.asked] == [40, 24]


def test_what_follows_forced_text_is_shared_only_by_what_follows_the_same(local: LocalEngine) -> None:
    store, wrong = KeptInMemory(), []
    for cap in (30, 8, 20, 8):
        begun = ask(TrajectoryCache(local, store, f"t{cap}"), [sample(0, cap)])
        (first,) = begun.values()
        forced = (Segment(first.text, first.token_ids), Segment("</think>\nSo", injected=True))
        closed = [sample(0, answer, 1, prefix=forced) for answer in (9, 25)]
        for one in closed:
            found = ask(TrajectoryCache(local, store, f"t{cap}"), [one])
            wrong += mismatches(found, ask(local, [one]))
    assert not wrong


@pytest.mark.parametrize("sampling", [GREEDY, COUNTED])
def test_a_sweep_of_thinking_budgets_gives_the_same_records(local: LocalEngine, sampling: SamplingParams) -> None:
    def records(engine: LocalEngine | TrajectoryCache, cap: int) -> list[Record]:
        budget = ThinkingBudget(kind="thinking", tokens=cap, answer_tokens=30, closing="\n{close}\nSo")
        closing = Closing(budget, thinking(), "s")
        samples = []
        for index in range(4):
            problem = TASK.problem(seed=0, fold=0, index=index)
            messages = (Message("user", problem.question[:80]),)
            spec = SampleSpec(sampling, max_tokens=None)
            samples.append(ForcedClose(problem, Place(0, index, 0), messages, spec, index, closing, lambda: 0.0))
        return sorted(Driver(lambda: engine, ToolPool({}), 0).run(samples, Event()), key=lambda record: record.key)

    def bare(record: Record) -> Record:
        turns = tuple(dataclasses.replace(turn, latency_s=0.0) for turn in record.turns)
        usage = dataclasses.replace(record.usage, source="ids", reused=0)
        return dataclasses.replace(record, turns=turns, usage=usage, derived_from=())

    store, wrong = KeptInMemory(), []
    for cap in (12, 50, 0, 25, 3):
        found, expected = records(TrajectoryCache(local, store, f"t{cap}"), cap), records(local, cap)
        wrong += [one.key for one, other in zip(found, expected, strict=True) if bare(one) != bare(other)]
    assert not wrong, f"{len(wrong)} of 20 differ"


def test_a_continued_answer_goes_on_from_the_stored_text(local: LocalEngine) -> None:
    store = KeptInMemory()
    (whole,) = ask(TrajectoryCache(local, store, "whole"), [sample(0, 60)]).values()
    (first,) = ask(TrajectoryCache(local, store, "part"), [sample(0, 20)]).values()
    rest = sample(0, 25, 1, prefix=(Segment(first.text, first.token_ids),))
    watched = Watched(local)
    found = ask(TrajectoryCache(watched, store, "part"), [rest])  # type: ignore[arg-type]
    assert not watched.asked
    assert not mismatches(found, ask(local, [rest]))
    assert (first.token_ids or ()) + (found[rest.key].token_ids or ()) == (whole.token_ids or ())[:45]


def test_a_prefix_that_the_stored_text_does_not_begin_with_is_not_continued_by_it(
    transformers: TransformersEngine,
) -> None:
    store = KeptInMemory()
    ask(TrajectoryCache(transformers, store, "a"), [sample(0, 40)])
    foreign = sample(0, 12, 1, prefix=(Segment("42 42", tuple(transformers.tokenization._encode("42 42"))),))
    found = ask(TrajectoryCache(transformers, store, "b"), [foreign])
    assert not mismatches(found, ask(transformers, [foreign]))


@pytest.mark.parametrize(
    "change",
    [
        lambda one: dataclasses.replace(one, seed=99),
        lambda one: dataclasses.replace(one, key=one.key.replace("/0#", "/1#")),
        lambda one: dataclasses.replace(one, sampling=HOT),
        lambda one: dataclasses.replace(one, messages=(Message("user", "Another question?"),)),
        lambda one: dataclasses.replace(one, stop=("xyz",)),
        lambda one: dataclasses.replace(one, prefix=(Segment("Well", injected=True),)),
    ],
)
def test_whatever_differs_is_generated(transformers: TransformersEngine, change: Callable[[Request], Request]) -> None:
    store, watched = KeptInMemory(), Watched(transformers)
    ask(TrajectoryCache(watched, store, "a"), [sample(0, 9)])  # type: ignore[arg-type]
    other = change(sample(0, 9))
    found = ask(TrajectoryCache(watched, store, "b"), [other])  # type: ignore[arg-type]
    assert len(watched.asked) == 2
    assert not mismatches(found, ask(transformers, [other]))


def test_two_parts_of_a_scripted_model_share_nothing() -> None:
    store = KeptInMemory()
    for accuracy in (1.0, 0.0):
        engine = scripted(accuracy=accuracy)
        found = ask(TrajectoryCache(engine, store, str(accuracy)), [sample(0, None)])
        assert not mismatches(found, ask(engine, [sample(0, None)]))


def test_where_drawn_texts_have_no_continuation_a_larger_cap_is_generated_whole(
    transformers: TransformersEngine,
) -> None:
    watched, store = Watched(transformers), KeptInMemory()
    watched.capabilities = dataclasses.replace(transformers.capabilities, continues_draws=False)
    wrong = []
    for cap in (30, 10, 50, 20):
        one = sample(0, cap, sampling=HOT)
        wrong += mismatches(ask(TrajectoryCache(watched, store, str(cap)), [one]), ask(transformers, [one]))  # type: ignore[arg-type]
    assert not wrong
    assert [(one.max_tokens, one.prefix) for one in watched.asked] == [(30, ()), (50, ())]


def test_counter_noise_makes_a_drawn_text_continuable_everywhere(transformers: TransformersEngine) -> None:
    watched, store = Watched(transformers), KeptInMemory()
    watched.capabilities = dataclasses.replace(transformers.capabilities, continues_draws=False)
    for cap in (30, 50):
        ask(TrajectoryCache(watched, store, str(cap)), [sample(0, cap, sampling=COUNTED)])  # type: ignore[arg-type]
    assert [one.max_tokens for one in watched.asked] == [30, 20]


def test_a_stop_string_across_the_seam_ends_the_text(transformers: TransformersEngine) -> None:
    (whole,) = ask(transformers, [request("x/0#0", max_tokens=40)]).values()
    stop = (whole.text[12:15],)
    requests = [request(f"x/0#{cap}", max_tokens=cap, stop=stop) for cap in range(1, 30)]
    expected = ask(transformers, requests)
    assert FinishReason.STOP in {generation.finish_reason for generation in expected.values()}
    store = KeptInMemory()
    found = {
        key: one for each in requests for key, one in ask(TrajectoryCache(transformers, store, "r"), [each]).items()
    }
    assert not mismatches(found, expected)


def test_a_failure_is_never_kept_and_costs_those_who_wait_nothing(transformers: TransformersEngine) -> None:
    class FailsFirst(Watched):
        def submit(self, request: Request) -> None:
            super().submit(request if self.asked else dataclasses.replace(request, max_tokens=0))

    cache = TrajectoryCache(FailsFirst(transformers), KeptInMemory(), "r")  # type: ignore[arg-type]
    failing, waiting = sample(0, 30), sample(0, 20, 1)
    found = ask(cache, [failing, waiting])
    assert found[failing.key].failure is not None
    again = ask(cache, [failing])
    assert not mismatches({waiting.key: found[waiting.key], **again}, ask(transformers, [failing, waiting]))


def test_who_waits_for_a_cancelled_request_gets_its_text_all_the_same(local: LocalEngine) -> None:
    cache = TrajectoryCache(local, KeptInMemory(), "r")
    gone, stays, gone_too = (sample(0, cap, turn) for turn, cap in enumerate((40, 12, 5)))
    for one in (gone, stays, gone_too):
        cache.submit(one)
    cache.cancel(gone.key)
    cache.cancel(gone_too.key)
    assert not mismatches(ask(cache, []), ask(local, [stays]))


def test_a_request_that_cannot_be_asked_says_so(transformers: TransformersEngine) -> None:
    (found,) = ask(TrajectoryCache(transformers, KeptInMemory(), "r"), [request("x/0#0", "7" * 400)]).values()
    assert found.failure is not None
    assert found.failure.kind == "prompt_too_long"


def test_a_piece_takes_the_place_of_what_stood_there() -> None:
    store: Trajectories = KeptInMemory()
    store.extend(b"k", 0, Piece((1, 2, 3), False, "a"))
    store.extend(b"k", 2, Piece((4, 5), True, "b"))
    assert store.get(b"k") == Trajectory((Piece((1, 2), False, "a"), Piece((4, 5), True, "b")))
    assert store.get(b"k").runs(0, 2) == {"a"}
    assert store.get(b"k").runs(1, 3) == {"a", "b"}
    store.extend(b"k", 0, Piece((9,), False, "c"))
    assert store.get(b"k").ids == (9,)
