"""An answer in a code block or a JSON object, in a response that states it nowhere else."""

from __future__ import annotations

import json
import re

from bench.grading.reading import LIST_KINDS, Value, read_answer
from bench.grading.response import Found, Response, Rule
from bench.grading.words import words

_KEYS = ("final_answer", "finalAnswer", "answer", "result", "output", "value", "solution", "relation", "sorted", "mode")
# A block in one of these languages shows a program, not what it printed.
_PROGRAMS = frozenset(words("python py c cpp java javascript js typescript ts bash sh rust go sql r julia"))
_DIGIT = re.compile(r"\d")
# Longer blocks are programs or data.
_MAX_BLOCK = 16_384


def _last_block(text: str) -> tuple[str, str, str] | None:
    """Return language, content and what follows the last closed fence, None where there is none."""
    ends = text.rfind("```")
    begins = text.rfind("```", 0, max(ends, 0))
    if begins < 0 or ends - begins > _MAX_BLOCK:
        return None
    language, newline, content = text[begins + 3 : ends].partition("\n")
    if not newline:
        language, content = "", language
    return language.strip().lower(), content, text[ends + 3 :]


def _find_json(response: Response) -> Found | None:
    text = response.text.strip()
    block = _last_block(text)
    source = block[1].strip() if block else text
    if not (source.startswith("{") and source.endswith("}") and len(source) <= _MAX_BLOCK):
        return None
    value = _read_json(source, response)
    return None if value is None else Found(value, JSON.name)


def _read_json(source: str, response: Response) -> Value | None:
    try:
        # Numbers stay text: they are read exactly, however long they are.
        data = json.loads(source, parse_int=str, parse_float=str, parse_constant=str)
    except (ValueError, RecursionError):
        return None
    held = next((data[key] for key in _KEYS if key in data), None)
    if held is None and len(data) == 1:
        held = next(iter(data.values()))
    if isinstance(held, list) and response.problem.answer_kind in LIST_KINDS:
        held = ", ".join(str(element) for element in held)
    return read_answer(held, response.problem) if isinstance(held, str) else None


def _find_block(response: Response) -> Found | None:
    block = _last_block(response.text)
    if block is None:
        return None
    language, content, after = block
    if language in _PROGRAMS or _DIGIT.search(after):
        return None  # a later line says more than the block
    value = read_answer(content.strip(), response.problem)
    return None if value is None else Found(value, BLOCK.name)


JSON = Rule("json", _find_json, when_cut=False)
BLOCK = Rule("code_block", _find_block, when_cut=False)
