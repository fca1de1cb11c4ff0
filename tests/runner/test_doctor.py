"""The doctor's report: complete, without secrets, whatever the machine looks like."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

from runner.cli.doctor import Finding, Level, diagnose, exit_code, render
from runner.config import machine
from runner.tracking.wandb import server


def _by_name(findings: list[Finding]) -> dict[str, Finding]:
    return {finding.name: finding for finding in findings}


@pytest.fixture(autouse=True)
def bare_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """No programs, no logins, an empty cache."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("THINKMETER_CACHE", str(tmp_path / "cache"))
    for name in ("HF_TOKEN", "HF_TOKEN_PATH", "HF_HOME", "WANDB_API_KEY", "WANDB_BASE_URL", "NETRC"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    return tmp_path


def _program(folder: Path, name: str, script: str = "") -> None:
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)


def test_a_bare_machine_is_told_what_to_type() -> None:
    found = _by_name(diagnose())
    for name, remedy in {
        "model smollm2_135m": "python -m runner fetch model=smollm2_135m",
        "hub token": "HF_TOKEN",
        "wandb": "wandb login",
    }.items():
        assert found[name].level is Level.OPTIONAL
        assert remedy in found[name].remedy
    assert "slurm" in {name for name, finding in found.items() if finding.level is Level.OPTIONAL}
    optional = [finding for finding in found.values() if finding.level is Level.OPTIONAL]
    assert all("(for " in finding.message for finding in optional)
    assert all(finding.remedy for finding in optional if finding.name != "gpu")
    assert "offline" in found["hub"].message


def test_what_is_there_is_found(bare_machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _program(bare_machine, "sbatch")
    (bare_machine / ".netrc").write_text(f"machine {server()} login user password {'5' * 40}-secret\n")
    (bare_machine / ".netrc").chmod(0o600)
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    found = _by_name(diagnose())
    assert {found[name].level for name in ("slurm", "wandb", "hub token")} == {Level.OK}
    assert "secret" not in str(found)


def test_a_login_elsewhere_is_none_here(bare_machine: Path) -> None:
    (bare_machine / ".netrc").write_text("machine elsewhere.example login user password secret-key\n")
    (bare_machine / ".netrc").chmod(0o600)
    assert _by_name(diagnose())["wandb"].level is Level.OPTIONAL


def test_a_broken_netrc_is_no_login(bare_machine: Path) -> None:
    (bare_machine / ".netrc").write_text("machine api.wandb.ai login\x00 {{{\n")
    assert _by_name(diagnose())["wandb"].level is Level.OPTIONAL


def test_a_hub_that_refuses_is_reported_and_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HF_HUB_OFFLINE")
    for endpoint in ("http://127.0.0.1:9", "nonsense"):
        monkeypatch.setenv("HF_ENDPOINT", endpoint)
        hub = _by_name(diagnose())["hub"]
        assert hub.level is Level.MISSING
        assert endpoint in hub.message


def test_only_problems_fail() -> None:
    fine, missing = Finding("a", Level.OK, "here"), Finding("b", Level.MISSING, "not here")
    assert exit_code([fine, missing]) == 0
    assert exit_code([fine, missing, Finding("c", Level.PROBLEM, "broken")]) == 1


def test_the_table_shows_every_finding_whole() -> None:
    long = "/very/long/path" * 20
    out = io.StringIO()
    render([Finding("disk [x]", Level.OK, long, "do [this]")], Console(file=out, width=60))
    text = out.getvalue().replace("\n", "").replace(" ", "")
    assert long in text
    assert "disk[x]" in text
    assert "do[this]" in text


def test_a_gpu_is_seen_unless_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    assert not machine.has_gpu()
    assert _by_name(diagnose())["gpu"].level is Level.OPTIONAL


def test_free_space_is_asked_where_a_folder_will_be_made(tmp_path: Path) -> None:
    assert machine.free_disk(tmp_path / "not" / "yet" / "there") > 0


def test_nothing_heavy_is_imported() -> None:
    heavy = "torch", "transformers", "vllm", "pandas", "huggingface_hub"
    code = f"import sys, runner.cli.doctor as d; d.diagnose(); print([m for m in {heavy!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_keys_of_providers_are_found_and_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret")
    monkeypatch.delenv("GEMINI_API_KEY", raising=False)
    found = _by_name(diagnose())
    assert found["engine anthropic"].level is Level.OK
    assert found["engine google"].remedy == "export GEMINI_API_KEY=..."
    assert "secret" not in str(found)
