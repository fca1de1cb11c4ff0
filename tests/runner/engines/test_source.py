"""One engine for many points: loaded once, never lent with another point's work in it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext

import pytest

from runner.config.compose import compose
from runner.config.settings import ScriptedSettings
from runner.config.suite import Suite
from runner.engines.base import Engine, EngineDied
from runner.engines.scripted import ScriptedEngine
from runner.engines.source import EngineSource, ProblemOf
from runner.errors import UserError
from runner.sampling.generation import Generation
from runner.sampling.request import Message, Request, SamplingParams

SETTINGS = compose(["model=scripted", "engine=scripted", "suite.tasks=[sum]"])
SUITE = Suite(SETTINGS.suite)


class Watched(ScriptedEngine):
    """Tells when it is closed, and dies when it is told to."""

    closed = False
    death: EngineDied | None = None

    def poll(self, timeout_s: float) -> list[Generation]:
        if self.death is not None:
            raise self.death
        return super().poll(timeout_s)

    def close(self) -> None:
        self.closed = True
        super().close()


def source() -> tuple[EngineSource, list[Watched]]:
    built: list[Watched] = []

    def load(problem_of: ProblemOf) -> Engine:
        assert isinstance(SETTINGS.engine, ScriptedSettings)
        built.append(Watched(SETTINGS.model, SETTINGS.engine, problem_of))
        return built[-1]

    return EngineSource(load), built


def request() -> Request:
    problem, _ = next(SUITE.places())
    return Request(f"{problem.id}/0#0", (Message("user", problem.question),), SamplingParams(), 0, None)


def use(engine: Engine) -> None:
    engine.submit(request())
    while engine.in_flight:
        engine.poll(0.1)


def test_many_points_load_once() -> None:
    shared, built = source()
    for _ in range(3):
        engine = shared.lend(SUITE.problem)
        use(engine)
        engine.close()
    assert len(built) == shared.loads == 1
    assert not built[0].closed
    shared.close()
    assert built[0].closed


def test_an_engine_left_with_work_is_not_lent_again() -> None:
    shared, built = source()
    engine = shared.lend(SUITE.problem)
    engine.submit(request())
    engine.close()
    assert built[0].closed
    use(shared.lend(SUITE.problem))
    assert len(built) == 2


@pytest.mark.parametrize(("restartable", "loads"), [(True, 2), (False, 1)])
def test_a_dead_engine_is_built_again_if_it_can_be(restartable: bool, loads: int) -> None:
    shared, built = source()
    engine = shared.lend(SUITE.problem)
    built[0].death = EngineDied("gone", restartable=restartable)
    for _ in range(2):
        with pytest.raises(EngineDied):
            engine.poll(0.1)
        engine.close()
    with nullcontext() if restartable else pytest.raises(EngineDied):
        use(shared.lend(SUITE.problem))
    assert len(built) == loads
    assert built[0].closed


def test_an_engine_that_is_not_to_be_had_is_looked_for_once() -> None:
    tries = 0

    def load(problem_of: Callable[[str], object]) -> Engine:
        nonlocal tries
        tries += 1
        raise UserError("no weights")

    shared = EngineSource(load)
    for _ in range(3):
        with pytest.raises(UserError, match="no weights"):
            shared.lend(SUITE.problem)
    assert tries == 1
