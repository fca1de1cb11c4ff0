from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tiny_model import save_model, save_tokenizer

from runner.config.settings import ModelSettings
from runner.weights.locate import locate
from runner.weights.weights import Weights

CONF = Path(__file__).resolve().parents[3] / "conf"


@pytest.fixture(scope="session")
def tokenizer_made_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tokenizer")
    save_tokenizer(folder)
    return folder


@pytest.fixture(scope="session")
def model_made_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("model")
    save_tokenizer(folder)
    save_model(folder)
    return folder


@pytest.fixture
def tiny_tokenizer(tokenizer_made_once: Path, tmp_path: Path) -> Path:
    """A folder with a tokenizer alone, for the test to change."""
    return Path(shutil.copytree(tokenizer_made_once, tmp_path / "tokenizer"))


@pytest.fixture
def tiny(model_made_once: Path, tmp_path: Path) -> Path:
    """A folder with a tiny model, for the test to change."""
    return Path(shutil.copytree(model_made_once, tmp_path / "model"))


@pytest.fixture(scope="session")
def smollm2_settings() -> ModelSettings:
    from omegaconf import OmegaConf

    return ModelSettings.model_validate(OmegaConf.to_container(OmegaConf.load(CONF / "model" / "smollm2_135m.yaml")))


@pytest.fixture(scope="session")
def smollm2(smollm2_settings: ModelSettings) -> Weights:
    """The embedded model, set up when it is not there."""
    return locate(smollm2_settings)
