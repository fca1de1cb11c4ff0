"""The quick way to compose many points gives what Hydra's own gives."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hydra import initialize_config_dir
from hydra.core.global_hydra import GlobalHydra
from hydra.types import RunMode

from hydra_plugins.thinkmeter.composing import Composer
from runner.config.compose import HYDRA_ERRORS, compose, settings_from
from runner.config.folder import config_folder
from runner.config.settings import Settings
from runner.errors import UserError

POINTS = [
    ["model=scripted", "engine=scripted", "suite.low=-5", "sampling.seed=1"],  # parameters refer to suite.low
    ["model=scripted", "engine=scripted", "suite.low=-9", "sampling.seed=1"],
    ["model=scripted", "engine=scripted", "sampling.seed=2"],
    ["model=thinker", "effort=low", "budget=thinking", "budget.tokens=32"],
    ["model=thinker", "effort=low", "budget=total", "budget.tokens=32"],
    ["budget.tokens=32", "budget=thinking", "model=thinker", "effort=low"],
    ["prompt.user='${study} {question}'", "prompt.interpolate=true", "study=x"],
    ["prompt.user='${study} {question}'", "prompt.interpolate=false", "study=y"],
    ["engine=auto", "engine.vllm.tensor_parallel_size=2"],
    ["+suite.params.sum.list_size=3"],
    ["++suite.sizes=[3,4]"],
    ["~tracking", "tracking=off"],
]


@pytest.fixture
def composer() -> Composer:
    with initialize_config_dir(version_base="1.3", config_dir=str(config_folder())):
        loader = GlobalHydra.instance().config_loader()
        return Composer(loader, loader.load_configuration("config", [], RunMode.MULTIRUN))


def outcome(make: Callable[[], Settings]) -> Settings | None:
    """Return the settings, None if they are refused."""
    try:
        return make()
    except (UserError, *HYDRA_ERRORS):
        return None


def test_every_point_is_composed_as_hydra_does(composer: Composer) -> None:
    found = [outcome(lambda asked=asked: settings_from(composer.compose(asked))) for asked in POINTS * 2]
    expected = [outcome(lambda asked=asked: compose(asked)) for asked in POINTS]
    assert found == expected * 2
    assert expected.count(None) < len(expected) / 2
