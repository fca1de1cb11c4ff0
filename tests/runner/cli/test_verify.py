"""What ``verify`` says where an engine ends before all was checked."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from runner.cli import verify as command
from runner.config.compose import compose
from runner.engines.base import EngineDied, EngineStopped
from runner.errors import EXIT_FAILED
from runner.point import prepare
from runner.sweep import run_alone


@pytest.mark.parametrize("end", [EngineStopped("no credit"), EngineDied("no memory")])
def test_an_engine_that_ends_certifies_nothing(end: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fixed = ["model=scripted", "engine=scripted", "tracking=off", "suite.tasks=[sum]", "suite.samples=1"]
    one = prepare(compose([*fixed, f"outputs={tmp_path}"]))
    run_alone(one, "python -m runner", Console(file=StringIO()))

    def fails(*_: object) -> None:
        raise end

    monkeypatch.setattr(command, "verify_run", fails)
    console = Console(file=StringIO(), width=200)
    assert command.verify(one.folder.path, None, 1, console) == EXIT_FAILED
    assert console.file.getvalue() == f"the engine ended, so nothing was certified: {end}\n"  # type: ignore[attr-defined]
