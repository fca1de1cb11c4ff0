"""An explicit statement: ``Final answer: 7``, ``The answer is 7``, ``#### 7``. The last one counts."""

from __future__ import annotations

from bench.grading.response import Found, Response, Rule
from bench.grading.statements import last_statement


def _find(response: Response) -> Found | None:
    said = last_statement(response)
    return None if said is None else Found(said.value, RULE.name)


RULE = Rule("marker", _find, order=20, when_cut=True)
