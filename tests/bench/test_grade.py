"""Promises of the grader: the case table, every written form of a gold, no exception, no more than linear work."""

import json
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bench
from bench.grade import grade
from bench.grading.words import words
from bench.problem import AnswerKind, Problem
from bench.registry import problem_from_data
from bench.verdict import Outcome

# A line a case: the kind of fault it guards against, the problem, the response, and what is to be made of it.
CASES = [
    json.loads(line)
    for line in Path(__file__).with_name("cases").joinpath("grading.jsonl").read_text("utf-8").splitlines()
]
FRAGMENTS = words(
    r"\boxed{ \boxed{} \fbox{7 } { \frac{ \frac12 \text{ \color{ \sqrt{ \} \{ \\ \, $ $$ ** ``` < > <= = == ~ ≈ ½ ² ٣ "
    r"− – - + * / ^ % ( ) [ ] | , ; : . ... 7 42 -3 0.5 1,000 1e9 1e999999999 9^9^9 0.(3) 1/0 answer Answer: The "
    r"answer is Final #### or and not greater less than equal neither first number 2 {\"answer\": <think> </think> "
    r"<answer> <|eot_id|> &lt; seven minus hundred infinity nan sorted mode"
)
PROBLEMS = [
    problem_from_data("sum", [12, 30]),
    problem_from_data("division", [10, 3]),
    problem_from_data("sorting", [3, -1, 2]),
    problem_from_data("mode", [1, 1, 2, 2, 3]),
    problem_from_data("comparison", [7, 3]),
]


@pytest.mark.parametrize("case", CASES, ids=[f"{n}-{case['kind']}" for n, case in enumerate(CASES, 1)])
def test_case(case):
    problem = problem_from_data(case["task"], case["data"])
    verdict = grade(problem, case["response"], finish_reason=case.get("finish_reason", "stop"))
    assert (verdict.outcome, verdict.rule) == (case["outcome"], case["rule"])
    assert case["answer"] in (None, verdict.answer)
    assert case.get("followed", verdict.instruction_followed) == verdict.instruction_followed


def test_every_rule_has_a_case():
    rules = {"boxed", "boxed_row", "boxed_unclosed", "marker", "json", "code_block", "claim", "last_line"}
    assert {case["rule"] for case in CASES} == {*rules, None}


# --- Written forms ----------------------------------------------------------------------------------------------

INTEGER_FORMS = (
    "{n}", "{n}.0", "{n}.00", "{n}.", " {n} ", "{n:,}", "${n}$", r"\text{{{n}}}", r"\mathbf{{{n}}}", r"{{{n}}}",
    "**{n}**", "({n})", "[{n}]", "x = {n}", "Sum: {n}", "{n} apples", r"{n}\text{{ cm}}", r"\frac{{{n}}}{{1}}",
    "{n}/1", "{n}e0", r"{n} \times 10^0", r"\left({n}\right)", r"\color{{red}}{{{n}}}",
    r"\textcolor{{red}}{{{n}}}", r"\(  {n} \)", "`{n}`", r"\boxed{{{n}}}", r"\approx {n}",
    r"\text{{The answer is {n}}}", r"{n}\\", "\u200b{n}", "\xa0{n}",
)  # fmt: skip


def minus(text: str) -> list[str]:
    """Return a text with the ways to write its minus signs."""
    return [text, text.replace("-", "\u2212"), text.replace("-", "\u2013"), text.replace("-", "{-}")]


@given(st.integers(-(10**24), 10**24), st.sampled_from(INTEGER_FORMS), st.integers(0, 3))
def test_a_gold_integer_is_right_in_every_form_and_its_neighbour_wrong(value, form, sign):
    problem = problem_from_data("sum", [value, 0])
    for shift, outcome in ((0, Outcome.CORRECT), (1, Outcome.INCORRECT), (-10, Outcome.INCORRECT)):
        text = minus(form.format(n=value + shift))[sign]
        assert grade(problem, f"So it is \\boxed{{{text}}}.").outcome == outcome, text


def rounded(value: Fraction, decimals: int) -> str:
    """Return a value rounded half up in exact arithmetic."""
    scaled = abs(value) * 10**decimals
    digits = str(int(scaled + Fraction(1, 2))).rjust(decimals + 1, "0")
    return f"{'-' if value < 0 else ''}{digits[:-decimals]}.{digits[-decimals:]}"


