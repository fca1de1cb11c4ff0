"""TRL takes real steps with our reward on the demonstration model; in the environment of `make test-train` alone."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).resolve().parents[2] / "docs" / "examples" / "grpo.py"


@pytest.mark.train
def test_the_documented_example_trains(tmp_path: Path) -> None:
    from safetensors.torch import load_file

    spec = importlib.util.spec_from_file_location("grpo", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    logged = example.train(2, "both", str(tmp_path / "out"))
    assert len(logged) == 2
    assert all(0 <= entry["reward"] <= 1 for entry in logged)
    assert all(entry["rewards/reward_both/mean"] == pytest.approx(entry["reward"]) for entry in logged)
    before = load_file(Path(example.files("runner") / "data" / "thinker" / "model.safetensors"))
    after = load_file(tmp_path / "out" / "model.safetensors")
    assert any((after[name].float() - before[name].float()).abs().max() > 0 for name in after if name in before)
