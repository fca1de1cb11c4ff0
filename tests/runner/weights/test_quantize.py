"""Quantised weights: made once, under a name of their content, whole or not there. GPTQModel itself is played."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from queue import SimpleQueue

import pytest
from scripted_gptq import ScriptedGptq, write_scripted_gptq

from runner.config.compose import compose
from runner.config.settings import Settings
from runner.errors import UserError
from runner.weights import quantizer
from runner.weights.cache import cache_folder, locked
from runner.weights.calibration import calibration_for
from runner.weights.locate import locate, shipped_folder
from runner.weights.quantize import Origin, obstacle, origin, tokenizer_for, weights_for
from runner.weights.quantizer import VARIABLE
from runner.weights.recipe import group_size_for, trained_in
from runner.weights.weights import Weights

ASKED = ("model=thinker", "precision=int4", "precision.calibration_samples=14")


@pytest.fixture
def gptq(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ScriptedGptq:
    made = write_scripted_gptq(tmp_path / "gptq")
    monkeypatch.setenv(VARIABLE, str(made.python))
    monkeypatch.setenv("THINKMETER_CACHE", str(tmp_path / "cache"))
    return made


def settings(*changes: str) -> Settings:
    return compose([*ASKED, *changes])


def weights(*changes: str, told: list[str] | None = None) -> Weights:
    asked = settings(*changes)
    return weights_for(asked.model, asked.precision, (told if told is not None else []).append)


def in_cache() -> set[str]:
    return {path.name for path in (cache_folder() / "gptq").iterdir() if path.suffix != ".lock"}


def test_a_second_call_quantises_nothing_and_progress_is_few_lines(gptq: ScriptedGptq) -> None:
    told: list[str] = []
    first = weights(told=told)
    assert weights() == first
    assert gptq.calls == 1
    assert told[-1] == "quantised 40 of 40 layers"
    assert len(told) == 11


def test_the_recipe_lies_beside_the_weights(gptq: ScriptedGptq) -> None:
    made = weights()
    known = json.loads((made.folder / "thinkmeter.json").read_text())
    dense = locate(settings().model)
    digest = calibration_for(settings().model, dense.folder, 14).digest
    assert known["recipe"] == {
        "source": dense.revision,
        "bits": 4,
        "group_size": 32,
        "calibration": digest,
        "dtype": "float16",
        "gptqmodel": "7.7.0",
        "torch": "2.13.0",
        "device": "cpu",
        "version": 1,
    }
    assert known["trained_in"] == "float16"
    assert {**known["calibration"], "tokens": 0} == {"prompts": 14, "tokens": 0, "digest": digest, "seed": 7_700_421}
    assert made.revision.startswith(f"{dense.revision}-int4-")
    assert (made.folder / "tokenizer.json").read_bytes() == (dense.folder / "tokenizer.json").read_bytes()


def test_what_the_weights_depend_on_gets_a_place_of_its_own(
    gptq: ScriptedGptq, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = {weights(), weights("precision=int8"), weights("precision.calibration_samples=15")}
    newer = write_scripted_gptq(gptq.folder.parent / "newer", "7.8.0")
    monkeypatch.setenv(VARIABLE, str(newer.python))
    assert len({*made, weights()}) == 4
    assert weights("precision.compute=bf16", "prompt=concise", "effort=none", "sampling.seed=3") == weights()


def test_another_torch_is_in_the_name_and_no_reason_to_do_the_work_again(
    gptq: ScriptedGptq, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = weights()
    newer = write_scripted_gptq(gptq.folder.parent / "newer", torch="2.14.0")
    monkeypatch.setenv(VARIABLE, str(newer.python))
    assert weights() == made
    shutil.rmtree(made.folder)
    assert weights() != made


def test_of_several_in_the_cache_the_one_by_the_newest_gptqmodel_is_taken(
    gptq: ScriptedGptq, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made = {}
    for version in ("7.9.0", "7.10.0", "7.8.0"):
        other = write_scripted_gptq(tmp_path / version, version)
        monkeypatch.setenv(VARIABLE, str(other.python))
        made[version] = weights()
    without_gptqmodel(monkeypatch, tmp_path)
    assert weights() == made["7.10.0"]


def test_float32_is_rounded_before_and_that_is_said_and_recorded(gptq: ScriptedGptq, tmp_path: Path) -> None:
    trained = tmp_path / "trained"
    shutil.copytree(shipped_folder("thinker"), trained)
    config = json.loads((trained / "config.json").read_text())
    (trained / "config.json").write_text(json.dumps({**config, "dtype": "float32"}))
    told: list[str] = []
    asked = settings(f"model.id='{trained}'", "model.source=hub")
    made = weights_for(asked.model, asked.precision, told.append)
    assert "to 4 bits, from float32 rounded to bfloat16, by 14 prompts" in told[0]
    known = json.loads((made.folder / "thinkmeter.json").read_text())
    assert (known["trained_in"], known["recipe"]["dtype"]) == ("float32", "bfloat16")


def test_where_weights_come_from_is_said_as_it_is(gptq: ScriptedGptq) -> None:
    asked = settings()
    assert origin(asked.model, asked.precision) == Origin("quantised here, once, by 14 prompts", to_make=True)
    made = weights().folder
    assert origin(asked.model, asked.precision) == Origin("quantised here before, by 14 prompts", to_make=False)
    itself = compose(["model=custom", f"model.id='{made}'", "precision=int4"])
    assert origin(itself.model, itself.precision) == Origin(f"quantised already: {made} itself", to_make=False)
    unknown = compose(["model=custom", "model.id=org/nowhere", "precision=int4"])
    assert origin(unknown.model, unknown.precision).words.endswith("unless org/nowhere is in few bits itself")


def without_gptqmodel(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(VARIABLE)
    monkeypatch.setattr(quantizer, "_BUILT", tmp_path / "nowhere")
    if quantizer.find_quantizer() is not None:
        pytest.skip("this environment has GPTQModel")


def test_calibration_is_pinned() -> None:
    """Another tokenizer, template, task or prompt style changes it, and with it every quantised checkpoint."""
    made = calibration_for(settings().model, shipped_folder("thinker"), 16)
    assert (made.digest, made.tokens) == ("fb297cf9c249ad68", 1496)


def test_of_two_at_once_one_quantises_and_the_other_is_told(gptq: ScriptedGptq) -> None:
    made = weights()
    (made.folder / "thinkmeter.json").unlink()
    told: SimpleQueue[str] = SimpleQueue()
    found: list[Weights] = []
    asked = settings()
    others = [
        threading.Thread(target=lambda: found.append(weights_for(asked.model, asked.precision, told.put)))
        for _ in range(2)
    ]
    with locked(made.folder.parent / f"{made.folder.name}.lock"):
        for thread in others:
            thread.start()
        assert all("waiting for another process" in told.get(timeout=60) for _ in others)
    for thread in others:
        thread.join()
    assert found == [made, made]
    assert gptq.calls == 2  # once before


def test_a_killed_process_leaves_no_half_checkpoint_and_no_process(gptq: ScriptedGptq) -> None:
    gptq.goes("hang")
    code = f"""