@given(st.integers(-999, 999), st.integers(1, 999), st.integers(2, 12))
def test_a_gold_fraction_is_right_exactly_or_rounded(top, bottom, decimals):
    problem = problem_from_data("division", [top, bottom])
    gold = problem.gold
    whole, rest = divmod(abs(top), bottom)
    sign = "-" if top < 0 else ""
    forms = [f"{top}/{bottom}", rf"\frac{{{top}}}{{{bottom}}}", rf"\dfrac{{{abs(top)}}}{{{bottom}}}"[: 99 * (top >= 0)]]
    forms += [rf"{sign}{whole}\frac{{{rest}}}{{{bottom}}}"] if whole and rest else []
    forms += [rf"{sign}{whole} {rest}/{bottom}"] if whole and rest else []
    for form in filter(None, forms):
        assert grade(problem, rf"\boxed{{{form}}}").outcome == Outcome.CORRECT, form
    decimal = rounded(gold, decimals)
    exact = Fraction(decimal) == gold
    precise = gold.denominator != 1 and len(decimal.replace(".", "").lstrip("-0")) >= 2
    assert (grade(problem, rf"\boxed{{{decimal}}}").outcome == Outcome.CORRECT) == (exact or precise), decimal
    off = rounded(gold + Fraction(2, 10**decimals), decimals)
    assert grade(problem, rf"\boxed{{{off}}}").outcome == Outcome.INCORRECT, off


LIST_FORMS = (
    ("[", ", ", "]"), ("", ", ", ""), ("", ",", ""), ("", " ", ""), ("", "; ", ""), (r"\{{", ", ", r"\}}"),
    ("(", ", ", ")"), ("", " < ", ""), ("", r" \le ", ""), ("", r" \to ", ""), ("", r" \quad ", ""),
    (r"\begin{bmatrix}", " & ", r"\end{bmatrix}"), (r"\begin{pmatrix}", r" \\ ", r"\end{pmatrix}"),
    (r"\left[", r",\, ", r"\right]"), (r"\text{[", ", ", "]}"), ("[[", ", ", "]]"), ("L = [", ", ", "]"),
    ("Sorted: ", ", ", ""), ("[3, 1, 2] \\to [", ", ", "]"), ("", ",\n", ""), ("", " and ", ""),
)  # fmt: skip


@given(st.lists(st.integers(-1000, 1000), min_size=2, max_size=64), st.sampled_from(LIST_FORMS))
def test_a_gold_list_is_right_in_every_form_and_another_order_wrong(values, form):
    problem = problem_from_data("sorting", values)
    begin, separator, end = (part.replace("{{", "{").replace("}}", "}") for part in form)
    ordered = sorted(values)
    written = begin + separator.join(map(str, ordered)) + end
    assert grade(problem, rf"\boxed{{{written}}}").outcome == Outcome.CORRECT, written
    changed = [ordered[-1], *ordered[:-1]]
    if changed != ordered:
        written = begin + separator.join(map(str, changed)) + end
        assert grade(problem, rf"\boxed{{{written}}}").outcome == Outcome.INCORRECT, written


@given(st.integers(-1000, 1000), st.integers(-1000, 1000), st.booleans(), st.sampled_from(["sign", "words", "swapped"]))
def test_a_gold_relation_is_right_from_either_side(a, b, operands, form):
    problem = problem_from_data("comparison", [a, b])
    turned = {">": "<", "<": ">", "=": "="}
    spoken = {">": "greater than", "<": "less than", "=": "equal to"}
    sign = problem.gold
    if form == "swapped":
        text = f"{b} {turned[sign]} {a}"
    elif form == "words":
        text = f"{a} is {spoken[sign]} {b}" if operands else spoken[sign]
    else:
        text = f"{a} {sign} {b}" if operands else sign
    assert grade(problem, rf"\boxed{{\text{{{text}}}}}").outcome == Outcome.CORRECT, text
    if a != b:
        assert grade(problem, rf"\boxed{{{turned[sign]}}}").outcome == Outcome.INCORRECT


@pytest.mark.parametrize("name", bench.task_names("basic_math"))
def test_every_task_grades_its_own_gold(name):
    for index in range(10):
        problem = bench.make_task(name).problem(seed=1, fold=0, index=index)
        gold = str(list(problem.gold)) if isinstance(problem.gold, tuple) else str(problem.gold)
        for text in (rf"\boxed{{{gold}}}", f"The answer is {gold}.", f"<think>\\boxed{{0}}</think>\nAnswer: {gold}"):
            assert bench.grade(problem, text).outcome == Outcome.CORRECT, text


