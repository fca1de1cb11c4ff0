"""An answer in a code block, in a response that states it nowhere else."""

from __future__ import annotations

import re

from bench.grading.blocks import last_block
from bench.grading.reading import read_answer
from bench.grading.response import Found, Response, Rule
from bench.grading.words import words

# A block in one of these languages shows a program, not what it printed.
_PROGRAMS = frozenset(words("python py c cpp java javascript js typescript ts bash sh rust go sql r julia"))
_DIGIT = re.compile(r"\d")


def _find(response: Response) -> Found | None:
    block = last_block(response.text)
    if block is None:
        return None
    language, content, after = block
    if language in _PROGRAMS or _DIGIT.search(after):
        return None  # a later line says more than the block
    value = read_answer(content.strip(), response.problem)
    return None if value is None else Found(value, RULE.name)


RULE = Rule("code_block", _find, order=40, when_cut=False)
