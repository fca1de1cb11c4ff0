"""Folders as models: any name, complete or refused, and a revision that follows the content."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fake_hub import write_model

from runner.config.settings import ModelSettings
from runner.errors import UserError
from runner.weights.locate import locate


def _model(model_id: object, **more: object) -> ModelSettings:
    return ModelSettings(name="m", id=str(model_id), family="m", kind="instruct", **more)


@pytest.mark.parametrize("name", ["plain", "with space", "lr=1e-3,seed:7", "größe-模型-🙂", "x" * 200])
def test_a_folder_of_any_name_is_found(tmp_path: Path, name: str) -> None:
    folder = write_model(tmp_path / name)
    assert locate(_model(folder)).folder == folder


def test_a_relative_folder_and_one_at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_model(tmp_path / "org" / "model")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert {locate(_model(name)).folder for name in ("org/model", "./org/model", "~/org/model")} == {folder}


@pytest.mark.parametrize("name", ["/no/such/folder", "./gone", "../gone", "~/gone", "a/b/c", "a b", "org/größe"])
def test_a_missing_folder_is_named(name: str) -> None:
    with pytest.raises(UserError, match=r"no folder .* and no hub id"):
        locate(_model(name))


@pytest.mark.parametrize(("gone", "says"), [("config.json", "config.json"), ("model.safetensors", "weight files")])
def test_an_incomplete_folder_says_what_it_lacks(tmp_path: Path, gone: str, says: str) -> None:
    folder = write_model(tmp_path / "model")
    (folder / gone).unlink()
    with pytest.raises(UserError, match=f"lacks {says}"):
        locate(_model(folder))


def test_a_missing_shard_is_named(tmp_path: Path) -> None:
    folder = write_model(tmp_path / "model")
    index = {"weight_map": {"a": "model.safetensors", "b": "model-2.safetensors"}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    with pytest.raises(UserError, match=r"lacks model-2\.safetensors"):
        locate(_model(folder))
    (folder / "model.safetensors.index.json").write_text("{torn")
    with pytest.raises(UserError, match="is damaged"):
        locate(_model(folder))


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.safetensors"])
def test_the_revision_follows_the_content_and_not_the_place(tmp_path: Path, name: str) -> None:
    here, there = write_model(tmp_path / "here"), write_model(tmp_path / "there")
    before = locate(_model(here)).revision
    assert locate(_model(there)).revision == before
    (there / "README.md").write_text("no part of the model")
    assert locate(_model(there, revision=before)).revision == before
    (there / name).write_bytes((there / name).read_bytes() + b" ")
    with pytest.raises(UserError, match=f"model.revision asks for '{before}'"):
        locate(_model(there, revision=before))


def test_code_counts_when_it_is_trusted(tmp_path: Path) -> None:
    folder = write_model(tmp_path / "model")
    (folder / "modeling.py").write_text("one")
    revisions = {locate(_model(folder, trust_remote_code=trust)).revision for trust in (False, True)}
    (folder / "modeling.py").write_text("two")
    revisions |= {locate(_model(folder, trust_remote_code=trust)).revision for trust in (False, True)}
    assert len(revisions) == 3


def test_a_model_without_weights_says_which_engine_it_is_for() -> None:
    with pytest.raises(UserError, match="engine=scripted"):
        locate(_model("scripted", source="none"))
