"""A whole run of the embedded model on transformers, as the README has it."""

from __future__ import annotations

from pathlib import Path

import pytest

import runner as package
from tests.end_to_end.command import runner

ASKED = (
    "model=smollm2_135m",
    "tracking=off",
    "suite.samples=2",
    "suite.tasks=[sum,comparison,find_max]",
    "budget.tokens=32",
)


@pytest.mark.model
def test_a_real_run_is_repeated_without_generating_and_grows(tmp_path: Path) -> None:
    first = runner(*ASKED, cwd=tmp_path)
    assert first.code == 0, first.out + first.err
    assert "nothing to generate" in runner(*ASKED, cwd=tmp_path).out
    frame = package.load(tmp_path / "outputs" / "single")
    assert len(frame) == 6
    assert (frame["output_tokens"].between(1, 32)).all()
    assert (frame["answer_tokens"] == frame["output_tokens"]).all()  # it does not think
    assert set(frame["status"]) <= {"ok", "truncated"}
    grown = runner(*ASKED, "suite.samples=3", cwd=tmp_path)
    assert "3 samples to do" in grown.out
    both = package.load(tmp_path / "outputs" / "single").merge(
        frame, on=["problem_id", "repeat"], suffixes=("", "_before")
    )
    assert (both["characters"] == both["characters_before"]).all()
