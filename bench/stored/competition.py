"""What the sets of competition problems share: fields by several names, and an instruction that is no part of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from bench.stored.rows import Row, integer, text

_INSTRUCTION = re.compile(r"\s*Please reason step by step, and put your final answer within \\boxed\{\}\.?\s*$")


def problem_text(raw: Mapping[str, Any]) -> str:
    """Return a problem without the instruction that some copies end in: how it is asked is the prompt's choice."""
    return _INSTRUCTION.sub("", text(raw, "problem", "question", "prompt"))


def aime_row(raw: Mapping[str, Any]) -> Row:
    """Return a problem of the AIME with its answer, a whole number from 0 to 999.

    Raises:
        KeyError, ValueError: it is none.
    """
    answer = integer(text(raw, "answer"))
    if not 0 <= answer <= 999:
        raise ValueError(f"the answer {answer} is none of an AIME")
    return {"question": problem_text(raw), "answer": answer}
