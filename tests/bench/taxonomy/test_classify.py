"""The public functions: what they promise on any text, and how a rule is added."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bench
from bench.taxonomy import ErrorKind, Pattern, error_of, errors, patterns, patterns_of, wrong_steps
from bench.taxonomy.claims import MAX_CLAIMS
from bench.taxonomy.discovery import discover
from bench.taxonomy.rules import ErrorRule, PatternRule
from bench.taxonomy.steps import MAX_STEPS
from bench.taxonomy.trace import MAX_READ, MAX_SPANS, Trace
from bench.verdict import Outcome, Verdict

PROBLEMS = [
    bench.problem_from_data(task, data)
    for task, data in (
        ("sum", [12, 30, 7]),
        ("sorting", [5, 2, 7]),
        ("mode", [6, 6, 9]),
        ("comparison", [-9, 5]),
        ("division", [1, 3]),
        ("odd_count", [1, 2, 3]),
    )
]
WORDS = [
    "12", "+", "30", "=", "42", "41", " is ", "wait, ", "odd", "\\boxed{", "}", "</think>", ".\n", "-", "^", "(", ")",
    "/", "not ",
]  # fmt: skip
PUMPED = [
    "1+1=2 ", "1 = ", "1(", "(1)(1)", "9^9=1 ", "1/3+", "wait 12+7=19. ", "12+7=19? ", "1. 2\n", "1\n",
    "recount 1 2 3 ",
    "let me also 12+13=25 12+13=25 ", "1 is odd 2 is odd ", "odd 1, 3, ", "foo bar baz quux. ", "perhaps overkill ",
    "is 16 even? ", "a", "3 < 5 ",
]  # fmt: skip


@settings(deadline=None, max_examples=150)
@given(st.lists(st.sampled_from(WORDS) | st.text(max_size=5), max_size=40).map("".join), st.sampled_from(PROBLEMS))
def test_never_raises_and_spans_lie_in_the_text(text: str, problem: bench.problem.Problem) -> None:
    error = error_of(problem, text)
    findings = [*patterns_of(text), *([error] if error else [])]
    for start, end in [span for finding in findings for span in finding.spans] + [
        step.span for step in wrong_steps(text)
    ]:
        assert 0 <= start <= end <= len(text)
    if bench.grade(problem, text).outcome is Outcome.CORRECT:
        assert error is None


@pytest.mark.parametrize("unit", PUMPED)
def test_what_is_read_is_bounded_however_long_the_text(unit: str) -> None:
    # An ordinary end, so that the repetition is not passed over as a failure to stop.
    text = unit * (300_000 // len(unit)) + " and so these are the last words of it. Nothing more is to be said."
    trace = Trace(text)
    assert len(trace.text) == MAX_READ
    assert len(trace.steps) <= MAX_STEPS
    assert len(trace.claims) <= 3 * MAX_CLAIMS
    error = error_of(PROBLEMS[0], text, Verdict(Outcome.INCORRECT, "43", "boxed", True))
    assert error is not None
    assert all(len(finding.spans) <= MAX_SPANS for finding in (error, *patterns_of(text)))


def test_no_answer_is_no_error() -> None:
    assert error_of(PROBLEMS[0], None) is None
    assert error_of(PROBLEMS[0], "I would rather not say.") is None
    assert error_of(PROBLEMS[0], "\\boxed{50}", Verdict(Outcome.UNGRADED, None, None, False)) is None


def test_a_step_that_is_put_right_does_not_account_for_the_answer() -> None:
    problem = bench.problem_from_data("subtraction", [580, 327])
    wrong = error_of(problem, "580 - 327 = 243. No, 580 - 327 = 253. \\boxed{253}")
    assert wrong is not None
    assert wrong.kind is ErrorKind.PROCEDURAL


def test_half_an_item_is_not_counted_off_a_list() -> None:
    problem = bench.problem_from_data("odd_count", [1, 3, 5, 7, 8])
    kinds = {
        answer: found and found.rule
        for answer in ("3", "3.5")
        for found in [error_of(problem, f"The odd numbers are 1, 3, 5. \\boxed{{{answer}}}")]
    }
    assert kinds["3"] == "left_out"
    assert kinds["3.5"] != "left_out"


def test_findings_name_their_places() -> None:
    text = "47 + 38 = 85. Wait, let me check: 47 + 38 = 85. Yes."
    (finding,) = patterns_of(text)
    assert finding.pattern is Pattern.REDUNDANT_VERIFICATION
    assert [text[slice(*span)] for span in finding.spans] == ["47 + 38 = 85"]


@pytest.mark.parametrize(("folder", "kind"), [(errors, ErrorRule), (patterns, PatternRule)])
def test_a_new_file_is_a_new_rule(folder, kind, tmp_path, monkeypatch) -> None:
    what = "ErrorKind.FORMAT" if kind is ErrorRule else "Pattern.STOPPING_FAILURE"
    (tmp_path / "another.py").write_text(
        f"from bench.taxonomy.findings import ErrorKind, Pattern\nfrom bench.taxonomy.rules import {kind.__name__}\n"
        f"RULE = {kind.__name__}('another', {what}, lambda _: [], order=1)\n",
        "utf-8",
    )
    monkeypatch.setattr(folder, "__path__", [*folder.__path__, str(tmp_path)])
    assert discover(folder, kind)[0].name == "another"
    sys.modules.pop(f"{folder.__name__}.another", None)


def test_two_rules_of_one_order_and_a_file_without_a_rule_are_refused(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(errors, "__path__", [*errors.__path__, str(tmp_path)])
    (tmp_path / "empty.py").write_text("", "utf-8")
    with pytest.raises(ValueError, match=r"errors\.empty: RULE has to be a ErrorRule"):
        discover(errors, ErrorRule)
    (tmp_path / "empty.py").unlink()
    sys.modules.pop("bench.taxonomy.errors.empty", None)
    (tmp_path / "second.py").write_text("from bench.taxonomy.errors.slip import RULE\n", "utf-8")
    with pytest.raises(ValueError, match="slip and slip both have order 90"):
        discover(errors, ErrorRule)
    sys.modules.pop("bench.taxonomy.errors.second", None)
