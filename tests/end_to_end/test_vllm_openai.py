"""The same model gives the same texts through vLLM's own server, asked as OpenAI is, as it does in process."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import runner as package
from tests.end_to_end.command import only_run, runner
from tests.vllm_server import vllm_serving

THINKER = Path(package.__file__).parent / "data" / "thinker"
ASKED = ("model=thinker", "suite=basic_math_small", "suite.tasks=[sum,comparison]", "suite.samples=4", "tracking=off")
ASKED += ("sampling=greedy",)
VLLM = ("engine=vllm", "engine.enforce_eager=true", "engine.cpu_kv_cache_gib=1", "engine.max_num_seqs=8")
WHOLE, CLOSED = ("budget.tokens=400",), ("budget=thinking", "budget.tokens=24")


def texts(cwd: Path, study: str) -> dict[str, list[str]]:
    lines = (only_run(cwd, study) / "generations.jsonl").read_text().splitlines()
    return {record["problem_id"]: [turn["text"] for turn in record["turns"]] for record in map(json.loads, lines)}


@pytest.mark.vllm
def test_the_same_texts_and_counts_as_in_process_whole_and_with_thinking_closed(tmp_path: Path) -> None:
    def ask(study: str, *overrides: str) -> None:
        done = runner(*ASKED, *overrides, f"study={study}", cwd=tmp_path, timeout_s=1500)
        assert done.code == 0, done.out + done.err

    with vllm_serving(THINKER, "thinker", tmp_path / "server.log", "--max-model-len", "1024") as url:
        served = ("engine=openai", f"engine.base_url={url}/v1")
        ask("served", *served, *WHOLE)
        ask("served_closed", *served, "engine.continues=true", *CLOSED)
    ask("local", *VLLM, *WHOLE)
    ask("local_closed", *VLLM, *CLOSED)
    for kind in ("", "_closed"):
        assert texts(tmp_path, f"served{kind}") == texts(tmp_path, f"local{kind}")
        one, other = (
            package.load(tmp_path / "outputs" / f"{study}{kind}").set_index("problem_id").sort_index()
            for study in ("served", "local")
        )
        for column in ("output_tokens", "prompt_tokens", "outcome", "thinking_state", "budget_hit"):
            assert one[column].equals(other[column]), column
    assert "forced" in set(one["thinking_state"])
