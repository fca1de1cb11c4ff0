"""A run that asks a server over HTTP as a user types it."""

from __future__ import annotations

from pathlib import Path

import runner as package
from tests.end_to_end.command import runner
from tests.runner.engines.loopback import Answer, Call, serving

KEY = "sk-a-secret-key"
ASKED = ("model=gpt4o", "engine=openai", "suite.tasks=[sum,mode]", "suite.samples=2", "tracking=off")


def reply(call: Call) -> Answer:
    if call.headers["authorization"] != f"Bearer {KEY}":
        return Answer({"error": {"message": f"wrong key {call.headers['authorization']}"}}, 401)
    usage = {"prompt_tokens": 30, "completion_tokens": 12, "total_tokens": 42}
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "\\boxed{1}"}}
    return Answer(
        {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage}
    )


def test_a_wrong_key_ends_in_one_line_and_the_same_command_goes_on_with_the_right_one(tmp_path: Path) -> None:
    with serving(reply) as server:
        asked = (*ASKED, f"engine.base_url={server.url}/v1")
        wrong = runner(*asked, cwd=tmp_path, OPENAI_API_KEY="sk-wrong")
        assert (wrong.code, "Traceback" in wrong.out + wrong.err) == (1, False)
        assert "engine=openai: HTTP 401: wrong key Bearer ***" in wrong.out.replace("\n", " ")
        done = runner(*asked, cwd=tmp_path, OPENAI_API_KEY=KEY)
        assert done.code == 0, done.out + done.err
    frame = package.load(tmp_path / "outputs" / "single")
    assert len(frame) == 4
    assert set(frame["usage_source"]) == {"provider"}
    written = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert written
    assert not any(key in content for content in written for key in (KEY.encode(), b"sk-wrong"))
