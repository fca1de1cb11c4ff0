from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from loopback import Answer, Call, Loopback, serving

from bench import split_thinking
from runner.config.api import AnthropicSettings
from runner.config.settings import ModelSettings
from runner.engines.anthropic import AnthropicProvider, batch_key, batch_name
from runner.engines.anthropic_messages import DEFAULT_SAMPLING
from runner.engines.base import LoadedModel
from runner.engines.transport import ApiEngine
from runner.errors import UserError
from runner.sampling.generation import FinishReason, Generation
from runner.sampling.request import Message, Request, SamplingParams
from runner.tools.protocol import ToolSpec

MODEL = ModelSettings(
    name="claude", id="claude-x", source="api", provider="anthropic", family="claude", kind="hybrid", context=1000
)
TEXT = {"type": "text", "text": "It is \\boxed{4}."}
THOUGHT = {"type": "thinking", "thinking": "Two and two.", "signature": "c2ln"}
REDACTED = {"type": "redacted_thinking", "data": "ZW5j"}


def reply(*blocks: dict[str, Any], stop: str | None = "end_turn", **usage: Any) -> Answer:
    counts = {"input_tokens": 10, "output_tokens": 30, **usage}
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-x", "content": list(blocks)}
    return Answer({**message, "stop_reason": stop, "usage": counts}, headers={"request-id": "req_7"})


def error(status: int, kind: str, message: str = "no", **headers: str) -> Answer:
    return Answer({"type": "error", "error": {"type": kind, "message": message}}, status, headers)


def settings(url: str, **changes: Any) -> AnthropicSettings:
    common = {"max_restarts": 1, "api_key_env": "KEY", "max_concurrency": 4, "timeout_s": 5.0, "max_retries": 2}
    bounds = {"backoff_s": 0.001, "max_wait_s": 1.0, "max_cost": None, "prices": None, "batch": False}
    own = {"name": "anthropic", "base_url": url, "api_version": "2023-06-01", "max_output_tokens": 2000}
    return AnthropicSettings.model_validate({**common, **bounds, **own, **changes})


def engine(server: Loopback, model: ModelSettings = MODEL, drawn: bool = True, **changes: Any) -> ApiEngine:
    asked = settings(server.url, **changes)
    loaded = LoadedModel("anthropic", "claude-x", None, "provider", "unknown", "provider", None, {})
    return ApiEngine(AnthropicProvider(model, asked, "sk-secret", drawn=drawn), asked, loaded, DEFAULT_SAMPLING)


def request(key: str = "sum:0:0:0:ab/0#0", **changes: Any) -> Request:
    messages = (Message("system", "Be brief."), Message("user", "2 + 2?"))
    given: dict[str, Any] = {"messages": messages, "sampling": DEFAULT_SAMPLING, "seed": 5, "max_tokens": None}
    return Request(key=key, **{**given, **changes})


def ask(server: Loopback, asked: Request | None = None, **changes: Any) -> Generation:
    made = engine(server, **changes)
    try:
        made.submit(asked or request())
        while not (done := made.poll(0.2)):
            pass
    finally:
        made.close()
    return done[0]


def test_a_call_says_what_the_request_says() -> None:
    with serving(reply(TEXT)) as server:
        got = ask(server, request(sampling=SamplingParams(0.1, 0.9), stop=("Q:",), max_tokens=64))
    (call,) = server.calls
    assert call.path == "/v1/messages"
    assert call.headers["anthropic-version"] == "2023-06-01"
    assert call.body == {
        "model": "claude-x",
        "max_tokens": 64,
        "system": "Be brief.",
        "messages": [{"role": "user", "content": "2 + 2?"}],
        "temperature": 0.1,
        "top_p": 0.9,
        "stop_sequences": ["Q:"],
    }
    assert got.request_id == "req_7"
    assert got.max_tokens == 64


