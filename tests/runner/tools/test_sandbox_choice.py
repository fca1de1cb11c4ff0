"""A run that would run model-written code without a sandbox is refused at once; the doctor says which sandbox works."""

from __future__ import annotations

from pathlib import Path

import pytest

from runner.cli.doctor import Level, diagnose
from runner.config.compose import compose
from runner.config.preflight import preflight
from runner.engines.factory import capabilities, resolve
from runner.errors import UserError
from runner.tools import usable


def check(*overrides: str) -> None:
    settings = compose(["model=scripted", "engine=scripted", *overrides])
    engine = resolve(settings.engine)
    preflight(settings, engine, capabilities(engine))


@pytest.mark.parametrize("tools", ["python", "code", "all"])
def test_no_sandbox_no_run(tools: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(usable, "trouble", lambda kind: "not installed")
    with pytest.raises(UserError, match=r"this machine has none.*apt install bubblewrap.*tools\.sandbox=none"):
        check(f"tools={tools}")
    check(f"tools={tools}", "tools.sandbox=none")
    check(f"tools={tools}", "plan=true")
    check("tools=calculator")
    check("tools=none")


def test_the_doctor_has_a_line_on_the_sandbox(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    (finding,) = (finding for finding in diagnose(tmp_path) if finding.name == "sandbox")
    assert finding.level is Level.OK
    monkeypatch.setattr(usable, "trouble", lambda kind: "not installed")
    (finding,) = (finding for finding in diagnose(tmp_path) if finding.name == "sandbox")
    assert (finding.level, finding.remedy) == (Level.OPTIONAL, "apt install bubblewrap")
