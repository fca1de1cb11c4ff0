"""LiveCodeBench: programming problems of contests, release 6. Source: Jain et al. 2024."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from bench.problem import AnswerKind
from bench.stored.contest import Case, cases_of
from bench.stored.rows import Row, Source, StoredTask, raw_rows, text


@dataclass(frozen=True)
class LiveCodeBench(StoredTask):
    """Data: the row without its tests, which fill megabytes; ``answer`` is their SHA-256. Gold: the same.

    The program reads standard input and writes standard output, or completes ``starter_code``. Whether it is right is
    said by the tests, which :meth:`tests` reads from the set's file.
    """

    name = "livecodebench"
    category = "code"
    suite = "livecodebench"
    answer_kind = AnswerKind.EXECUTED
    order = 340
    source = Source(
        repository="livecodebench/code_generation_lite",
        revision="0fe84c3912ea0c4d4a78037083943e8f0c4dd505",
        file="test6.jsonl",
        rows=175,
        licence="CC, as the publisher writes",
        sha256="bb4c364f71921c4495a6ad15abe1a927350b720009f4933e2e71f8af0f6fd1f5",
    )

    def row(self, raw: Mapping[str, Any]) -> Row:
        return {
            "id": text(raw, "question_id"),
            "question": text(raw, "question_content"),
            "answer": _hash_of_tests(raw),
            "starter_code": str(raw.get("starter_code") or ""),
            "difficulty": text(raw, "difficulty"),
        }

    def question(self, data: Row) -> str:
        starter = str(data.get("starter_code") or "")
        how = (
            f"Complete this code, and keep its names:\n```python\n{starter}\n```"
            if starter
            else "The program reads its input from standard input and writes the answer to standard output."
        )
        return (
            f"{data['question']}\n\nSolve the problem in Python. {how}\nEnd with the whole program in one code block."
        )

    def gold(self, data: Row) -> str:
        return str(data["answer"])

    def facts(self, data: Row) -> Mapping[str, int | str]:
        """Return the difficulty: easy, medium or hard."""
        return {"difficulty": str(data.get("difficulty", ""))}

    def tests(self, wanted: Collection[str]) -> dict[str, list[Case]]:
        """Return the tests of some problems by their SHA-256, from the set's file.

        Raises:
            OSError: the file can't be read.
            ValueError: the tests can't be unpacked.
        """
        rows = ((_hash_of_tests(raw), raw) for raw in raw_rows(self.path))
        return {digest: cases_of(raw) for digest, raw in rows if digest in wanted}


def _hash_of_tests(raw: Mapping[str, Any]) -> str:
    tests = f"{text(raw, 'public_test_cases')}\n{text(raw, 'private_test_cases')}"
    return hashlib.sha256(tests.encode("utf-8")).hexdigest()
