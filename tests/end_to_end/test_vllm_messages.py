"""vLLM's server speaks Messages, too: the same model gives the same texts through it as in process."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import runner as package
from tests.end_to_end.command import only_run, runner
from tests.vllm_server import vllm_serving

THINKER = Path(package.__file__).parent / "data" / "thinker"
ASKED = ("model=thinker", "suite=basic_math_small", "suite.tasks=[sum,comparison]", "suite.samples=4", "tracking=off")
ASKED += ("sampling=greedy", "budget.tokens=400")
VLLM = ("engine=vllm", "engine.enforce_eager=true", "engine.cpu_kv_cache_gib=1", "engine.max_num_seqs=8")


def texts(cwd: Path, study: str) -> dict[str, str]:
    lines = (only_run(cwd, study) / "generations.jsonl").read_text().splitlines()
    return {record["problem_id"]: record["turns"][0]["text"] for record in map(json.loads, lines)}


@pytest.mark.vllm
def test_the_same_texts_and_counts_through_messages_as_in_process(tmp_path: Path) -> None:
    with vllm_serving(THINKER, "thinker", tmp_path / "server.log", "--max-model-len", "1024") as url:
        asked = ("engine=anthropic", f"engine.base_url={url}", "study=served")
        done = runner(*ASKED, *asked, cwd=tmp_path, timeout_s=900)
        assert done.code == 0, done.out + done.err
    done = runner(*ASKED, *VLLM, "study=local", cwd=tmp_path, timeout_s=900)
    assert done.code == 0, done.out + done.err
    served, local = (
        package.load(tmp_path / "outputs" / study).set_index("problem_id").sort_index() for study in ("served", "local")
    )
    assert len(served) == len(local) > 0
    assert texts(tmp_path, "served") == texts(tmp_path, "local")
    assert (served["output_tokens"] == local["output_tokens"]).all()
    assert (served["prompt_tokens"] == local["prompt_tokens"]).all()
    assert (served["outcome"] == local["outcome"]).all()
    assert set(served["usage_source"]) == {"estimated"}  # the server counts thinking and answer together
