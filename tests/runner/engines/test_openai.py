"""OpenAI's protocol through its own client library, against a server that does what providers do on bad days."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from loopback import Answer, Call, Loopback, serving

import bench
from runner.config.settings import ModelSettings, OpenAISettings
from runner.engines.base import EngineStopped, LoadedModel
from runner.engines.faults import classify, retry_after_of
from runner.engines.openai import OpenAIProvider
from runner.engines.openai_chat import chat_body
from runner.engines.openai_responses import responses_body
from runner.engines.pace import Pace
from runner.engines.transport import ApiEngine
from runner.sampling.generation import Boundary, FinishReason, Generation
from runner.sampling.request import Message, ModelCall, Request, SamplingParams, Segment
from runner.tools.protocol import ToolSpec

KEY = "sk-a-secret-key"
FIELDS: dict[str, Any] = {
    "name": "openai", "max_restarts": 0, "api_key_env": "OPENAI_API_KEY", "max_concurrency": 4, "timeout_s": 20.0,
    "max_retries": 3, "backoff_s": 0.001, "max_wait_s": 1.0, "max_cost": None, "prices": None, "batch": False,
    "api": "chat", "token_cap_field": "auto", "continues": False, "base_url": None,
}  # fmt: skip
MODEL = ModelSettings(name="gpt5", id="gpt-5", source="api", provider="openai", family="gpt-5", kind="reasoning")
THINKER = ModelSettings.model_validate(
    {"name": "t", "id": "t", "family": "t", "kind": "hybrid", "thinking": {"open": "<think>", "close": "</think>"}}
)
LOADED = LoadedModel("openai", "as served", None, "provider", "unknown", "provider", None, {})


def settings(**changes: Any) -> OpenAISettings:
    return OpenAISettings.model_validate({**FIELDS, **changes})


def request(key: str = "k", text: str = "2 + 3?", **fields: Any) -> Request:
    fields = {"max_tokens": 90, "seed": 7, **fields}
    return Request(key, (Message("user", text),), SamplingParams(0.5, 0.9), **fields)


def reply(content: str | None = "5", reason: str = "stop", usage: Any = None, **message: Any) -> dict[str, Any]:
    counts = {"prompt_tokens": 30, "completion_tokens": 12, "total_tokens": 42, **(usage or {})}
    choice = {"index": 0, "finish_reason": reason, "message": {"role": "assistant", "content": content, **message}}
    return {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice],
            "usage": counts}  # fmt: skip


def error(message: str = "no", **fields: Any) -> dict[str, Any]:
    return {"error": {"message": message, **fields}}


@contextmanager
def engine(server: Loopback | str, model: ModelSettings = MODEL, **changes: Any) -> Iterator[ApiEngine]:
    url = server if isinstance(server, str) else f"{server.url}/v1"
    asked = settings(base_url=url, **changes)
    made = ApiEngine(OpenAIProvider(model, asked, KEY, drawn=True), asked, LOADED, SamplingParams(1.0), secret=KEY)
    try:
        yield made
    finally:
        made.close()


def finish(made: ApiEngine) -> dict[str, Generation]:
    done: dict[str, Generation] = {}
    while made.in_flight:
        done |= {generation.key: generation for generation in made.poll(5)}
    return done


def one(answers: Any, model: ModelSettings = MODEL, asked: Request | None = None, **changes: Any) -> Generation:
    with serving(answers) as server, engine(server, model, **changes) as made:
        made.submit(asked or request())
        (done,) = finish(made).values()
        return done


def test_reasoning_and_answer_are_one_text_that_bench_takes_apart_again() -> None:
    details = {"prompt_tokens_details": {"cached_tokens": 8}, "completion_tokens_details": {"reasoning_tokens": 9}}
    answer = Answer(reply("It is 5.", usage=details, reasoning_content="2, 3: 5"), headers={"x-request-id": "req_1"})
    done = one(answer)
    split = bench.split_thinking(done.text)
    assert (split.thinking, split.answer) == ("2, 3: 5", "It is 5.")
    usage = done.usage
    assert (usage.prompt, usage.cached, usage.thinking, usage.answer, usage.output) == (30, 8, 9, 3, 12)
    assert (usage.source, done.request_id, done.max_tokens, done.finish_reason) == ("provider", "req_1", 90, "stop")


def test_a_count_of_no_reasoning_beside_visible_reasoning_is_not_believed() -> None:
    done = one(Answer(reply("5", usage={"completion_tokens_details": {"reasoning_tokens": 0}}, reasoning="2, 3: 5")))
    assert (done.usage.source, done.usage.output) == ("estimated", 12)
    assert done.usage.thinking > 0


@pytest.mark.parametrize(
    "usage",
    [
        {"prompt_tokens": 1000.5},
        {"prompt_tokens": -1_000_000},
        {"prompt_tokens": 10**30, "completion_tokens": 10**30},
        {"prompt_tokens": 10, "prompt_tokens_details": {"cached_tokens": 100_000}},
        {"prompt_tokens_details": {"cached_tokens": "lots"}},
    ],
)
def test_what_is_no_count_of_tokens_is_not_counted(usage: dict[str, Any]) -> None:
    found = one(Answer(reply("5", usage=usage))).usage
    assert all(type(count) is int for count in (found.prompt, found.cached, found.output))
    assert 0 <= found.cached <= found.prompt <= 10**9
    assert 0 <= found.output <= 10**9


def test_hidden_reasoning_is_counted_and_a_cap_within_it_is_a_truncation() -> None:
    details = {"completion_tokens": 90, "completion_tokens_details": {"reasoning_tokens": 90}}
    done = one(Answer(reply("", "length", usage=details)))
    assert (done.finish_reason, done.text, done.usage.output, done.usage.thinking) == ("length", "", 90, 90)


PASSING = {
    "rate limit": Answer(error(), 429, {"retry-after": "0"}),
    "server error": Answer(error(), 500),
    "bad gateway": Answer(b"<html>bad gateway</html>", 502, {"content-type": "text/html"}),
    "overloaded": Answer(error(), 529),
    "reset": Answer(reply(), cut_after=20),
    "error in a reply of success": Answer(error("upstream died", code=502)),
    "no JSON": Answer(b'{"choices": ['),
    "a page": Answer(b"<html>hello</html>", headers={"content-type": "text/html"}),
    "a list": Answer([1, 2]),
    "no choices": Answer({**reply(), "choices": []}),
    "no message": Answer({**reply(), "choices": [{"index": 0, "finish_reason": "stop"}]}),
    "nothing": Answer(reply(None, usage={"completion_tokens": 0})),
    "odd end": Answer(reply("5", "abort")),
    "odd usage": Answer({**reply(), "usage": [1]}),
    "odd calls": Answer(reply("5", tool_calls="x")),
    "no text": Answer(reply({"a": 1})),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("fault", PASSING.values(), ids=PASSING.keys())
def test_what_may_pass_is_asked_again(fault: Answer) -> None:
    with serving([fault, Answer(reply())]) as server, engine(server) as made:
        made.submit(request())
        assert finish(made)["k"].text == "5"
        assert len(server.calls) == 2


def test_a_call_without_an_answer_ends_in_time_and_is_repeated() -> None:
    assert one([Answer(hangs=True), Answer(reply())], timeout_s=0.3).text == "5"


LASTING = {
    "key": (Answer(error(f"Incorrect API key {KEY}", code="invalid_api_key"), 401), "HTTP 401"),
    "payment": (Answer(error("pay"), 402), "pay"),
    "model": (Answer(error("no such model", code="model_not_found"), 404), "no such model"),
    "quota": (Answer(error("no quota", code="insufficient_quota"), 429), "no quota"),
    "parameter": (Answer(error("no temperature", code="unsupported_value", param="temperature"), 400), "temperature"),
    "a day": (Answer(error("tomorrow"), 429, {"retry-after": "86400"}), "86400 s"),
}


@pytest.mark.parametrize(("fault", "says"), LASTING.values(), ids=LASTING.keys())
def test_what_will_not_pass_ends_the_run_at_once_with_one_line_without_the_key(fault: Answer, says: str) -> None:
    with serving(fault) as server, engine(server, max_concurrency=1) as made:
        for number in range(9):
            made.submit(request(f"k{number}"))
        with pytest.raises(EngineStopped) as caught:
            finish(made)
        line = str(caught.value)
        assert says in line
        assert "\n" not in line
        assert KEY not in line
        assert len(server.calls) == 1


def test_what_is_forbidden_to_one_sample_costs_that_sample_and_to_all_ends_the_run() -> None:
    texts = {"bad": Answer(error("not this prompt"), 403), "good": Answer(reply())}
    with serving(lambda call: texts[call.body["messages"][0]["content"]]) as server:
        with engine(server, max_concurrency=1) as made:
            for key, text in (("a", "bad"), ("b", "good"), ("c", "bad"), ("d", "good")):
                made.submit(request(key, text))
            done = finish(made)
        failed = {key: one.failure.kind for key, one in done.items() if one.failure is not None}
        assert failed == {"a": "forbidden", "c": "forbidden"}
    with serving(Answer(error("not in your country"), 403)) as server, engine(server, max_concurrency=1) as made:
        for number in range(9):
            made.submit(request(f"k{number}"))
        with pytest.raises(EngineStopped, match="country"):
            finish(made)
        assert len(server.calls) == 4


def test_a_redirect_is_not_followed_with_the_key_but_named() -> None:
    with serving(Answer(reply())) as elsewhere:
        moved = Answer(b"", 307, {"location": f"{elsewhere.url}/v1/chat/completions"})
        with serving(moved) as server, engine(server) as made:
            made.submit(request())
            with pytest.raises(EngineStopped, match=f"HTTP 307: redirected to {elsewhere.url}/v1/chat/completions;"):
                finish(made)
            assert len(server.calls) == 1
        assert elsewhere.calls == []


def test_a_provider_that_never_answered_is_given_up_after_the_last_retry() -> None:
    with serving(Answer(error("down"), 500)) as server, engine(server) as made:
        made.submit(request())
        with pytest.raises(EngineStopped, match="down"):
            finish(made)
        assert len(server.calls) == 1 + FIELDS["max_retries"]


def test_what_was_answered_before_the_end_is_handed_out_first() -> None:
    with serving([Answer(reply()), Answer(error("pay"), 402)]) as server, engine(server, max_concurrency=1) as made:
        made.submit(request("a"))
        made.submit(request("b"))
        first = made.poll(5)
        assert [generation.key for generation in first] == ["a"]
        with pytest.raises(EngineStopped, match="pay"):
            finish(made)


def test_a_server_that_is_not_there_is_said_once() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    with engine(url) as made:
        made.submit(request())
        with pytest.raises(EngineStopped, match=r"[Cc]onnect"):
            finish(made)


ONE_SAMPLE = {
    "refused": (Answer(error("bad words", code="content_filter"), 400), "refused", ""),
    "blocked": (Answer(reply("Well", "content_filter")), "refused", ""),
    "said no": (Answer(reply(None, refusal="I can't help with that.")), "refused", ""),
    "too long": (Answer(error("too long", code="context_length_exceeded"), 400), "error", "prompt_too_long"),
    "vLLM's": (Answer(error("the maximum context length is 9", code=400), 400), "error", "prompt_too_long"),
    "this prompt": (Answer(error("odd", code="invalid_value", param="messages[0]"), 400), "error", "request_refused"),
}  # fmt: skip


@pytest.mark.parametrize(("answer", "finish_reason", "kind"), ONE_SAMPLE.values(), ids=ONE_SAMPLE.keys())
def test_what_is_wrong_with_one_sample_costs_that_sample_alone(answer: Answer, finish_reason: str, kind: str) -> None:
    script = {"bad": answer, "good": Answer(reply())}
    with serving(lambda call: script[call.body["messages"][0]["content"]]) as server, engine(server) as made:
        made.submit(request("bad", "bad"))
        made.submit(request("good", "good"))
        done = finish(made)
    failure = done["bad"].failure
    assert (done["bad"].finish_reason, failure.kind if failure else "") == (finish_reason, kind)
    assert done["good"].text == "5"


def test_retries_that_run_out_are_an_error_of_transport_once_others_succeeded() -> None:
    script = {7: Answer(reply()), 8: Answer(error("hm"), 500)}
    with serving(lambda call: script[call.body["seed"]]) as server, engine(server) as made:
        made.submit(request("good"))
        finish(made)
        made.submit(request("bad", seed=8))
        failure = finish(made)["bad"].failure
    assert failure is not None
    assert (failure.boundary, failure.kind) == (Boundary.TRANSPORT, "server_error")


def test_a_huge_reply_with_odd_characters_arrives_whole() -> None:
    text = "\u2028\x00é😀 \ud800"[:6] + "x" * 3_000_000
    assert one(Answer(reply(text))).text == text


def test_a_cancelled_request_never_comes_back_and_its_key_can_be_used_again() -> None:
    with serving([Answer(hangs=True), Answer(reply("later"))]) as server, engine(server, max_concurrency=2) as made:
        made.submit(request("k"))
        while not server.calls:
            made.poll(0.01)
        made.cancel("k")
        assert made.in_flight == 0
        made.submit(request("k"))
        assert finish(made)["k"].text == "later"


def test_fewer_calls_run_at_once_after_a_rate_limit_and_more_after_successes() -> None:
    async def play() -> list[float]:
        pace, limits = Pace(64), []
        for _ in range(2000):
            async with pace.place():
                pace.succeeded()
        limits.append(pace.limit)
        async with pace.place() as started:
            pace.overloaded(started, 0.0)
            limits.append(pace.limit)
            pace.overloaded(started, 0.0)  # of the same round: nothing new
            limits.append(pace.limit)
        return limits

    full, halved, still = asyncio.run(play())
    assert full > 60
    assert halved == still == full / 2


def test_no_more_calls_than_allowed_run_at_once() -> None:
    async def play() -> int:
        pace, most = Pace(3), 0

        async def call() -> None:
            nonlocal most
            async with pace.place():
                most = max(most, pace.running)
                await asyncio.sleep(0)
                pace.succeeded()

        await asyncio.gather(*(call() for _ in range(200)))
        return most

    assert asyncio.run(play()) == 3


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "7"}, 7.0),
        ({"retry-after-ms": "250", "retry-after": "7"}, 0.25),
        ({"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
        ({"Retry-After": "9" * 40}, 1e9),
        ({"Retry-After": "Fri, 31 Dec 99999999999 00:00:00 GMT"}, 1e9),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": "nan"}, None),
        ({"Retry-After": "-5"}, None),
        ({}, None),
    ],
)
def test_the_wait_that_a_provider_asks_for_is_read(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_of(headers) == seconds


def test_every_status_is_decided_on() -> None:
    for status in range(400, 600):
        assert classify(status, message="x" * 9999, code="y").kind in ("pass", "retry", "stop")
    assert len(classify(500, message="x\n" * 9999).message) < 1000


def body(asked: Request, model: ModelSettings = MODEL, drawn: bool = True, **changes: Any) -> dict[str, Any]:
    sent = chat_body(asked, model, settings(**changes), drawn=drawn)
    return {name: value for name, value in sent.items() if name not in ("model", "messages")}


def test_a_call_says_what_the_run_asks_for_and_no_more() -> None:
    own = {"seed": 7, "max_completion_tokens": 90}
    assert body(request(), drawn=False) == own
    assert body(request()) == {**own, "temperature": 0.5, "top_p": 0.9}
    assert body(request(max_tokens=None), drawn=False) == {"seed": 7}
    effort = request(template_options={"reasoning_effort": "low"})
    assert body(effort, drawn=False) == {**own, "reasoning_effort": "low"}
    url = "http://localhost/v1"
    assert body(request(), drawn=False, base_url=url) == {"seed": 7, "max_tokens": 90}
    template = request(template_options={"enable_thinking": False})
    assert body(template, THINKER, base_url=url)["chat_template_kwargs"] == {"enable_thinking": False}


def test_a_continued_text_stands_at_the_end_of_the_chat() -> None:
    prefix = (Segment("<think>\n2, 3", (1, 2)), Segment("\n</think>\n\nThe answer is", injected=True))
    sent = chat_body(request(prefix=prefix), THINKER, settings(base_url="http://x/v1", continues=True), drawn=True)
    assert sent["messages"][-1] == {"role": "assistant", "content": "<think>\n2, 3\n</think>\n\nThe answer is"}
    assert (sent["continue_final_message"], sent["add_generation_prompt"]) == (True, False)


def test_thinking_that_a_servers_template_opened_is_open_in_what_is_continued() -> None:
    first = {**reply("2 and 3", "length"), "prompt_text": "<|user|>2 + 3?<|assistant|><think>\n"}
    with serving([Answer(first), Answer({**reply(" 5"), "prompt_text": "…"})]) as server:
        with engine(server, THINKER, continues=True) as made:
            made.submit(request())
            thought = finish(made)["k"]
            made.submit(request(prefix=(Segment(thought.text), Segment("</think>", injected=True))))
            finish(made)
        assert server.calls[1].body["messages"][-1]["content"] == "<think>\n2 and 3</think>"
    assert (thought.usage.thinking, thought.usage.answer) == (12, 0)
    assert thought.prompt_tail.endswith("<think>\n")


@pytest.mark.parametrize(
    ("answer", "says"),
    [(reply("5"), "rendered prompt"), ({**reply("5", reasoning="hm"), "prompt_text": "p"}, "reasoning parser")],
)
def test_a_server_that_does_not_do_what_continuing_needs_ends_the_run(answer: dict[str, Any], says: str) -> None:
    with pytest.raises(EngineStopped, match=says):
        one(Answer(answer), THINKER, continues=True)


TOOL = ToolSpec("calculator", "Computes.", "expression", "What to compute")
CALL = ModelCall("call_1", "calculator", '{"expression": "2+3"}')


def test_a_call_of_a_tool_comes_apart_from_the_text_and_goes_back_with_its_result() -> None:
    called = {"id": "call_1", "type": "function", "function": {"name": "calculator", "arguments": CALL.arguments}}
    done = one(Answer(reply(None, "tool_calls", tool_calls=[called])), asked=request(tools=(TOOL,)))
    assert (done.finish_reason, done.tool_calls, done.text) == ("tool_calls", (CALL,), "")
    messages = (
        Message("user", "2 + 3?"),
        Message("assistant", "", calls=(CALL,)),
        Message("tool", "5", call_id="call_1"),
    )
    sent = chat_body(Request("k", messages, SamplingParams(), 1, 9, tools=(TOOL,)), MODEL, settings(), drawn=False)
    assert sent["messages"][1:] == [
        {"role": "assistant", "content": "", "tool_calls": [called]},
        {"role": "tool", "tool_call_id": "call_1", "content": "5"},
    ]
    assert sent["tools"][0]["function"]["name"] == "calculator"


def response(*output: dict[str, Any], **fields: Any) -> dict[str, Any]:
    usage = {"input_tokens": 30, "input_tokens_details": {"cached_tokens": 8}, "output_tokens": 12,
             "output_tokens_details": {"reasoning_tokens": 9}, "total_tokens": 42}  # fmt: skip
    return {"id": "resp_1", "object": "response", "created_at": 1, "model": "m", "status": "completed",
            "output": list(output), "usage": usage, **fields}  # fmt: skip


def said(text: str, kind: str = "output_text") -> dict[str, Any]:
    name = "refusal" if kind == "refusal" else "text"
    content = [{"type": kind, name: text, "annotations": []}]
    return {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": content}


THOUGHT = {"type": "reasoning", "id": "r", "summary": [{"type": "summary_text", "text": "2, 3: 5"}]}


def test_responses_give_the_same_text_and_counts() -> None:
    done = one(Answer(response(THOUGHT, said("It is 5."))), api="responses")
    split = bench.split_thinking(done.text)
    assert (split.thinking, split.answer, done.finish_reason) == ("2, 3: 5", "It is 5.", "stop")
    usage = done.usage
    assert (usage.prompt, usage.cached, usage.thinking, usage.output, usage.source) == (30, 8, 9, 12, "provider")


@pytest.mark.parametrize(
    ("answer", "ends"),
    [
        (response(THOUGHT, status="incomplete", incomplete_details={"reason": "max_output_tokens"}), "length"),
        (response(status="incomplete", incomplete_details={"reason": "content_filter"}), "refused"),
        (response(said("no", "refusal")), "refused"),
    ],
)
def test_responses_that_end_otherwise_say_how(answer: dict[str, Any], ends: str) -> None:
    assert one(Answer(answer), api="responses").finish_reason == FinishReason(ends)


def test_a_response_that_failed_is_asked_again() -> None:
    failed = response(status="failed", error={"code": "server_error", "message": "hm"})
    assert one([Answer(failed), Answer(response(said("5")))], api="responses").text == "5"


def test_a_turn_with_a_tool_goes_back_to_responses_as_it_came() -> None:
    call = {"type": "function_call", "id": "f", "call_id": "call_1", "name": "calculator", "arguments": CALL.arguments}
    done = one(Answer(response(THOUGHT, call)), asked=request(tools=(TOOL,)), api="responses")
    assert (done.tool_calls, done.finish_reason) == ((CALL,), "tool_calls")
    turn = Message("assistant", "", raw=done.raw_turn)
    messages = (Message("user", "2 + 3?"), turn, Message("tool", "5", call_id="call_1"))
    options = {"reasoning_effort": "low"}
    asked = Request("k", messages, SamplingParams(), 1, 9, tools=(TOOL,), template_options=options)
    sent = responses_body(asked, MODEL, drawn=False)
    assert [item.get("type") for item in sent["input"]] == [None, "reasoning", "function_call", "function_call_output"]
    assert (sent["reasoning"], sent["max_output_tokens"], sent["store"]) == ({"effort": "low"}, 9, False)
    assert "seed" not in sent


def test_a_key_is_sent_and_nothing_of_the_environment_sends_a_run_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    with serving(Answer(reply())) as server, engine(server) as made:
        made.submit(request())
        finish(made)
        (call,) = server.calls
    assert isinstance(call, Call)
    assert call.headers["authorization"] == f"Bearer {KEY}"
    assert "127.0.0.1:9" not in str(OpenAIProvider(MODEL, settings(), KEY, drawn=True)._client.base_url)
    assert json.dumps(call.body)
