"""Which noise draws: auto takes what is free or needed, and an engine without counter noise refuses it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from runner.config.compose import compose
from runner.config.preflight import preflight
from runner.engines.factory import capabilities, noise_of, resolve
from runner.engines.transformers import TransformersEngine
from runner.engines.vllm import VllmEngine
from runner.errors import UserError

CUT, WHOLE, GREEDY = (0.6, 0.95), (0.6, 1.0), (0.0, 1.0)


@pytest.mark.parametrize(
    ("engine", "drawn", "expected"),
    [
        (TransformersEngine, CUT, "counter"),
        (TransformersEngine, GREEDY, "counter"),
        (TransformersEngine, WHOLE, "stream"),
        (VllmEngine, CUT, "counter"),
        (VllmEngine, WHOLE, "counter"),
    ],
)
def test_auto_takes_counter_noise_where_it_is_free_or_needed(
    engine: type[TransformersEngine | VllmEngine], drawn: tuple[float, float], expected: str
) -> None:
    settings = compose([f"sampling.temperature={drawn[0]}", f"sampling.top_p={drawn[1]}", "model=smollm2_135m"])
    assert noise_of(settings.sampling, engine.capabilities) == expected
    stream = settings.sampling.model_copy(update={"noise": "stream"})
    assert noise_of(stream, engine.capabilities) == "stream"
    assert noise_of(settings.sampling, replace(engine.capabilities, counter_noise=False)) == "stream"


def test_an_engine_without_counter_noise_refuses_it() -> None:
    settings = compose(["model=scripted", "engine=scripted", "sampling.noise=counter"])
    engine = resolve(settings.engine)
    preflight(settings, engine, capabilities(engine))
    with pytest.raises(UserError, match=r"sampling.noise=counter: engine=scripted draws by itself; use .*stream"):
        preflight(settings, engine, replace(capabilities(engine), counter_noise=False))
