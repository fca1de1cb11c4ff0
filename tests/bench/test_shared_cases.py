"""Cases collected from public bug reports, where their folder is at hand (THINKMETER_SHARED, or ../shared)."""

import json
import os
from fractions import Fraction
from pathlib import Path

import pytest

import bench

SHARED = Path(os.environ.get("THINKMETER_SHARED") or Path(__file__).resolve().parents[3] / "shared") / "cases"


def cases(name):
    """Return the cases of one file, or one skipped stand-in where there is no such file."""
    path = SHARED / f"{name}.jsonl"
    if not path.is_file():
        return [pytest.param(None, marks=pytest.mark.skip(reason=f"{path} is not here; set THINKMETER_SHARED"))]
    rows = [json.loads(line) for line in path.read_text("utf-8").split("\n") if line]
    return [pytest.param(row, id=f"{row['id']}-{row['kind']}") for row in rows]


def canonical(answer):
    """Return an expected answer, which JSON wrote, in a form that equals however it is written."""
    if isinstance(answer, list):
        return sorted(map(str, answer))
    try:
        return Fraction(str(answer))
    except ValueError:
        return answer


def read(answer):
    """Return a verdict's answer in the same form."""
    return canonical(answer.strip("[]").split(", ") if answer and answer.startswith("[") else answer)


@pytest.mark.parametrize("case", cases("grading"))
def test_grading(case):
    problem = bench.problem_from_data(case["task"], case["input"])
    verdict = bench.grade(problem, case["response"], finish_reason=case.get("finish_reason", "stop"))
    assert verdict.outcome in case.get("acceptable_verdicts", [case["expected_verdict"]])
    if case.get("instruction_followed") is not None:
        assert verdict.instruction_followed == case["instruction_followed"]
    if verdict.outcome == case["expected_verdict"] and "acceptable_verdicts" not in case and verdict.answer:
        answer = case["expected_answer"]
        single = isinstance(answer, int) and problem.answer_kind == "integer_set"
        assert read(verdict.answer) == canonical([answer] if single else answer)


@pytest.mark.parametrize("case", cases("thinking"))
def test_thinking(case):
    expected = case["expected"]
    family = case.get("model_family")
    if "message" in case:
        split = bench.split_message(case["message"], family=family, finish_reason=case["finish_reason"])
    else:
        tail = case.get("prompt_tail", "")
        split = bench.split_thinking(case["text"], finish_reason=case["finish_reason"], prompt_tail=tail, family=family)
    assert (split.state, split.answer) == (expected["state"], expected["answer"])
    # None means "hidden" of a message, "not compared" of a text.
    assert expected["thinking"] == split.thinking or (expected["thinking"] is None and "message" not in case)
    assert expected.get("thinking_must_contain", "") in (split.thinking or "")
    for count in ("thinking_tokens", "answer_tokens"):
        assert count not in expected or getattr(split, count) == expected[count]
    if "thinking_segments" in expected:
        assert list(split.segments) == expected["thinking_segments"]
    if "tool_calls" in expected:
        calls = [{"name": call.name, "arguments": call.arguments} for call in split.tool_calls]
        assert calls == expected["tool_calls"]
