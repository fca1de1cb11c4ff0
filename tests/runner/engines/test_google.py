from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from loopback import Answer, Call, Loopback, serving
from rich.console import Console

from bench import split_thinking
from runner.config.api import GoogleSettings
from runner.config.compose import compose
from runner.config.settings import ModelSettings
from runner.engines.base import LoadedModel
from runner.engines.google import CAPABILITIES, GoogleProvider
from runner.engines.transport import ApiEngine, UnfitServer
from runner.experiment import run_point, samples
from runner.pack import opened, packs_of
from runner.point import prepare
from runner.results.store import read
from runner.sampling.generation import FinishReason, Generation
from runner.sampling.request import UNCAPPED, Message, Request, SamplingParams
from runner.sampling.sample import Generate, Started
from runner.tools.protocol import ToolSpec

MODEL = ModelSettings(
    name="gemini", id="gemini-x", source="api", provider="google", family="gemini", kind="hybrid", context=1000
)
SAMPLING = SamplingParams(0.1, 0.9)
THOUGHT = {"text": "Two and two.", "thought": True}
TEXT = {"text": "It is \\boxed{4}."}


def reply(*parts: dict[str, Any], finish: str | None = "STOP", thoughts: int | None = None, **more: Any) -> Answer:
    candidate: dict[str, Any] = {"finishReason": finish, "index": 0}
    if parts:
        candidate["content"] = {"role": "model", "parts": list(parts)}
    counts = {"promptTokenCount": 10, "candidatesTokenCount": 9, "thoughtsTokenCount": thoughts}
    counts |= {"totalTokenCount": 19 + (thoughts or 0)}
    counts = {name: value for name, value in {**counts, **more}.items() if value is not None}
    return Answer({"candidates": [candidate], "usageMetadata": counts, "responseId": "resp_7"})


def error(code: int, status: str, message: str = "no", *details: dict[str, Any]) -> Answer:
    return Answer({"error": {"code": code, "status": status, "message": message, "details": list(details)}}, code)


def engine(server: Loopback, model: ModelSettings = MODEL, **changes: Any) -> ApiEngine:
    common = {"max_restarts": 1, "api_key_env": "KEY", "max_concurrency": 4, "timeout_s": 5.0, "max_retries": 2}
    bounds = {"backoff_s": 0.001, "max_wait_s": 1.0, "max_cost": None, "prices": None, "batch": False}
    own = {"name": "google", "base_url": server.url, "include_thoughts": True}
    asked = GoogleSettings.model_validate({**common, **bounds, **own, **changes})
    loaded = LoadedModel("google", "gemini-x", None, "provider", "unknown", "provider", None, {})
    return ApiEngine(GoogleProvider(model, asked, "AIza-secret"), asked, loaded, SamplingParams())


def request(key: str = "sum:0:0:0:ab/0#0", **changes: Any) -> Request:
    messages = (Message("system", "Be brief."), Message("user", "2 + 2?"))
    given: dict[str, Any] = {"messages": messages, "sampling": SAMPLING, "seed": 2**62 + 5, "max_tokens": None}
    return Request(key=key, **{**given, **changes})


def ask(server: Loopback, asked: Request | None = None, model: ModelSettings = MODEL, **changes: Any) -> Generation:
    made = engine(server, model, **changes)
    try:
        made.submit(asked or request())
        while not (done := made.poll(0.2)):
            pass
    finally:
        made.close()
    return done[0]


def test_a_call_says_what_the_request_says() -> None:
    with serving(reply(TEXT)) as server:
        got = ask(server, request(max_tokens=64, stop=("Q:",)))
    (call,) = server.calls
    assert call.path.endswith("/models/gemini-x:generateContent")
    assert call.body["contents"] == [{"role": "user", "parts": [{"text": "2 + 2?"}]}]
    assert call.body["systemInstruction"]["parts"] == [{"text": "Be brief."}]
    assert call.body["generationConfig"] == {
        "temperature": 0.1,
        "topP": 0.9,
        "seed": 5,
        "maxOutputTokens": 64,
        "stopSequences": ["Q:"],
        "thinkingConfig": {"include_thoughts": True},
    }
    assert (got.request_id, got.max_tokens, got.finish_reason) == ("resp_7", 64, FinishReason.STOP)


