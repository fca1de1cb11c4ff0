"""The demonstration recipe: the embedded model writes, answers and judges a set, and is then asked it."""

from __future__ import annotations

import json
from pathlib import Path

from tests.end_to_end.command import only_run, runner


def test_a_set_by_the_embedded_model_is_asked_again(tmp_path: Path) -> None:
    made = runner("make-set", "recipe=demo", "recipe.fields=[countries]", "out=sets/demo", cwd=tmp_path)
    assert made.code == 0, made.err
    manifest = json.loads((tmp_path / "sets/demo/manifest.json").read_text("utf-8"))
    assert manifest["quality"] == "demo"
    assert manifest["questions"] > 0
    assert manifest["judge"]["answers"] >= 2 * manifest["questions"]

    # MATH-500, the suite's other part, is not on this machine and not asked.
    general = "optimal_thinking_general"
    done = runner(
        "model=smollm2_135m", "suite=optimal_thinking_over", f"suite.tasks=[{general}]", "suite.repeats=1",
        f"suite.params.{general}.path=sets/demo/{manifest['file']}", "judge=scripted", "budget.tokens=32",
        "tracking=off", cwd=tmp_path, HF_HUB_OFFLINE="1",
    )  # fmt: skip
    assert done.code == 0, done.out + done.err
    judged = (only_run(tmp_path) / "judgements.jsonl").read_text("utf-8").splitlines()
    assert len(judged) == manifest["questions"]
