"""The calculator: exact, bounded, no code, and a clear word on what it does not take."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runner.tools.calculator import MOST_CHARACTERS, Calculator, calculate
from runner.tools.functions import FUNCTIONS, CalculatorError
from runner.tools.protocol import ToolCall


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("(3 + 4) * 12 / 5", "16.8"),
        ("0.1 + 0.2", "0.3"),
        ("7/3", "2.3333333333333335 (exactly 7/3)"),
        ("2**3**2", "512"),
        ("-2**2", "-4"),
        ("2^-1", "0.5"),
        ("- - 3 + + 4", "7"),
        ("-7 // 2", "-4"),
        ("10 % 3", "1"),
        ("12 × 3 − 1 =", "35"),
        ("10!", "3628800"),
        ("987654321987654321 * 123456789123456789", "121932631356500531347203169112635269"),
        ("sqrt(16/9) * 3", "4"),
        ("sqrt(2)", "1.4142135623730951"),
        ("mean([1, 2, 4])", "2.3333333333333335 (exactly 7/3)"),
        ("median(1, 2, 3, 4)", "2.5"),
        ("mode([1, 1, 2, 2, 3])", "[1, 2]"),
        ("sorted([3, -1, 2.5])", "[-1, 2.5, 3]"),
        ("round(2.5) + round(-2.5) + round(3.14159, 2)", "3.14"),
        ("log10(1000) + log2(8) + log(8, 2) - ln(e)", "8"),
        ("comb(10, 3) + perm(5, 2) + gcd(12, 18) + lcm(4, 6)", "158"),
        ("5 >= 3", "true"),
        ("1/3 = 2/6", "true"),
        ("1e3 + .5", "1000.5"),
    ],
)  # fmt: skip
def test_values_are_exact(expression: str, value: str) -> None:
    assert calculate(expression) == value


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        ("", "empty"),
        ("1 / 0", "division by zero"),
        ("0 ** -1", "division by zero"),
        ("0 ** -0.5", "division by zero"),
        ("9**9**9", "too large"),
        ("2 ** 7000", "too large"),
        ("(1/3) ** 9999999999999999999999", "too large"),
        ("1e999999", "digits"),
        ("9" * 3000, "digits"),
        ("factorial(100000)", "from 0 to 800"),
        ("exp(10000)", "too large"),
        ("(-8) ** 0.5", "negative"),
        ("sqrt(-1)", "real value"),
        ("log(0)", "above 0"),
        ("1,000 + 1", "no commas"),
        ("(1, 2)", "brackets"),
        ("2 (3)", "write 2 * (3)"),
        ("[1] + [2]", "not a list"),
        ("sum(1, 2", "is missing"),
        ("1 +", "ends too early"),
        ("1 < 2 < 3", "not expected"),
        ("foo(1)", "known are"),
        ("sqrt", "is a function"),
        ("max()", "at least one"),
        ("(" * 100 + "1" + ")" * 100, "levels"),
        ("1+" * MOST_CHARACTERS + "1", "characters"),
        ("__import__('os').system('id')", "not understood"),
        ("().__class__", "not"),
        ("x := 1", "not"),
        ("lambda: 1", "not"),
        ("1 if 1 else 2", "not expected"),
        ("open", "not known"),
    ],
)  # fmt: skip
def test_what_it_refuses_is_said(expression: str, reason: str) -> None:
    with pytest.raises(CalculatorError, match=re.escape(reason)):
        calculate(expression)


def test_what_the_tool_refuses_is_an_observation() -> None:
    outcome = Calculator().run(ToolCall("k", "calculator", {"expression": "1/0"}))
    assert (outcome.text, outcome.ok) == ("division by zero", False)
    assert not Calculator().run(ToolCall("k", "calculator", {"code": "1"})).ok
    assert Calculator().run(ToolCall("k", "calculator", {"expression": 42})).text == "42"


@given(st.text(alphabet="0123456789+-*/%^!(),.[]<>= esqrtlogmax", max_size=60) | st.text(max_size=40))
@settings(max_examples=300, deadline=None)
def test_no_text_does_anything_but_give_a_value_or_a_reason(text: str) -> None:
    assert value_or_reason(text)


@given(st.lists(st.integers(-1000, 1000), min_size=1, max_size=64))
@settings(max_examples=60, deadline=None)
def test_lists_agree_with_fractions(numbers: list[int]) -> None:
    listed = str(numbers)
    assert calculate(f"sum({listed})") == str(sum(numbers))
    assert calculate(f"sorted({listed})") == str(sorted(numbers))
    mean = Fraction(sum(numbers), len(numbers))
    assert calculate(f"mean({listed}) * {len(numbers)} - sum({listed})") == "0"
    assert calculate(f"mean({listed}) = {mean.numerator} / {mean.denominator}") == "true"


def test_the_longest_work_is_refused_or_done() -> None:
    """Each takes milliseconds; without bounds each would take minutes or all memory."""
    for name in FUNCTIONS:
        for argument in ("[" + ",".join(["1e999"] * 700) + "]", "9" * 1900, "1e-900, 1e900"):
            assert value_or_reason(f"{name}({argument})")


def value_or_reason(expression: str) -> str:
    try:
        return calculate(expression)
    except CalculatorError as error:
        return str(error)
