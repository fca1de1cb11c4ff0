"""How tools were used: means over the tasks of what counts as an answer."""

from __future__ import annotations

import pandas as pd

from bench.metrics.tool_use import COLUMNS, tool_use

ROWS = [
    ("sum", "ok", "correct", 1, 4, "[]"),
    ("sum", "ok", "incorrect", 3, 8, '[["wrong_logic", "failed_call", 0], ["loop", "same_call", 2]]'),
    ("mean", "ok", "correct", 0, 0, "[]"),
    ("mean", "error", None, 9, 99, '[["loop", "no_end", 0]]'),
]


def test_each_task_weighs_the_same_and_errors_are_no_answers() -> None:
    found = tool_use(pd.DataFrame(ROWS, columns=list(COLUMNS)))
    assert (found.calls, found.calling, found.tokens, found.erring) == (1.0, 0.5, 3.0, 0.25)
    assert found.errors == {
        "syntax_error": 0.0, "wrong_tool": 0.0, "wrong_logic": 0.25, "ignored_observation": 0.0, "loop": 0.25,
    }  # fmt: skip


def test_of_no_samples_everything_is_nothing() -> None:
    found = tool_use(pd.DataFrame(ROWS[3:], columns=list(COLUMNS)))
    assert (found.calls, found.erring, found.errors["loop"]) == (None, None, None)