def test_defaults_are_not_sent_since_later_models_refuse_the_very_word() -> None:
    with serving(reply(TEXT)) as server:
        got = ask(server)
    assert set(server.calls[0].body) == {"model", "max_tokens", "messages", "system"}
    assert got.max_tokens == server.calls[0].body["max_tokens"] == 2000


def test_a_server_of_ones_own_is_told_its_sampling_since_its_defaults_may_be_anything() -> None:
    open_model = ModelSettings(name="thinker", id="thinker", family="thinker", kind="hybrid")
    with serving(reply(TEXT)) as server:
        ask(server, request(template_options={"enable_thinking": False}), model=open_model)
        ask(server, model=open_model, drawn=False)
    told, untold = (call.body for call in server.calls)
    assert (told["temperature"], told["top_p"]) == (1.0, 1.0)
    assert told["chat_template_kwargs"] == {"enable_thinking": False}
    assert set(untold) == {"model", "max_tokens", "messages", "system"}


def test_effort_and_native_budget_are_fields_of_the_call() -> None:
    adaptive = {"thinking": {"type": "adaptive"}, "output_config": {"effort": "low"}}
    with serving(reply(TEXT)) as server:
        ask(server, request(template_options=adaptive))
        ask(server, request(thinking_cap=1500))
    assert server.calls[0].body["thinking"] == {"type": "adaptive"}
    assert server.calls[0].body["output_config"] == {"effort": "low"}
    assert server.calls[1].body["thinking"] == {"type": "enabled", "budget_tokens": 1500}


def test_thinking_is_marked_and_counted_by_the_provider() -> None:
    with serving(reply(THOUGHT, REDACTED, TEXT, output_tokens_details={"thinking_tokens": 21})) as server:
        got = ask(server)
    split = split_thinking(got.text)
    assert (split.thinking, split.answer) == ("Two and two.", "It is \\boxed{4}.")
    usage = got.usage
    assert (usage.thinking, usage.answer, usage.output, usage.source) == (21, 9, 30, "provider")


def test_cached_tokens_are_part_of_the_prompt() -> None:
    with serving(reply(TEXT, cache_read_input_tokens=100, cache_creation_input_tokens=7)) as server:
        got = ask(server)
    assert (got.usage.prompt, got.usage.cached, got.usage.source) == (117, 100, "provider")


@pytest.mark.parametrize("details", [None, {"thinking_tokens": 0}])
def test_thinking_that_is_not_counted_is_estimated_and_says_so(details: dict[str, int] | None) -> None:
    with serving(reply(THOUGHT, TEXT, output_tokens_details=details)) as server:
        usage = ask(server).usage
    assert usage.source == "estimated"
    assert (usage.output, usage.thinking + usage.answer) == (30, 30)
    assert 0 < usage.answer < usage.thinking


def test_hidden_thinking_counts_as_thinking() -> None:
    with serving(reply(REDACTED, TEXT, output_tokens_details={"thinking_tokens": 21})) as server:
        got = ask(server)
    assert got.text == "It is \\boxed{4}."
    assert got.usage.thinking == 21


@pytest.mark.parametrize(
    ("stop", "finish"),
    [
        ("end_turn", FinishReason.STOP),
        ("stop_sequence", FinishReason.STOP),
        ("max_tokens", FinishReason.LENGTH),
        ("model_context_window_exceeded", FinishReason.LENGTH),
        ("pause_turn", FinishReason.LENGTH),
        ("refusal", FinishReason.REFUSED),
        ("a_new_one", FinishReason.LENGTH),
    ],
)
def test_stop_reasons(stop: str, finish: FinishReason) -> None:
    with serving(reply(TEXT, stop=stop)) as server:
        assert ask(server).finish_reason is finish


def test_a_reply_cut_inside_its_thinking_stays_open() -> None:
    with serving(reply(THOUGHT, stop="max_tokens", output_tokens_details={"thinking_tokens": 30})) as server:
        got = ask(server)
    assert split_thinking(got.text, finish_reason="length").state == "unclosed"
    assert (got.usage.thinking, got.usage.answer) == (30, 0)


