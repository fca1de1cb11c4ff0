"""Promises of the split: the case table, nothing lost, no exception, no more than linear work."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.text_calls import TextToolCall
from bench.thinking import ThinkingState, split_thinking

# A line a case: what kind it is, the text with the arguments of the call, and the three parts.
CASES = [
    json.loads(line)
    for line in Path(__file__).with_name("cases").joinpath("thinking.jsonl").read_text("utf-8").splitlines()
]
ARGUMENTS = ("finish_reason", "prompt_tail", "family")
TAGS = (
    "<think>", "</think>", "<THINK a='1'>", "[THINK]", "[/THINK]", "◁think▷", "◁/think▷", "<|end_of_thought|>",
    "<|channel|>final<|message|>", "<|channel|>analysis<|message|>", "<|end|>", "```", "`<think>`", "<tool_call>",
    "</tool_call>", "<answer>", "</answer>", "a", " ", "\n",
)  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=[f"{n}-{case['kind']}" for n, case in enumerate(CASES, 1)])
def test_case(case):
    split = split_thinking(case["text"], **{name: case[name] for name in ARGUMENTS if name in case})
    assert (split.state, split.thinking, split.answer) == (case["state"], case["thinking"], case["answer"])


def test_segments_are_the_blocks_in_order():
    split = split_thinking("<think>add</think>Partly 3.<think></think><think> add 4\n</think>\\boxed{7}")
    assert split.segments == ("add", "add 4")
    assert split.thinking == "add\nadd 4"
    assert split.answer == "Partly 3.\\boxed{7}"


def test_tool_calls_are_kept_and_are_no_answer():
    split = split_thinking(
        "I need help.\n<tool_call>\n<function=add>\n<parameter=a>\n3\n</parameter>\n</function>\n</tool_call></think>"
        'Wait.<tool_call>{"name": "add", "arguments": "{\\"a\\": 3}"}</tool_call><tool_call>oops</tool_call>'
    )
    assert [(call.name, call.arguments) for call in split.tool_calls] == [
        ("add", {"a": "3"}),
        ("add", {"a": 3}),
        ("", {}),
    ]
    assert split.tool_calls[2] == TextToolCall("", {}, "oops")
    assert split.answer == "Wait."
    assert "I need help." in split.thinking


def test_a_harmony_call_that_was_cut_is_none():
    text = '<|channel|>commentary to=functions.add <|constrain|>json<|message|>{"a": 3'
    assert split_thinking(text, finish_reason="length").tool_calls == ()
    assert split_thinking(text + "}", finish_reason="tool_calls").tool_calls == (
        TextToolCall("add", {"a": 3}, '{"a": 3}'),
    )


@pytest.mark.parametrize(
    ("prompt_tail", "opened"),
    [
        ("<|im_start|>assistant\n<think>\n", True),
        ("<|im_start|>assistant\n<think>\nLet me see. ", True),
        ("[THINK]", True),
        ("<|im_start|>assistant\n<think>\n\n</think>\n\n", False),
        ("Begin with <think>.<|im_end|>\n<|im_start|>assistant\n", False),
        ("Put your thoughts between `<think>` and `</think>`.\n", False),
        ("", False),
    ],
)
def test_the_prompt_may_open_the_thinking(prompt_tail, opened):
    split = split_thinking("12 + 30", prompt_tail=prompt_tail)
    assert split.state == (ThinkingState.UNCLOSED if opened else ThinkingState.ABSENT)
    assert split.answer == ("" if opened else "12 + 30")


@given(
    st.text(st.characters()) | st.lists(st.sampled_from(TAGS)).map("".join),
    st.lists(st.sampled_from(TAGS)).map("".join),
)
def test_no_text_raises_and_parts_are_of_the_text(text, prompt_tail):
    for family in (None, "gpt-oss"):
        split = split_thinking(text, prompt_tail=prompt_tail, family=family)
        assert split.state != ThinkingState.FORCED  # only a caller knows
        assert split.thinking == "\n".join(split.segments)
        assert len(split.answer) + sum(map(len, split.segments)) <= len(text) + len(prompt_tail)


@given(st.text("ab \n", max_size=20), st.text("cd \n", max_size=20))
def test_a_plain_block_is_split_exactly(thinking, answer):
    split = split_thinking(f"<think>{thinking}</think>{answer}")
    assert (split.thinking, split.answer, split.state) == (thinking.strip(), answer.strip(), ThinkingState.CLOSED)


def test_so_many_tags_are_a_loop_and_thinking_ends_at_the_last():
    split = split_thinking("<think>x</think>" * 50_000 + "\\boxed{7}")
    assert (split.state, split.answer) == (ThinkingState.CLOSED, "\\boxed{7}")
    assert split_thinking("<think>" * 100_000).answer == ""
