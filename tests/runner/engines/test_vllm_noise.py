"""Counter noise inside vLLM: texts depend on neither company nor seam, and reuse gives what vLLM gives."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import pytest
from test_vllm import TEXTS, ask, build, ids, one_core, request  # noqa: F401 - the fixture acts by itself

from runner.config.settings import ModelSettings
from runner.engines.trajectory import KeptInMemory
from runner.engines.trajectory_cache import TrajectoryCache
from runner.engines.vllm import VllmEngine
from runner.sampling.request import Request, SamplingParams, Segment
from runner.weights.weights import Weights

pytestmark = pytest.mark.vllm

COUNTED = SamplingParams(0.8, 0.95, noise="counter")


@pytest.fixture(scope="module")
def engine(smollm2_settings: ModelSettings, smollm2: Weights) -> Iterator[VllmEngine]:
    made = build(smollm2_settings, smollm2)
    yield made
    made.close()


def asked(cap: int, sampling: SamplingParams = COUNTED, count: int = 6) -> list[Request]:
    return [request(f"{n}/0#0", TEXTS[n], cap, sampling) for n in range(count)]


def test_neither_order_nor_company_changes_a_text(engine: VllmEngine) -> None:
    mixed = [*asked(24), *(request(f"greedy {n}", TEXTS[n], 20, SamplingParams()) for n in range(6))]
    first = ids(ask(engine, mixed))
    assert len({first[one.key] for one in asked(24)}) == 6
    assert ids(ask(engine, asked(24)[::-1])) == {one.key: first[one.key] for one in asked(24)}
    assert ids(ask(engine, asked(24)[2:3])) == {"2/0#0": first["2/0#0"]}
    greedy = {one.key: first[one.key] for one in mixed[6:]}
    assert ids(ask(engine, mixed[6:])) == greedy


@pytest.mark.parametrize("penalty", [1.0, 1.3])
def test_a_continuation_uses_the_very_same_noise(engine: VllmEngine, penalty: float) -> None:
    sampling = dataclasses.replace(COUNTED, repetition_penalty=penalty)
    whole, cut = ask(engine, asked(30, sampling)), ask(engine, asked(11, sampling))
    for one in asked(19, sampling):
        begun = cut[one.key]
        if begun.usage.output < 11:
            continue
        rest = dataclasses.replace(one, prefix=(Segment(begun.text, begun.token_ids),))
        assert (begun.token_ids or ()) + (ask(engine, [rest])[one.key].token_ids or ()) == whole[one.key].token_ids


def test_vllm_draws_what_our_transformers_engine_draws(
    engine: VllmEngine, smollm2_settings: ModelSettings, smollm2: Weights
) -> None:
    from runner.config.settings import PrecisionSettings, TransformersSettings
    from runner.engines.transformers import TransformersEngine

    settings = TransformersSettings(name="transformers", max_restarts=0, batch_size=8, device="cpu", threads=1)
    other = TransformersEngine(smollm2_settings, PrecisionSettings(name="fp32"), settings, smollm2)
    expected = ids(ask(other, asked(16)))
    other.close()
    assert ids(ask(engine, asked(16))) == expected


@pytest.mark.parametrize("sampling", [SamplingParams(), COUNTED, SamplingParams(0.8, 0.95)])
def test_reused_texts_are_vllms_own(engine: VllmEngine, sampling: SamplingParams) -> None:
    store, wrong = KeptInMemory(), 0
    for cap in (12, 24, 6):
        expected = ids(ask(engine, asked(cap, sampling)))
        found = ids(ask(TrajectoryCache(engine, store, str(cap)), asked(cap, sampling)))  # type: ignore[arg-type]
        wrong += sum(found[key] != expected[key] for key in expected)
    assert wrong == 0, f"{wrong} of 18 differ"