def test_a_tag_in_the_thinking_does_not_end_it() -> None:
    with serving(reply({**THOUGHT, "thinking": "I write </think> now. 5?"}, TEXT)) as server:
        split = split_thinking(ask(server).text)
    assert split.answer == "It is \\boxed{4}."
    assert "5?" in (split.thinking or "")


@pytest.mark.parametrize(
    "answer",
    [
        Answer(b"<html>busy</html>", headers={"content-type": "text/html"}),
        Answer(b'{"type": "mess'),
        Answer({}),
        Answer({"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}),
        reply(TEXT, stop=None),
        Answer({"type": "message", "content": None, "stop_reason": "end_turn"}),
        Answer(reply(TEXT).body, cut_after=9),
        error(529, "overloaded_error"),
        error(429, "rate_limit_error", **{"retry-after": "0.01"}),
        error(500, "api_error"),
        error(504, "timeout_error"),
        Answer(b"bad gateway", 502, {"content-type": "text/plain"}),
    ],
)
def test_what_may_pass_is_asked_again(answer: Answer) -> None:
    with serving([answer, reply(TEXT)]) as server:
        got = ask(server)
    assert got.finish_reason is FinishReason.STOP
    assert len(server.calls) == 2


def test_a_call_without_an_answer_may_pass() -> None:
    with serving(Answer(hangs=True)) as server:
        made = engine(server, timeout_s=0.1)
        with pytest.raises(Exception) as caught:  # noqa: PT011
            made.call(made.provider.generate(request()))
        fault = made.fault_of(caught.value)
        made.close()
    assert (fault.kind, fault.name) == ("retry", "timeout")


@pytest.mark.parametrize(
    ("answer", "kind", "name"),
    [
        (error(401, "authentication_error", "invalid x-api-key"), "stop", "bad_key"),
        (error(403, "permission_error"), "pass", "forbidden"),
        (Answer(b"", 307, {"location": "http://127.0.0.1:9/v1/messages"}), "stop", "redirected"),
        (error(404, "not_found_error", "model: claude-x"), "stop", "unknown_model"),
        (error(400, "invalid_request_error", "Your credit balance is too low"), "stop", "no_credit"),
        (error(402, "billing_error"), "stop", "no_credit"),
        (error(400, "invalid_request_error", "`temperature` is deprecated for this model."), "stop", "bad_parameter"),
        (error(400, "invalid_request_error", "max_tokens: 9 > 8, the maximum"), "stop", "bad_parameter"),
        (error(400, "invalid_request_error", "prompt is too long: 9 tokens > 8"), "pass", "prompt_too_long"),
        (error(400, "invalid_request_error", "messages: text is not allowed"), "pass", "request_refused"),
        (error(413, "request_too_large"), "pass", "request_refused"),
        (error(529, "overloaded_error"), "retry", "overloaded"),
    ],
)
def test_faults(answer: Answer, kind: str, name: str) -> None:
    with serving(answer) as server:
        made = engine(server)
        with pytest.raises(Exception) as caught:  # noqa: PT011 - the library's own, whichever
            made.call(made.provider.generate(request()))
        fault = made.fault_of(caught.value)
        made.close()
    assert (fault.kind, fault.name) == (kind, name)
    assert "sk-secret" not in fault.message


def test_the_wait_that_is_asked_for_is_known() -> None:
    with serving(error(429, "rate_limit_error", **{"retry-after": "17"})) as server:
        made = engine(server)
        with pytest.raises(Exception) as caught:  # noqa: PT011
            made.call(made.provider.generate(request()))
        assert made.fault_of(caught.value).retry_after_s == 17
        made.close()


CALLS = [
    {"type": "tool_use", "id": f"toolu_{n}", "name": "calculator", "input": {"expression": str(n)}} for n in (1, 2)
]


def test_calls_come_apart_and_the_next_turn_sends_the_signed_thinking_back() -> None:
    tool = ToolSpec("calculator", "Computes.", "expression", "What to compute")
    with serving([reply(THOUGHT, *CALLS, stop="tool_use"), reply(TEXT)]) as server:
        first = ask(server, request(tools=(tool,)))
        turn = Message("assistant", "", calls=first.tool_calls, raw=first.raw_turn)
        results = [Message("tool", call.arguments, call_id=call.id, name=call.name) for call in first.tool_calls]
        ask(server, request(tools=(tool,), messages=(Message("user", "2 + 2?"), turn, *results)))
    assert first.finish_reason is FinishReason.TOOL_CALLS
    assert [json.loads(call.arguments) for call in first.tool_calls] == [{"expression": "1"}, {"expression": "2"}]
    assert server.calls[0].body["tools"][0]["input_schema"]["required"] == ["expression"]
    _, assistant, answers = server.calls[1].body["messages"]
    assert assistant["content"][0] == THOUGHT
    assert [block["tool_use_id"] for block in answers["content"]] == ["toolu_1", "toolu_2"]


def test_a_cut_call_is_none() -> None:
    with serving(reply(CALLS[0], stop="max_tokens")) as server:
        assert ask(server).tool_calls == ()


def batch_server(status: str, lines: list[dict[str, Any]]) -> Any:
    times = {"created_at": "2026-01-01T00:00:00Z", "expires_at": "2026-01-02T00:00:00Z"}
    counts = {"processing": 0, "succeeded": 1, "errored": 1, "canceled": 0, "expired": 1}

    def script(call: Call) -> Answer:
        url = f"http://{call.headers['host']}/v1/messages/batches/b1/results"
        if call.path.endswith("/results"):
            return Answer("\n".join(map(json.dumps, lines)).encode(), headers={"content-type": "application/binary"})
        about = {"id": "b1", "type": "message_batch", "processing_status": status, "results_url": url}
        return Answer({**about, **times, "request_counts": counts})

    return script


def test_a_batch_comes_back_by_key() -> None:
    keys = ["sum:0:0:0:ab/0#0", "sum:0:0:1:cd/0#0", "a_b:0:0:2:ef/0#0", "mode:0:0:3:01/0#0"]
    refused = {"type": "error", "error": {"type": "invalid_request_error", "message": "messages: no"}}
    results = [
        {"type": "succeeded", "message": reply(TEXT).body},
        {"type": "errored", "error": refused},
        {"type": "expired"},
        {"type": "succeeded", "message": {}},
    ]
    lines = [{"custom_id": batch_name(key), "result": result} for key, result in zip(keys, results, strict=True)]
    with serving(batch_server("ended", lines)) as server:
        made = engine(server)
        provider = made.provider
        assert isinstance(provider, AnthropicProvider)
        assert made.call(provider.submit([request(key) for key in keys], "token")) == "b1"
        found = made.call(provider.collect("b1"))
        made.close()
    sent = server.calls[0].body["requests"]
    assert [entry["custom_id"] for entry in sent] == [batch_name(key) for key in keys]
    assert sent[0]["params"]["messages"] == [{"role": "user", "content": "2 + 2?"}]
    assert found is not None
    assert found[keys[0]].usage.output == 30
    kinds = [found[key].failure.kind for key in keys[1:] if found[key].failure]
    assert kinds == ["request_refused", "batch_expired", "bad_reply"]


def test_a_running_batch_is_none() -> None:
    with serving(batch_server("in_progress", [])) as server:
        made = engine(server)
        assert isinstance(made.provider, AnthropicProvider)
        assert made.call(made.provider.collect("b1")) is None
        made.close()


@given(st.text(max_size=8))
def test_a_name_within_a_batch_says_its_key(key: str) -> None:
    name = batch_name(key)
    assert batch_key(name) == key
    assert name.replace("-", "").replace("_", "").isalnum() or not key.strip(":-_")
    assert name.isascii()


def test_a_key_too_long_for_a_batch_is_refused() -> None:
    with pytest.raises(UserError, match="64 characters"):
        batch_name("x" * 65)
