"""A folder holds samples of one model under one fingerprint, and says who made them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from runner.engines.base import LoadedModel
from runner.errors import UserError
from runner.results.layout import RunFolder
from runner.results.run import Run, code_revision, load_run, open_run

LOADED = LoadedModel("transformers", "0.1.2", 32, "dense", "float32", "cpu", 8192, {"torch": "2.13.0"})
SETTINGS = {
    "model": {"name": "x", "family": "qwen3", "published_as": None},
    "precision": {"name": "auto"},
    "prompt": {"name": "odd", "user": "{question} ${x} \ud800\u2028"},
    "budget": {"tokens": None},
    "effort": {"level": "default"},
    "sampling": {"name": "greedy", "temperature": 0, "top_p": 1.0, "top_k": 0, "seed": 1},
    "suite": {"name": "basic_math", "seed": 1, "task_folder": None},
}


def opened(folder: RunFolder, loaded: LoadedModel = LOADED, fingerprint: str = "a" * 16) -> Run:
    return open_run(folder, SETTINGS, fingerprint, loaded, "python -m runner model=x")


def test_the_identity_comes_back(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "run")
    assert load_run(folder) is None
    run = opened(folder)
    assert load_run(folder) == run
    assert run.attempts[0].code_revision == code_revision()
    assert run.attempts[0].versions["torch"] == "2.13.0"
    assert yaml.safe_load(folder.settings.read_text())["sampling"] == SETTINGS["sampling"]


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"engine": "vllm"}, "engine vllm"),
        ({"compute_dtype": "bfloat16"}, "bfloat16"),
        ({"model_revision": "new"}, "revision new"),
        ({"weight_bits": 4, "weight_format": "gptq"}, "4-bit gptq"),
        ({"device": "NVIDIA H200"}, "device gpu"),
    ],
)
def test_another_model_is_refused_with_what_to_do(tmp_path: Path, change: dict[str, Any], named: str) -> None:
    folder = RunFolder(tmp_path / "run")
    before = opened(folder)
    with pytest.raises(UserError, match=named) as refused:
        opened(folder, replace(LOADED, **change))
    assert "study=" in str(refused.value)
    assert str(folder.path) in str(refused.value)
    assert load_run(folder) == before


def test_other_settings_are_refused(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "run")
    opened(folder)
    with pytest.raises(UserError, match="other settings"):
        opened(folder, fingerprint="b" * 16)


def test_another_gpu_or_version_is_an_attempt_of_the_same_run(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "run")
    on_gpu = replace(LOADED, device="NVIDIA H200")
    newer = replace(on_gpu, device="NVIDIA A100", versions={"torch": "2.14.0"})
    for loaded in (on_gpu, on_gpu, newer):
        opened(folder, loaded)
    run = load_run(folder)
    assert run is not None
    assert run.loaded == on_gpu
    assert [attempt.device for attempt in run.attempts] == ["NVIDIA H200", "NVIDIA A100"]


@pytest.mark.parametrize("text", ["", "null", "{", json.dumps({"fingerprint": "a"})])
def test_a_broken_identity_is_one_clear_line(tmp_path: Path, text: str) -> None:
    folder = RunFolder(tmp_path)
    folder.run_json.write_text(text)
    with pytest.raises(UserError, match=r"run\.json"):
        load_run(folder)


@pytest.mark.parametrize(
    "change",
    [{"attempts": []}, {"settings": []}, {"settings": {}}, {"settings": {"model": {"name": 1}}}, {"updated": None}],
)
def test_an_identity_of_another_shape_is_one_clear_line(tmp_path: Path, change: dict[str, object]) -> None:
    folder = RunFolder(tmp_path / "run")
    opened(folder)
    folder.run_json.write_text(json.dumps({**json.loads(folder.run_json.read_text()), **change}))
    with pytest.raises(UserError, match=r"run\.json"):
        load_run(folder)


def test_a_run_keeps_its_nonce_and_another_gets_another(tmp_path: Path) -> None:
    run, other = RunFolder(tmp_path / "run"), RunFolder(tmp_path / "other")
    nonce = opened(run).nonce
    assert opened(run, replace(LOADED, versions={"torch": "2.14.0"})).nonce == nonce
    assert opened(other).nonce != nonce


def test_git_told_to_look_elsewhere_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code_revision.cache_clear()
    before = code_revision()
    monkeypatch.setenv("GIT_DIR", str(tmp_path))
    code_revision.cache_clear()
    assert code_revision() == before
