"""Thinking counted by token ids and thinking split off by text are the same, whatever the tags do."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bench
from runner.config.settings import ThinkingMarkers
from runner.engines.markers import count_marked, opens_thinking

PAIRS = (("<think>", "</think>"), ("[THINK]", "[/THINK]"), ("◁think▷", "◁/think▷"), ("<seed:think>", "</seed:think>"))
BLOCKS = st.lists(st.tuples(st.text("ab", max_size=5), st.text("cd", max_size=5)), max_size=4)


def decode(ids):
    """Return the text of ids whose tokens are single characters."""
    return "".join(map(chr, ids))


@given(BLOCKS, st.sampled_from(PAIRS), st.booleans(), st.booleans())
def test_ids_and_text_agree(blocks, pair, opened, cut):
    begin, end = pair
    text = "".join(f"{begin}{thinking}{end}{answer}" for thinking, answer in blocks)
    tail = f"<|im_start|>assistant\n{begin}" if opened else ""
    text = text.removeprefix(begin) if opened else text
    text += f"{begin}bb" if cut else ""
    markers = ThinkingMarkers(open=begin, close=end)
    counts = count_marked(decode, markers, (), tuple(map(ord, text)), opens_thinking(tail, markers))
    split = bench.split_thinking(text, prompt_tail=tail)
    assert counts.thinking == sum(map(len, split.segments))
    assert len(split.answer) == len(text) - counts.thinking - counts.markers


SHAPES = {
    "missing opener": "a</think>7",
    "other case": "<THINK>abc</THINK>7",
    "nested": "<think>a<think>b</think>c</think>7",
    "doubled": "<think><think>a</think>7",
    "closing tag too many": "<think>a</think>b</think>7",
    "quoted": "`<think>`7",
    "quoted inside": "<think>a`</think>`b</think>7",
    "both quoted": "`<think>x</think>`7",
    "code fence": "<think>a```\n</think>\n```b</think>7",
    "reopened": "<think>aaa</think>7<think>bb",
    "thinking after the answer": "7<think>aaa</think>",
    "empty": "<think></think>7",
    "never closed": "<think>abc",
    "no tags": "7",
}


@pytest.mark.parametrize("text", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("opened", [False, True])
def test_ids_and_text_agree_on_every_shape(text, opened):
    markers = ThinkingMarkers(open="<think>", close="</think>")
    before = tuple(map(ord, "<think>")) if opened else ()
    counts = count_marked(decode, markers, before, tuple(map(ord, text)), opened)
    split = bench.split_thinking(text, prompt_tail="<think>" if opened else "")
    assert counts.thinking == sum(map(len, split.segments))
    assert len(split.answer) == len(text) - counts.thinking - counts.markers


@given(st.lists(st.sampled_from(["<think>", "</think>", "<THINK>", "`", "a", "b"]), max_size=12).map("".join))
def test_ids_and_text_agree_on_any_order_of_tags(text):
    markers = ThinkingMarkers(open="<think>", close="</think>")
    counts = count_marked(decode, markers, (), tuple(map(ord, text)), False)
    assert counts.thinking == sum(map(len, bench.split_thinking(text).segments))
