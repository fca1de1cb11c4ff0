"""One reading of finish reasons serves grading, splitting and replies, whoever's words they are."""

from enum import Enum

import pytest

import bench
from bench.finish import ended

ENDED = (
    "stop", "STOP", "end_turn", "stop_sequence", "STOP_SEQUENCE", "eos", "eos_token", "complete", "completed",
    "tool_calls", "tool_use", "FinishReason.STOP", "done", "eos_token_id", "stop_token", "natural", "null", "", None,
)  # fmt: skip
CUT = (
    "length",
    "LENGTH",
    "max_tokens",
    "MAX_TOKENS",
    "model_length",
    "content_filter",
    "SAFETY",
    "error",
    "incomplete",
)


class FinishReason(Enum):
    """As in a provider's client library."""

    STOP = 1
    MAX_TOKENS = 2


@pytest.mark.parametrize("reason", [*ENDED, FinishReason.STOP])
def test_ended(reason):
    problem = bench.problem_from_data("sum", [12, 30])
    assert ended(reason)
    assert bench.grade(problem, "It is 42.", finish_reason=reason).rule == "last_line"
    call = '<|channel|>commentary to=functions.add<|message|>{"a": 3}'
    assert bench.split_thinking(call, finish_reason=reason).tool_calls


@pytest.mark.parametrize("reason", [*CUT, FinishReason.MAX_TOKENS])
def test_cut(reason):
    problem = bench.problem_from_data("sum", [12, 30])
    assert not ended(reason)
    assert bench.grade(problem, "It is 42.", finish_reason=reason).reason == "truncated"
