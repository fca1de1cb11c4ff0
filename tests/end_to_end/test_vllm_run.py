"""A whole run on vLLM as a user types it, in the environment that has it."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

import runner as package
from tests.end_to_end.command import only_run, runner

ASKED = ("model=smollm2_135m", "engine=vllm", "engine.enforce_eager=true", "engine.max_model_len=1024")
ASKED += ("engine.cpu_kv_cache_gib=1", "engine.max_num_seqs=16", "tracking=off", "suite.samples=1", "budget.tokens=24")


@pytest.mark.vllm
def test_a_run_on_vllm_ends_with_a_table_and_is_complete(tmp_path: Path) -> None:
    done = runner(*ASKED, cwd=tmp_path)
    assert done.code == 0, done.out + done.err
    assert "all tasks" in done.out
    frame = package.load(tmp_path / "outputs" / "single")
    assert len(frame) == 14
    assert (frame["output_tokens"] <= 24).all()
    assert set(frame["usage_source"]) == {"ids"}
    loaded = json.loads((only_run(tmp_path) / "run.json").read_text())["loaded"]
    assert (loaded["engine"], loaded["compute_dtype"]) == ("vllm", "float32")
    assert "nothing to generate" in runner(*ASKED, cwd=tmp_path).out


@pytest.mark.vllm
def test_vllms_own_cap_on_thinking_holds(tmp_path: Path) -> None:
    asked = ("-m", "model=thinker", "suite=basic_math_small", *ASKED[1:-2], "study=native")
    asked += ("suite.samples=4", "suite.tasks=[sum,comparison,sorting]")
    done = runner(*asked, "budget=native", "budget.tokens=0,16,64,null", cwd=tmp_path, timeout_s=900)
    assert done.code == 0, done.out + done.err
    assert done.out.count("loading thinker on vllm") == 1
    frame = package.load(tmp_path / "outputs" / "native")
    assert set(frame["noise"]) == {"counter"}
    free, capped = frame[frame["budget"].isna()], frame[frame["budget"].notna()]
    assert len(capped) == 3 * len(free) == 3 * 12
    assert (capped["thinking_tokens"] <= capped["budget"]).all()
    assert set(capped["budget_kind"]) == {"native"}
    assert (free["thinking_tokens"] > 64).any()
    assert set(capped[capped["budget"] == 0]["thinking_state"]) == {"forced"}
    assert (capped["budget_hit"] == (capped["thinking_tokens"] == capped["budget"])).all()
    assert set(capped["budget_hit"]) == {True, False}
    assert (capped["injected_tokens"] == 0).all()


@pytest.mark.vllm
def test_onset_asks_on_vllm_and_then_reads_what_is_stored(tmp_path: Path) -> None:
    asked = ("model=thinker", "suite=basic_math_small", *ASKED[1:-2], "sampling=greedy", "suite.tasks=[sum]")
    done = runner(*asked, "suite.samples=2", "budget.tokens=null", cwd=tmp_path)
    assert done.code == 0, done.out + done.err
    run, tables = only_run(tmp_path), []
    for _ in range(2):
        done = runner("onset", str(run), "step=32", "samples=2", cwd=tmp_path)
        assert done.code == 0, done.err
        tables.append((run / "onset-32.csv").read_text("utf-8"))
    assert tables[0] == tables[1]
    rows = list(csv.DictReader(tables[0].splitlines()))
    assert len(rows) == 2
    assert [int(row["probes"]) for row in rows] == [-(-int(row["thinking"]) // 32) for row in rows]
