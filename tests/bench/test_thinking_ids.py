"""Thinking counted by token ids and thinking split off by text are the same, wherever the blocks are well formed."""

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
