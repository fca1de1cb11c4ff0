"""Where an answer counts as stated, and where the same characters say something else."""

from __future__ import annotations

from fractions import Fraction

import pytest

from bench.problem import AnswerKind, Gold, Problem
from bench.redundancy import answer_form, is_ambiguous

K = AnswerKind
# fmt: off
STATED: list[tuple[AnswerKind, Gold, list[str], list[str]]] = [
    (
        K.INTEGER,
        42,
        [
            "(42)",
            "\\boxed{42}",
            "**42**",
            "So 6 * 7 = 42",
            "$6 \\times 7 = 42$",
            "#### 42",
            "<answer>42</answer>",
            "is 42.0",
            "- 42",
            "It's 42!",
            "\\$42",
            "= +42",
            "42cm",
            "3*14 -> 42",
            "\\frac{84}{2} = 42",
            "Answer: \\(42\\)",
            "**Final Answer**: $\\boxed{42}$",
            "x = 42, y = 3",
            "( 42 )",
            "The result — 42 — is",
            "So it's 42, right?",
            "$42/year",
        ],
        [
            "42.5",
            "142",
            "step 42",
            "Step 42:",
            "-42",
            "421",
            "4 2",
            "x42",
            "42x",
            "42nd",
            "42 + 1",
            "1 + 42 = 43",
            "[3, 42, 7]",
            "42/7",
            "\\frac{42}{7}.",
            "2^{42}",
            "x_{42}",
            "42%",
            "42:30",
            "42,000",
            "1,042",
            "42-inch",
            "5 - 42",
            "42 > 7",
            "12 and 42 are",
            "f(42)",
            "\\sqrt{42}",
            "42\\pi",
            "mod 42",
            "#42",
            "negative 42",
            "0.42",
        ],
    ),
    (K.INTEGER, -42, ["= -42", "(-42)", "negative 42", "−42", "5 - 47 = -42."], ["42", "5-42", "x - 42", "5 -42"]),
    (K.INTEGER, 1234, ["1,234", "1{,}234", "= 1\\,234.", "1 234"], ["11234", "1,234,000", "1,234.5", "12,34"]),
    (K.RATIONAL, Fraction(1, 3), ["\\frac{1}{3}", "= 0.33", "(1/3)", "2/6"], ["11/3", "0.3", "-1/3", "2 1/3"]),
    (K.RATIONAL, Fraction(5, 2), ["2.50", "2 1/2", "\\frac{5}{2}."], ["12.5", "2.5 + 1", "-2.5"]),
    (K.INTEGER_LIST, (1, 3, 5), ["[1, 3, 5]", "1, 3 and 5"], ["[1, 5, 3]", "[1, 3, 5, 7]", "11, 3, 5"]),
    (K.INTEGER_SET, (3, 7), ["7 and 3", "\\{3,7\\}"], ["[3, 7, 3]", "3"]),
    (K.EXPRESSION, "p - q", ["$p-q$", "is p - q."], ["2p - q", "p - q + 1"]),
    (K.EXPRESSION, "2\\sqrt{3}", ["=2 \\sqrt{3}"], ["12\\sqrt{3}", "2\\sqrt{33}"]),
    (K.CHOICE, "C", ["option C", "So it is (C).", "\\boxed{\\text{C}}"], ["Cats", "(A) x (B) y (C) z", "(C) means it"]),
]

# fmt: on


@pytest.mark.parametrize(("kind", "gold", "stated", "other"), STATED)
def test_an_answer_is_found_where_it_is_stated(
    kind: AnswerKind, gold: Gold, stated: list[str], other: list[str]
) -> None:
    form = answer_form(Problem("id", "task", None, "question", gold, kind))
    assert form is not None
    assert [text for text in stated if not form(text)] == []
    assert [text for text in other if form(text)] == []


def test_a_percentage_that_is_asked_for_may_be_written_as_one() -> None:
    asked = Problem("id", "gsm8k", None, "What percentage of them is it?", 25, K.INTEGER)
    form = answer_form(asked)
    assert form is not None
    assert form("4/16 x 100 = 25%")
    assert not form("25% + 3")


def test_a_relation_is_found_as_a_sentence_asserts_it() -> None:
    form = answer_form(Problem("id", "comparison", (12, 5), "question", ">", K.RELATION))
    assert form is not None
    assert form("So 12 is greater than 5.")
    assert not form("12 and 5 are to be compared.")


@pytest.mark.parametrize("kind", [K.CHECKED, K.EXECUTED, K.JUDGED])
def test_kinds_without_one_answer_have_no_form(kind: AnswerKind) -> None:
    assert answer_form(Problem("id", "task", None, "question", "text", kind)) is None


def test_answers_under_two_digits_are_flagged() -> None:
    flagged = {gold: is_ambiguous(Problem("id", "t", None, "q", gold, K.INTEGER)) for gold in (7, -7, 10, 42)}
    assert flagged == {7: True, -7: True, 10: False, 42: False}


@pytest.mark.parametrize(
    "unit", ["42 ", "(", "\\[ ", "$ ", "1/", "- ", "step ", "\\text{", "4,2", ". ", "C) ", "\\boxed{"]
)
@pytest.mark.parametrize("gold", [42, Fraction(1, 3), (4, 2), "C", "x^2"])
def test_pumped_texts_are_read_in_linear_time(unit: str, gold: Gold) -> None:
    from bench.redundancy import look_at

    kinds = {int: K.INTEGER, Fraction: K.RATIONAL, tuple: K.INTEGER_LIST}
    kind = kinds.get(type(gold), K.CHOICE if gold == "C" else K.EXPRESSION)
    text = unit * 20_000
    assert look_at(text, Problem("id", "t", None, "q", gold, kind), lambda place: place).total == len(text)
