"""The real hub client against a server on loopback: what is fetched, what is said, and offline afterwards."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fake_hub import COMMIT, FILES, Hub, located, start_locate

TAKEN = {"config.json", "tokenizer.json", "chat_template.jinja", "model.safetensors"}


def _environment(hub: Hub, home: Path, **more: str) -> dict[str, str]:
    return {"HF_ENDPOINT": hub.url, "HF_HOME": str(home), "HF_HUB_DISABLE_PROGRESS_BARS": "1", **more}


def _locate(hub: Hub, home: Path, model: dict[str, object], **environment: str) -> dict[str, str]:
    return located(start_locate(_environment(hub, home, **environment), **model))[0]


def _names(folder: str) -> set[str]:
    return {str(path.relative_to(folder)) for path in Path(folder).rglob("*") if path.is_file()}


@pytest.mark.parametrize("revision", [None, "main", COMMIT])
def test_fetched_once_a_model_is_found_offline(hub: Hub, tmp_path: Path, revision: str | None) -> None:
    model: dict[str, object] = {"id": "org/tiny", "revision": revision}
    online = _locate(hub, tmp_path, model)
    assert online["revision"] == COMMIT
    assert _names(online["folder"]) == TAKEN
    hub.stop()
    assert _locate(hub, tmp_path, model, HF_HUB_OFFLINE="1") == online
    assert _locate(hub, tmp_path, model) == online, "a hub that doesn't answer is as good as offline"


def test_code_is_taken_only_when_trusted(hub: Hub, tmp_path: Path) -> None:
    found = _locate(hub, tmp_path, {"id": "org/tiny", "trust_remote_code": True})
    assert _names(found["folder"]) == TAKEN | {"modeling_tiny.py"}


def test_bin_files_stand_in_for_missing_safetensors(hub: Hub, tmp_path: Path) -> None:
    hub.repos["org/tiny"] = {name: data for name, data in FILES.items() if name != "model.safetensors"}
    found = _locate(hub, tmp_path, {"id": "org/tiny"})
    assert _names(found["folder"]) == TAKEN - {"model.safetensors"} | {"pytorch_model.bin"}


@pytest.mark.parametrize("own_file", [True, False])
def test_a_model_that_is_gptq_itself_is_taken_in_its_bits_alone(hub: Hub, tmp_path: Path, own_file: bool) -> None:
    said = {"bits": 4, "group_size": 128}
    config = {"model_type": "llama", **({} if own_file else {"quantization_config": {**said, "quant_method": "gptq"}})}
    files = {"config.json": config, **({"quantize_config.json": said} if own_file else {})}
    hub.repos["org/tiny"] = {**FILES, **{name: json.dumps(file).encode() for name, file in files.items()}}
    refused = _locate(hub, tmp_path, {"id": "org/tiny", "precision": "int8"})
    assert "the weights of org/tiny are 4-bit gptq; give precision=int4 or precision=auto" in refused["error"]
    assert not list(tmp_path.rglob("*.safetensors"))
    for precision in ("int4", "auto"):
        found = _locate(hub, tmp_path, {"id": "org/tiny", "precision": precision})
        assert _names(found["folder"]) == TAKEN | set(files)


@pytest.mark.parametrize("loaded", [COMMIT, f"{COMMIT}-int4-0123456789ab"])
def test_for_a_tokenizer_the_weights_stay_on_the_hub(hub: Hub, tmp_path: Path, loaded: str) -> None:
    precision = "int4" if "int4" in loaded else "auto"
    found = _locate(hub, tmp_path, {"id": "org/tiny", "precision": precision, "tokenizer_of": loaded})
    assert _names(found["folder"]) == TAKEN - {"model.safetensors"}


def test_the_token_is_sent(hub: Hub, tmp_path: Path) -> None:
    _locate(hub, tmp_path, {"id": "org/tiny"}, HF_TOKEN="hf_secret")
    assert hub.authorisations == {"Bearer hf_secret"}


@pytest.mark.parametrize(
    ("model", "says"),
    [
        ({"id": "org/gated"}, ["org/gated is gated", "accept its licence at {url}/org/gated", "HF_TOKEN"]),
        ({"id": "org/none"}, ["no model 'org/none'", "model.id"]),
        ({"id": "org/tiny", "revision": "v9"}, ["org/tiny has no revision 'v9'"]),
    ],
)
def test_a_refusal_is_one_line_with_the_way_out(
    hub: Hub, tmp_path: Path, model: dict[str, object], says: list[str]
) -> None:
    answer = _locate(hub, tmp_path, model, HF_TOKEN="hf_secret")
    assert answer["type"] == "UserError"
    assert "\n" not in answer["error"]
    assert "hf_secret" not in answer["error"]
    for part in says:
        assert part.format(url=hub.url) in answer["error"]


def test_nothing_cached_and_no_hub_says_fetch(hub: Hub, tmp_path: Path) -> None:
    hub.stop()
    for offline in ("0", "1"):
        answer = _locate(hub, tmp_path, {"id": "org/tiny"}, HF_HUB_OFFLINE=offline)
        assert answer["type"] == "UserError"
        assert "runner fetch" in answer["error"]
        assert "\n" not in answer["error"]


def test_an_incomplete_copy_is_not_used_offline(hub: Hub, tmp_path: Path) -> None:
    folder = Path(_locate(hub, tmp_path, {"id": "org/tiny"})["folder"])
    (folder / "model.safetensors").unlink()
    answer = _locate(hub, tmp_path, {"id": "org/tiny"}, HF_HUB_OFFLINE="1")
    assert "runner fetch" in answer["error"]
