"""What ``runner fetch`` tells."""

from __future__ import annotations

import io
from pathlib import Path

from fake_hub import write_model
from rich.console import Console

from runner.cli.fetch import fetch
from runner.config.compose import compose
from runner.weights.locate import locate


def _said(*overrides: str) -> str:
    out = io.StringIO()
    fetch(compose(list(overrides)), Console(file=out, width=40))
    return out.getvalue()


def test_place_revision_and_size_are_told(tmp_path: Path) -> None:
    folder = write_model(tmp_path / "my [model]")
    (folder / "model.safetensors").write_bytes(bytes(20_000_000))
    overrides = ["model=custom", f"model.id='{folder}'"]
    said = _said(*overrides)
    assert f"{locate(compose(overrides).model).revision}, 0.02 GB: {folder}\n" in said


def test_a_part_without_weights_needs_nothing() -> None:
    assert "nothing to fetch" in _said("model=scripted", "engine=scripted")
