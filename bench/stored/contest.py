"""Tests of programs as contests have them: how a program meets one, and when its output is right."""

from __future__ import annotations

import base64
import io
import json
import pickle
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

# Of one problem's hidden tests, unpacked, in bytes.
_MAX_TESTS = 512 << 20

# What contests' starter code takes for granted.
_PRELUDE = """\
from typing import *
from collections import *
from functools import *
from itertools import *
from heapq import *
from bisect import *
import math, re, string, sys
"""
_CALL = """

import json as _json, sys as _sys
_arguments = [_json.loads(line) for line in _sys.stdin.read().split("\\n") if line.strip()]
_call = Solution().{name} if "Solution" in globals() else {name}
print("\\n" + _json.dumps(_call(*_arguments)))
"""
_NAME = re.compile(r"[A-Za-z_]\w{0,80}")


@dataclass(frozen=True, slots=True)
class Case:
    """One test of a program.

    Attributes:
        given: Standard input; for a function its arguments, JSON, one a line.
        expected: Standard output; for a function its result as JSON.
        function: The function that is called, empty for a program that reads and writes.
    """

    given: str
    expected: str
    function: str = ""


def cases_of(raw: Mapping[str, Any]) -> list[Case]:
    """Return all tests of a row of LiveCodeBench.

    The hidden ones are packed as a pickle of a text; nothing but plain values is unpickled.

    Raises:
        ValueError: they can't be unpacked.
    """
    hidden = str(raw["private_test_cases"])
    try:
        cases = json.loads(str(raw["public_test_cases"]))
        cases += json.loads(hidden if hidden.lstrip().startswith("[") else _unpacked(hidden))
        name = str(json.loads(str(raw.get("metadata") or "{}")).get("func_name") or "")
    except (ValueError, zlib.error, pickle.UnpicklingError, EOFError) as error:
        raise ValueError(f"the tests can't be unpacked: {error}") from error
    if name and not _NAME.fullmatch(name):
        raise ValueError(f"{name!r:.40} is no name of a function")
    return [Case(str(case["input"]), str(case["output"]), name) for case in cases]


def runnable(program: str, test: Case) -> str:
    """Return what is run: the program, and for a function the call of it."""
    return program if not test.function else _PRELUDE + program + _CALL.format(name=test.function)


def passes(test: Case, output: str) -> bool:
    """Return whether a program's standard output is what a test expects.

    Lines are compared without white space at their ends, and word by word, numbers by value; of a function's output the
    last line counts, as JSON.
    """
    lines, expected = _lines(output), _lines(test.expected)
    if test.function:
        try:
            return bool(lines) and json.loads(lines[-1]) == json.loads(test.expected)
        except (ValueError, RecursionError):
            return False
    return len(lines) == len(expected) and all(map(_alike, lines, expected))


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.strip().split("\n")] if text.strip() else []


def _alike(line: str, expected: str) -> bool:
    if line == expected:
        return True
    words, others = line.split(), expected.split()
    return len(words) == len(others) and all(map(_equal, words, others))


def _equal(word: str, other: str) -> bool:
    try:
        return word == other or Decimal(word) == Decimal(other)
    except InvalidOperation:
        return False


def _unpacked(packed: str) -> str:
    stream = zlib.decompressobj()
    content = stream.decompress(base64.b64decode(packed), _MAX_TESTS)
    if stream.unconsumed_tail:
        raise ValueError(f"more than {_MAX_TESTS} bytes")
    return str(_PlainUnpickler(io.BytesIO(content)).load())


class _PlainUnpickler(pickle.Unpickler):
    """Reads texts, numbers, lists and dictionaries; code in a pickle is refused."""

    def find_class(self, module: str, name: str) -> Any:
        raise pickle.UnpicklingError(f"it names {module}.{name}")