from runner.config.compose import compose
from runner.weights.quantize import weights_for
asked = compose({list(ASKED)!r})
weights_for(asked.model, asked.precision)
"""
    with subprocess.Popen([sys.executable, "-c", code], env=dict(os.environ), stderr=subprocess.DEVNULL) as process:
        wait_for(gptq.folder / "hangs")
        (part,) = in_cache()
        process.send_signal(signal.SIGKILL)
    wait_for(gptq.folder / "ended")
    assert part.endswith(".part")
    gptq.goes("work")
    assert in_cache() == {part}
    made = weights().folder.name
    assert in_cache() == {made}


def wait_for(path: Path) -> None:
    deadline = time.monotonic() + 120
    while not path.exists():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_what_the_dead_left_is_removed_and_what_the_living_make_is_not(gptq: ScriptedGptq) -> None:
    root = cache_folder() / "gptq"
    for name in ("dead", "alive"):
        (root / f".{name}.part").mkdir(parents=True)
    with locked(root / "alive.lock"):
        made = weights().folder.name
        assert in_cache() == {made, ".alive.part"}


def test_a_failure_is_one_line_with_gptqmodels_last_words_and_leaves_nothing(gptq: ScriptedGptq) -> None:
    gptq.goes("fail")
    says = "GPTQModel 7.7.0 failed with status 1: RuntimeError: the matrix is singular"
    with pytest.raises(UserError, match=f"^{re.escape(says)}$"):
        weights()
    assert in_cache() == set()


def test_a_damaged_checkpoint_is_made_again(gptq: ScriptedGptq) -> None:
    made = weights()
    (made.folder / "model.safetensors").write_bytes(b"torn")
    assert weights() == made
    assert gptq.calls == 2
    assert (made.folder / "model.safetensors").stat().st_size > 4


def test_a_machine_without_gptqmodel_uses_what_another_made(
    gptq: ScriptedGptq, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made = weights()
    without_gptqmodel(monkeypatch, tmp_path)
    assert weights() == made
    with pytest.raises(UserError, match=r"^precision=int8: no such checkpoint of thinker .* run `make quantize-env`"):
        weights("precision=int8")
    assert obstacle(settings().model, settings().precision) is None
    assert "quantize-env" in str(obstacle(settings().model, settings("precision=int8").precision))


def test_an_interpreter_without_gptqmodel_is_refused_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "/nowhere/python")
    with pytest.raises(UserError, match=r"^THINKMETER_GPTQ_PYTHON=/nowhere/python: no interpreter"):
        obstacle(settings().model, settings().precision)


def test_a_published_checkpoint_is_taken_before_anything_is_quantised(gptq: ScriptedGptq) -> None:
    published = weights().folder
    asked = settings(f"+model.checkpoints.int8={{id: '{published}'}}", "precision=int8")
    assert weights_for(asked.model, asked.precision).folder == published
    assert gptq.calls == 1


def test_weights_that_are_quantised_already_are_taken_as_they_are(gptq: ScriptedGptq) -> None:
    made = weights().folder
    asked = compose(["model=custom", f"model.id='{made}'", "precision=int4"])
    assert weights_for(asked.model, asked.precision).folder == made
    assert obstacle(asked.model, asked.precision) is None
    assert gptq.calls == 1


def test_weights_in_other_bits_than_asked_for_are_refused_before_they_are_loaded(gptq: ScriptedGptq) -> None:
    asked = compose(["model=custom", f"model.id='{weights().folder}'", "precision=int8"])
    says = r"^precision=int8 was asked for, but the weights of .* are 4-bit gptq; give precision=int4 or precision=auto"
    with pytest.raises(UserError, match=says):
        weights_for(asked.model, asked.precision)
    assert re.match(says, str(obstacle(asked.model, asked.precision)))


def test_nothing_is_said_against_a_model_that_may_be_quantised_itself(
    gptq: ScriptedGptq, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    without_gptqmodel(monkeypatch, tmp_path)
    asked = compose(["model=custom", "model.id=org/nowhere", "precision=int4"])
    assert obstacle(asked.model, asked.precision) is None


def test_the_tokenizer_of_a_quantised_run_is_found_without_quantising(gptq: ScriptedGptq) -> None:
    asked, dense = settings(), locate(settings().model)
    assert tokenizer_for(asked.model, asked.precision, f"{dense.revision}-int4-0123456789ab") == dense
    assert tokenizer_for(asked.model, asked.precision, f"{dense.revision}-int8-0123456789ab") is None
    assert gptq.calls == 0


@pytest.mark.parametrize(
    ("widths", "size"), [((4096, 11008), 128), ((576, 1536), 64), ((160, 448), 32), ((896, 4864), 128)]
)
def test_groups_are_the_largest_that_divide_every_layer(widths: tuple[int, int], size: int, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"hidden_size": widths[0], "intermediate_size": widths[1]}))
    assert group_size_for(tmp_path, "it") == size


@pytest.mark.parametrize(("text", "size"), [(None, 128), ({"hidden_size": 576, "dtype": "float16"}, 64)])
def test_of_a_model_with_more_than_text_the_language_model_decides(
    text: dict[str, object] | None, size: int, tmp_path: Path
) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"hidden_size": 4096, "text_config": text}))
    assert group_size_for(tmp_path, "it") == size
    assert trained_in(tmp_path) == (text and text["dtype"])


def test_a_model_whose_layers_no_group_divides_is_refused(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"hidden_size": 100}))
    with pytest.raises(UserError, match=r"^it can't be quantised: its layers are 100, which groups of 128, 64, 32 do"):
        group_size_for(tmp_path, "it")