@pytest.mark.parametrize(
    ("asked", "sent"),
    [
        ({"template_options": {"generationConfig": {"thinkingConfig": {"thinkingBudget": 0}}}}, {"thinking_budget": 0}),
        (
            {"template_options": {"generationConfig": {"thinkingConfig": {"thinkingLevel": "LOW"}}}},
            {"thinking_level": "LOW", "include_thoughts": True},
        ),
        ({"thinking_cap": 512}, {"thinking_budget": 512, "include_thoughts": True}),
        ({"thinking_cap": 0}, {"thinking_budget": 0}),
        ({"thinking_cap": UNCAPPED}, {"thinking_budget": -1, "include_thoughts": True}),
    ],
)
def test_effort_and_native_budget_are_words_of_the_thinking(asked: dict[str, Any], sent: dict[str, Any]) -> None:
    with serving(reply(TEXT)) as server:
        ask(server, request(**asked))
    assert server.calls[0].body["generationConfig"]["thinkingConfig"] == sent


def test_a_model_that_does_not_think_is_told_nothing_of_thinking() -> None:
    plain = MODEL.model_copy(update={"kind": "instruct"})
    with serving(reply(TEXT)) as server:
        ask(server, model=plain)
    assert "thinkingConfig" not in server.calls[0].body["generationConfig"]


def test_thinking_is_marked_and_counted_by_the_provider() -> None:
    with serving(reply(THOUGHT, TEXT, thoughts=21, cachedContentTokenCount=4)) as server:
        got = ask(server)
    split = split_thinking(got.text)
    assert (split.thinking, split.answer) == ("Two and two.", "It is \\boxed{4}.")
    usage = got.usage
    assert (usage.prompt, usage.cached, usage.thinking, usage.answer, usage.output) == (10, 4, 21, 9, 30)
    assert usage.source == "provider"


def test_hidden_thinking_counts_as_thinking() -> None:
    with serving(reply(TEXT, thoughts=21)) as server:
        got = ask(server, include_thoughts=False)
    assert (got.text, got.usage.thinking, got.usage.source) == ("It is \\boxed{4}.", 21, "provider")


def test_thinking_that_is_not_counted_is_estimated_and_says_so() -> None:
    with serving(reply(THOUGHT, TEXT, candidatesTokenCount=30)) as server:
        usage = ask(server).usage
    assert (usage.output, usage.thinking + usage.answer, usage.source) == (30, 30, "estimated")


def test_a_cap_that_thinking_used_up_is_a_truncated_text() -> None:
    with serving(reply(finish="MAX_TOKENS", thoughts=64, candidatesTokenCount=None)) as server:
        got = ask(server, request(max_tokens=64))
    assert (got.finish_reason, got.text) == (FinishReason.LENGTH, "")
    assert (got.usage.thinking, got.usage.answer, got.usage.source) == (64, 0, "provider")


@pytest.mark.parametrize("reason", ["SAFETY", "RECITATION", "PROHIBITED_CONTENT", "SPII", "BLOCKLIST"])
def test_a_blocked_candidate_is_refused(reason: str) -> None:
    with serving(reply(finish=reason, candidatesTokenCount=None)) as server:
        assert ask(server).finish_reason is FinishReason.REFUSED