# --- Robustness -------------------------------------------------------------------------------------------------

ANY_TEXT = st.text(st.characters(), max_size=200) | st.lists(st.sampled_from(FRAGMENTS), max_size=30).map(" ".join)


@given(ANY_TEXT | st.lists(st.sampled_from(FRAGMENTS), max_size=30).map("".join), st.sampled_from(["stop", "length"]))
def test_no_text_raises(text, finish_reason):
    for problem in PROBLEMS:
        for response in (text, f"\\boxed{{{text}}}", f"The answer is {text}"):
            verdict = grade(problem, response, finish_reason=finish_reason, prompt_tail=text[:9], family="gpt-oss")
            assert (verdict.outcome == Outcome.UNPARSED) == (verdict.answer is None) == (verdict.reason is not None)
            json.dumps([verdict.answer, verdict.reason], allow_nan=False)


@given(ANY_TEXT)
def test_a_response_that_was_cut_is_never_right_by_its_last_line(text):
    for problem in PROBLEMS:
        verdict = grade(problem, text, finish_reason="length")
        assert verdict.rule in (None, "boxed", "boxed_row", "marker")


@pytest.mark.parametrize("data", [None, 7, "text", {"a": 1}, [], [[1], 2]])
def test_a_users_own_task_may_have_any_data(data):
    for kind, gold in ((AnswerKind.RELATION, ">"), (AnswerKind.INTEGER_LIST, (1, 2)), (AnswerKind.INTEGER, 7)):
        problem = Problem("own:1", "own", data, "?", gold, kind)
        text = str(list(gold)) if isinstance(gold, tuple) else str(gold)
        assert grade(problem, f"So {text}").outcome == Outcome.CORRECT
        assert grade(problem, f"It is 7 > 3 or [1, 2] or so {text} \\boxed{{7 > 3}}").outcome in set(Outcome)


def test_no_content_is_an_empty_response():
    assert grade(PROBLEMS[0], None).reason == "empty"


@pytest.mark.parametrize(
    ("response", "finish_reason", "reason"),
    [
        ("", "stop", "empty"),
        ("<think>12 + 30", "length", "unclosed_thinking"),
        ("12 + 30 =", "length", "truncated"),
        ("I can't add.", "stop", "no_candidate"),
        (r"\boxed{\sqrt{7}}", "stop", "unreadable"),
    ],
)
def test_reasons(response, finish_reason, reason):
    assert grade(PROBLEMS[0], response, finish_reason=finish_reason).reason == reason


# --- Work -------------------------------------------------------------------------------------------------------

UNITS = (
    "(", "[", "{", " ", "\n", "9", "9^", "1,", "1, ", "1/2 ", "½", "\\", "$", "\\boxed{", "\\boxed{}",
    "\\boxed{1} ", "\\frac{", "\\frac12", "answer ", "the answer is ", "answer: 3 4 ", "#### 3 4\n", "<think>",
    "<think>x", "</think>", "<think>a</think>", "```", "```<think>", "<|channel|>", "<|eot_id|>",
    "<tool_call>a</tool_call>", "| 1 ", "\n- 1", "7 > 3, ", "neither ", "not ", "3. ", "x is ", "\nQuestion:",
    "&lt;", "²", "²/", "<!--", "<s>", "~~", "[1] is ", "not 1 ", "false that ", "1 is not ", "`", "`<think>", "-",
    "1 < 2 = ", "so ",
)  # fmt: skip


def calls(problem, response, finish_reason) -> int:
    """Return how many functions are called, of Python and of C, to grade a response."""
    count = 0

    def note(frame, event, argument):
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        grade(problem, response, finish_reason=finish_reason)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("finish_reason", ["stop", "length"])
def test_work_grows_no_faster_than_the_text(unit, finish_reason):
    """Each character costs at most a constant; were any of it quadratic, it would cost thousands."""
    for problem in PROBLEMS:
        for begin, end in (
            ("", ""),
            ("\\boxed{1} \\boxed{", "}"),
            ("\\boxed{", "}"),
            ("The answer is ", ""),
            ("", "\n7"),
        ):
            text = begin + unit * 2000 + end
            assert calls(problem, text, finish_reason) <= 100 * len(text), (begin, end, problem.task)
