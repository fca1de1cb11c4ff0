"""Promises of the split of reply objects: the case table, mappings or objects alike, no exception."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bench

# A line a case: what kind it is, the reply with the arguments of the call, and what is to be made of it.
CASES = [
    json.loads(line)
    for line in Path(__file__).with_name("cases").joinpath("messages.jsonl").read_text("utf-8").splitlines()
]
# Keys and values that mean something somewhere in a reply.
KEYS = (
    "choices", "message", "content", "parts", "output", "type", "text", "thinking", "reasoning", "summary",
    "reasoning_content", "tool_calls", "function", "arguments", "usage", "completion_tokens", "finish_reason",
    "thought",
)  # fmt: skip
VALUES = ("text", "thinking", "redacted_thinking", "reasoning", "tool_use", "stop", "length", "<think>a</think>b")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(VALUES),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
    max_leaves=20,
)


def as_object(value):
    """Return a reply as a client library has it: mappings as objects with attributes."""
    if isinstance(value, dict):
        return SimpleNamespace(**{key: as_object(inner) for key, inner in value.items()})
    return [as_object(inner) for inner in value] if isinstance(value, list) else value


@pytest.mark.parametrize("convert", [lambda message: message, as_object], ids=["mapping", "object"])
@pytest.mark.parametrize("case", CASES, ids=[f"{n}-{case['kind']}" for n, case in enumerate(CASES, 1)])
def test_case(case, convert):
    options = {name: case[name] for name in ("provider", "finish_reason") if name in case}
    split = bench.split_message(convert(case["message"]), **options)
    assert (split.state, split.thinking, split.answer) == (case["state"], case["thinking"], case["answer"])
    assert (split.thinking_tokens, split.answer_tokens) == (case["thinking_tokens"], case["answer_tokens"])
    names = [call.name for call in split.tool_calls]
    assert names == [name for name, _ in case.get("tool_calls", [])]
    if convert is not as_object:
        assert [call.arguments for call in split.tool_calls] == [call for _, call in case.get("tool_calls", [])]


def test_a_bare_message_and_the_whole_response_are_one():
    for case in CASES:
        whole = case["message"]
        if isinstance(whole, dict) and whole.get("choices") and "usage" not in whole:
            choice = whole["choices"][0]
            bare = bench.split_message(choice["message"], finish_reason=choice["finish_reason"])
            assert bare == bench.split_message(whole)


@given(JSON)
def test_no_json_raises(message):
    for reply in (message, as_object(message), {"choices": [{"message": message}]}, {"output": message}):
        split = bench.split_message(reply)
        assert split.thinking is None or split.thinking == "\n".join(split.segments)
        assert all(count is None or count >= 0 for count in (split.thinking_tokens, split.answer_tokens))