def test_a_blocked_prompt_is_refused_and_took_no_output() -> None:
    feedback = {"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"promptTokenCount": 10}}
    with serving(Answer(feedback)) as server:
        got = ask(server)
    assert got.finish_reason is FinishReason.REFUSED
    assert (got.usage.prompt, got.usage.output, got.usage.source) == (10, 0, "provider")


@pytest.mark.parametrize(
    "answer",
    [
        Answer(b"<html>busy</html>", headers={"content-type": "text/html"}),
        Answer(b'{"candidates": ['),
        Answer({}),
        Answer({"candidates": []}),
        Answer({"error": {"code": 503, "status": "UNAVAILABLE", "message": "busy"}}),
        reply(candidatesTokenCount=None),
        reply(TEXT, finish=None),
        Answer(reply(TEXT).body, cut_after=9),
        error(429, "RESOURCE_EXHAUSTED", "slow down", {"@type": "x/google.rpc.RetryInfo", "retryDelay": "0.01s"}),
        error(503, "UNAVAILABLE"),
        error(500, "INTERNAL"),
        error(504, "DEADLINE_EXCEEDED"),
        Answer(b"bad gateway", 502, {"content-type": "text/plain"}),
    ],
)
def test_what_may_pass_is_asked_again(answer: Answer) -> None:
    with serving([answer, reply(TEXT)]) as server:
        got = ask(server)
    assert got.finish_reason is FinishReason.STOP
    assert len(server.calls) == 2


DAILY = {"@type": "x/google.rpc.QuotaFailure", "violations": [{"quotaId": "GenerateRequestsPerDayPerProject"}]}


@pytest.mark.parametrize(
    ("answer", "kind", "name"),
    [
        (error(400, "INVALID_ARGUMENT", "bad key", {"reason": "API_KEY_INVALID"}), "stop", "bad_key"),
        (error(403, "PERMISSION_DENIED"), "pass", "forbidden"),
        (Answer(b"", 307, {"location": "http://127.0.0.1:9/v1beta"}), "stop", "redirected"),
        (error(404, "NOT_FOUND", "models/gemini-x is not found"), "stop", "unknown_model"),
        (error(429, "RESOURCE_EXHAUSTED", "quota", DAILY), "stop", "no_credit"),
        (error(429, "RESOURCE_EXHAUSTED", "quota"), "retry", "rate_limited"),
        (error(400, "INVALID_ARGUMENT", "The thinking budget 99999 is invalid."), "stop", "bad_parameter"),
        (error(400, "INVALID_ARGUMENT", "The input token count (9) exceeds the maximum"), "pass", "prompt_too_long"),
        (error(400, "INVALID_ARGUMENT", "something in this prompt"), "pass", "request_refused"),
        (reply(finish="PUP_LIMITED_DISABLED"), "stop", "unfit_server"),
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
    assert "AIza-secret" not in fault.message


def test_the_wait_that_is_asked_for_is_known() -> None:
    info = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.5s"}
    with serving(error(429, "RESOURCE_EXHAUSTED", "slow down", info)) as server:
        made = engine(server)
        with pytest.raises(Exception) as caught:  # noqa: PT011
            made.call(made.provider.generate(request()))
        assert made.fault_of(caught.value).retry_after_s == 34.5
        made.close()


def test_calls_come_apart_and_the_next_turn_sends_the_signed_thoughts_back() -> None:
    tool = ToolSpec("calculator", "Computes.", "expression", "What to compute")
    parts = [
        {"functionCall": {"id": "f1", "name": "calculator", "args": {"expression": "1"}}, "thoughtSignature": "c2ln"},
        {"functionCall": {"name": "calculator", "args": {"expression": "2"}}},
    ]
    with serving([reply(THOUGHT, *parts), reply(TEXT)]) as server:
        first = ask(server, request(tools=(tool,)))
        turn = Message("assistant", "", calls=first.tool_calls, raw=first.raw_turn)
        results = [Message("tool", call.arguments, call_id=call.id, name=call.name) for call in first.tool_calls]
        ask(server, request(tools=(tool,), messages=(Message("user", "2 + 2?"), turn, *results)))
    assert first.finish_reason is FinishReason.TOOL_CALLS
    assert [json.loads(call.arguments) for call in first.tool_calls] == [{"expression": "1"}, {"expression": "2"}]
    assert server.calls[0].body["tools"][0]["functionDeclarations"][0]["name"] == "calculator"
    _, model_turn, answers = server.calls[1].body["contents"]
    assert model_turn["parts"][1]["thoughtSignature"] == "c2ln"
    results_sent = [part["functionResponse"] for part in answers["parts"]]
    assert [result.get("id") for result in results_sent] == ["f1", None]
    assert results_sent[0]["response"] == {"output": '{"expression": "1"}'}


def test_a_malformed_call_is_no_call() -> None:
    with serving(reply({"text": "I compute."}, finish="MALFORMED_FUNCTION_CALL")) as server:
        got = ask(server)
    assert (got.finish_reason, got.text, got.tool_calls) == (FinishReason.STOP, "I compute.", ())


def batch_server(state: str, lines: list[dict[str, Any]]) -> Any:
    job = {"name": "batches/b1", "metadata": {"state": state, "displayName": "token"}}
    job["metadata"]["output"] = {"inlinedResponses": {"inlinedResponses": lines}}

    def script(call: Call) -> Answer:
        if call.method == "GET" and call.path.partition("?")[0].endswith("/batches"):
            return Answer({"operations": [job]})
        return Answer(job)

    return script


def test_a_batch_comes_back_by_key() -> None:
    keys = ["sum:0:0:0:ab/0#0", "sum:0:0:1:cd/0#0", "sum:0:0:2:ef/0#0"]
    failure = {"code": 3, "message": "something in this prompt"}
    results = [{"response": reply(TEXT).body}, {"error": failure}, {"response": {}}]
    lines = [{"metadata": {"key": key}, **result} for key, result in zip(keys, results, strict=True)]
    with serving(batch_server("BATCH_STATE_SUCCEEDED", lines)) as server:
        made = engine(server)
        provider = made.provider
        assert isinstance(provider, GoogleProvider)
        assert made.call(provider.submit([request(key) for key in keys], "token")) == "batches/b1"
        assert made.call(provider.batches("tok")) == {"token": "batches/b1"}
        assert made.call(provider.batches("another")) == {}
        found = made.call(provider.collect("batches/b1"))
        made.close()
    sent = server.calls[0].body["batch"]["inputConfig"]["requests"]["requests"]
    assert [entry["metadata"]["key"] for entry in sent] == keys
    assert sent[0]["request"]["generationConfig"]["temperature"] == 0.1
    assert found is not None
    assert found[keys[0]].usage.output == 9
    assert [found[key].failure.kind for key in keys[1:] if found[key].failure] == ["request_refused", "bad_reply"]


def test_a_batch_that_came_to_nothing_can_be_handed_in_again() -> None:
    with serving(batch_server("BATCH_STATE_EXPIRED", [])) as server:
        made = engine(server)
        assert isinstance(made.provider, GoogleProvider)
        with pytest.raises(UnfitServer, match="batches/b1 ended as JOB_STATE_EXPIRED"):
            made.call(made.provider.collect("batches/b1"))
        made.close()


def test_a_running_batch_is_none() -> None:
    with serving(batch_server("BATCH_STATE_RUNNING", [])) as server:
        made = engine(server)
        assert isinstance(made.provider, GoogleProvider)
        assert made.call(made.provider.collect("batches/b1")) is None
        made.close()


def test_a_cap_on_thinking_is_a_target_and_far_beyond_it_an_error(tmp_path: Path) -> None:
    lengths = iter((100, 200, 401, 600))

    def script(_: Call) -> Answer:
        return reply(THOUGHT, TEXT, thoughts=next(lengths))

    with serving(script) as server:
        asked = ("model=gemini25_pro", "engine=google", f"engine.base_url={server.url}", "engine.max_concurrency=1")
        size = ("suite.tasks=[sum]", "suite.samples=4", "suite.folds=1", "tracking=off", f"outputs={tmp_path}")
        point = prepare(compose([*asked, *size, "budget=native", "budget.tokens=200"]))
        (pack,) = packs_of([point])
        with opened(pack) as source:
            assert run_point(point, source, "command", Console(quiet=True)) == 1
    records = sorted(read(point.folder), key=lambda record: record.usage.thinking)
    assert [record.usage.thinking for record in records] == [100, 200, 401, 600]
    assert [record.budget_hit for record in records] == [False, True, True, None]
    assert records[-1].failure is not None
    assert records[-1].failure.kind == "cap_ignored"


def test_no_limit_on_thinking_is_said_in_so_many_words(tmp_path: Path) -> None:
    asked = ("model=gemini25_flash_lite", "engine=google", "engine.base_url=http://localhost:1", f"outputs={tmp_path}")
    point = prepare(compose([*asked, "budget=native", "budget.tokens=null", "suite.tasks=[sum]"]))
    spoken = next(iter(samples(point.suite.places(), point.settings, CAPABILITIES))).advance(Started())
    assert isinstance(spoken, Generate)
    assert spoken.request.thinking_cap == UNCAPPED
