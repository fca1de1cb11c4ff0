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


class Failing:
    """An object of a client library that is closed: each access fails."""

    def __getattribute__(self, name):
        raise RuntimeError(name)


class Lazy:
    """One that has a field left that can be read."""

    text = "seen"

    def __getattr__(self, name):
        raise RuntimeError(name)


def nested(depth):
    inner = {}
    for _ in range(depth):
        inner = {"a": inner}
    return inner


CYCLIC = {}
CYCLIC["a"] = CYCLIC
ENDLESS = []
ENDLESS += [ENDLESS] * 1000
HOSTILE = {
    "long": 10**5000,
    "deep": nested(5000),
    "cyclic": CYCLIC,
    "endless": ENDLESS,
    "failing": Failing(),
    "lazy": Lazy(),
    "nan": float("nan"),
    "bytes": b"x",
}
FIELDS = (*KEYS, "input", "args", "stop_reason", "status", "choices", "candidates", "usageMetadata", "refusal")


@pytest.mark.parametrize("name", HOSTILE)
def test_no_object_raises_wherever_it_stands(name):
    hostile = HOSTILE[name]
    assert bench.split_message({"content": "a"}, finish_reason=hostile).answer == "a"
    for field in FIELDS:
        for message in ({field: hostile}, {field: [hostile]}, SimpleNamespace(**{field: hostile})):
            bench.split_message(message)
            bench.split_message({"choices": [{"message": message, field: hostile}], "usage": message})
            bench.split_message({"content": [message, {"type": "thinking", field: hostile}]})


@pytest.mark.parametrize("name", HOSTILE)
def test_a_call_with_hostile_arguments_is_still_a_call(name):
    for call in ({"function": {"name": "f", "arguments": HOSTILE[name]}}, {"name": "f", "input": HOSTILE[name]}):
        (found,) = bench.split_message({"tool_calls": [call]}).tool_calls
        assert found.name == "f"


def test_what_can_be_read_beside_a_failing_field_is_read():
    assert bench.split_message({"content": [Failing(), Lazy(), "."]}).answer == "seen."


@pytest.mark.parametrize("option", ["provider", "family"])
def test_a_provider_or_family_of_the_wrong_type_is_a_mistake(option):
    with pytest.raises(TypeError, match=f"{option} has to be a str or None, not int"):
        bench.split_message("a", **{option: 3})


def test_a_shortcut_for_plain_elements_reads_what_the_long_way_reads():
    for element in ({"type": "text", "text": "<think>a</think>b"}, {"type": "thinking", "text": "a"}, {"text": "a"}):
        assert bench.split_message([element]) == bench.split_message([{**element, "index": None}])
