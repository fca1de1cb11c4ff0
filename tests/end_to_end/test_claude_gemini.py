"""Whole runs on Anthropic's and Google's protocols as a user types them, against a server on loopback."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import runner as package
from tests.end_to_end.command import only_run, runner
from tests.runner.engines.loopback import Answer, Call, serving

ASKED = ("tracking=off", "suite.tasks=[sum]", "suite.sizes=[2]", "suite.samples=4", "suite.folds=1")


def added(question: str) -> str:
    """Return the thinking and the answer to a sum."""
    numbers = [int(number) for number in re.findall(r"-?\d+", question[question.index("[") : question.index("]")])]
    return f"\\boxed{{{sum(numbers)}}}"


def claude(call: Call) -> Answer:
    thinking = {"type": "thinking", "thinking": "I add them.", "signature": "c2ln"}
    said = {"type": "text", "text": added(call.body["messages"][0]["content"])}
    counts = {"input_tokens": 50, "output_tokens": 40, "output_tokens_details": {"thinking_tokens": 30}}
    about = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude", "stop_reason": "end_turn"}
    return Answer({**about, "content": [thinking, said], "usage": counts}, headers={"request-id": "req_7"})


def gemini(call: Call) -> Answer:
    said = {"text": added(call.body["contents"][0]["parts"][0]["text"])}
    content = {"role": "model", "parts": [{"text": "I add them.", "thought": True}, said]}
    counts = {"promptTokenCount": 50, "candidatesTokenCount": 10, "thoughtsTokenCount": 30, "totalTokenCount": 90}
    return Answer({"candidates": [{"content": content, "finishReason": "STOP"}], "usageMetadata": counts})


@pytest.mark.parametrize(
    ("asked", "script", "sent"),
    [
        (
            ("model=claude_sonnet4", "engine=anthropic", "effort=low", "sampling=model_default"),
            claude,
            {"thinking": {"type": "enabled", "budget_tokens": 1024}},
        ),
        (("model=gemini25_pro", "engine=google", "effort=low"), gemini, {}),
    ],
)
def test_a_run_ends_with_a_table_and_is_complete(
    asked: tuple[str, ...], script: Any, sent: dict[str, Any], tmp_path: Path
) -> None:
    with serving(script) as server:
        typed = (*asked, *ASKED, f"engine.base_url={server.url}")
        done = runner(*typed, cwd=tmp_path)
        assert done.code == 0, done.out + done.err
        assert len(server.calls) == 4
        assert sent.items() <= server.calls[0].body.items()
        assert "nothing to generate" in runner(*typed, cwd=tmp_path).out
        assert len(server.calls) == 4
    frame = package.load(tmp_path / "outputs" / "single")
    assert set(frame["outcome"]) == {"correct"}
    assert set(frame["usage_source"]) == {"provider"}
    assert set(frame["thinking_tokens"]) == {30}
    assert set(frame["output_tokens"]) == {40}
    assert "thinking_state" in frame
    assert set(frame["thinking_state"]) == {"closed"}
    assert '"provider"' in (only_run(tmp_path) / "run.json").read_text()


@pytest.mark.parametrize("name", ["anthropic", "google"])
def test_a_wrong_key_ends_the_run_with_one_line_that_does_not_show_it(name: str, tmp_path: Path) -> None:
    bodies: dict[str, Any] = {
        "anthropic": {"type": "error", "error": {"type": "authentication_error", "message": "invalid key sk-hidden"}},
        "google": {"error": {"code": 400, "status": "INVALID_ARGUMENT", "message": "bad key sk-hidden"}},
    }
    bodies["google"]["error"]["details"] = [{"reason": "API_KEY_INVALID"}]
    asked = {"anthropic": "model=claude_sonnet4", "google": "model=gemini25_flash"}[name]
    status = {"anthropic": 401, "google": 400}[name]
    keys = {"ANTHROPIC_API_KEY": "sk-hidden", "GEMINI_API_KEY": "sk-hidden"}
    with serving(Answer(bodies[name], status)) as server:
        done = runner(asked, f"engine={name}", *ASKED, f"engine.base_url={server.url}", cwd=tmp_path, **keys)
    assert done.code == 1
    assert f"engine={name}: HTTP 401" in done.out + done.err
    assert "Traceback" not in done.err
    stored = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"sk-hidden" not in stored + (done.out + done.err).encode()
