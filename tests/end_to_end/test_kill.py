"""kill -9 at any moment loses nothing and doubles nothing."""

from __future__ import annotations

import json
import random
import signal
import time
from pathlib import Path

import pytest

from tests.end_to_end.command import SCRIPTED, only_run, runner, start

KILLS = 100
RUN = (*SCRIPTED, "suite.samples=250", "suite.tasks=[sum,mode,division,sorting]", "engine.odd_bytes=0.1")
SLOW = ("engine.step_s=0.03", "engine.window=8", "engine.answer_tokens=60")


def texts(run: Path) -> dict[str, str]:
    lines = (run / "generations.jsonl").read_bytes().split(b"\n")
    assert lines.pop() == b""
    records = [json.loads(line) for line in lines]  # no bad line is left in the middle
    keyed = {f"{r['problem_id']}/{r['repeat']}": json.dumps(r["turns"][0]["text"]) for r in records}
    assert len(keyed) == len(records)
    return keyed


@pytest.mark.slow
def test_a_thousand_samples_survive_a_hundred_kills(tmp_path: Path) -> None:
    """Each life is ended at a random moment, then the same command is typed again."""
    moments = random.Random(0)
    killed = 0
    while killed < KILLS:
        process = start(*RUN, *SLOW, cwd=tmp_path)
        time.sleep(moments.uniform(0.2, 3.0))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        killed += process.returncode == -signal.SIGKILL
        if process.returncode == 0:
            break
    assert runner(*RUN, cwd=tmp_path).code == 0
    undisturbed = tmp_path / "undisturbed"
    undisturbed.mkdir()
    assert runner(*RUN, cwd=undisturbed).code == 0
    survived = texts(only_run(tmp_path))
    assert len(survived) == 1000
    assert survived == texts(only_run(undisturbed))
    assert killed >= KILLS / 2, "the run was over before it was killed often enough; slow it down"
