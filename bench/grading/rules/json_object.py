"""An answer in a JSON object that is all of the response, or all of its last code block."""

from __future__ import annotations

import json
import re

from bench.grading.blocks import MAX_BLOCK, last_block
from bench.grading.labels import names_answer
from bench.grading.quantities import Quantity, quantity_of, spoken
from bench.grading.reading import Value, read_answer
from bench.grading.response import Found, Response, Rule
from bench.problem import LIST_KINDS

_DIGIT = re.compile(r"\d")
# What any answer may stand under; other keys have to name the asked quantity or to stand alone.
_KEYS = ("final_answer", "finalAnswer", "answer", "result", "output", "value", "solution", "exact", "fraction")
_MAX_KEYS = 64


def _find(response: Response) -> Found | None:
    text = response.text.strip()
    block = last_block(text)
    source = block[1].strip() if block else text
    if not (source.startswith("{") and source.endswith("}") and len(source) <= MAX_BLOCK):
        return None
    try:
        # Numbers stay text: they are read exactly, however long they are.
        data = json.loads(source, parse_int=str, parse_float=str, parse_constant=str)
    except (ValueError, RecursionError):
        return None
    value = _read_held(data, response)
    # What ends with an object that holds no readable answer has none: the object's lines say nothing of their own.
    last = block is None or _DIGIT.search(block[2]) is None
    return Found(value, RULE.name) if value is not None or last else None


def _read_held(data: dict[str, object], response: Response) -> Value | None:
    """Return the answer that an object holds under a name for it, or alone; one more object may be around it."""
    held = _held(data, response)
    if isinstance(held, dict):
        held = _held(held, response)
    return _read(held, response)


def _held(data: dict[str, object], response: Response) -> object:
    """Return what stands under a key for any answer, under one that names the asked quantity, or alone in an object."""
    general = next((data[key] for key in _KEYS if key in data), None)
    if general is not None:
        return general
    question = response.problem.question
    for key in list(data)[:_MAX_KEYS]:
        if quantity_of(key, question) is Quantity.ASKED and _read(data[key], response) is not None:
            return data[key]
    key, held = next(iter(data.items()), ("", None))
    if len(data) > 1 or quantity_of(key, question) is not Quantity.UNKNOWN:
        return None
    return held if isinstance(held, dict) or names_answer(spoken(key), question) else None


def _read(held: object, response: Response) -> Value | None:
    if isinstance(held, list) and response.problem.answer_kind in LIST_KINDS:
        held = ", ".join(str(element) for element in held)
    return read_answer(held, response.problem) if isinstance(held, str) else None


RULE = Rule("json", _find, order=30, when_cut=False)
