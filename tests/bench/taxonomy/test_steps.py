"""Equations and claims are checked exactly, and what can't be checked is left alone."""

from __future__ import annotations

import pytest

from bench.taxonomy import wrong_steps


def found(text: str) -> list[tuple[str, str]]:
    return [(step.written, step.truth) for step in wrong_steps(text)]


@pytest.mark.parametrize(
    ("text", "truth"),
    [
        ("So 47 × 6 = 272.", "282"),
        ("$12 \\times 12 = 145$", "144"),
        ("\\(\\frac{4000}{2} = 2500\\)", "2000"),
        ("−15 + (−27) = −32", "-42"),
        ("18 times 7 is 136", "126"),
        ("2,500 + 1,500 = 4,100", "4000"),
        ("91 / 4 = 22.25", "91/4"),
        ("47/5=9 45r1", "47/5"),
        ("84 ÷ 8 = 10 remainder 3", "21/2"),
        ("**30 × 25 = 760**", "750"),
        ("99999999999 * 99999999999 = 9999999999800000000000", "9999999999800000000001"),
        ("481 < 418", ">"),
        ("512 is greater than 521", "<"),
        ("41 is even", "odd"),
        ("c31 even 1", "odd"),
    ],
)
def test_a_wrong_step_is_found_with_what_is_right(text: str, truth: str) -> None:
    assert [step.truth.replace("<", ">") for step in wrong_steps(text)] == [truth.replace("<", ">")]


@pytest.mark.parametrize(
    "text",
    [
        "3 + 4 = 7",
        "9*5=45, 3*5=15+4=19: 195",  # carried on from the value before
        "47/5=9 45r2, 20/5=4 20r0: 9.4",
        "84 ÷ 8 = 10 remainder 4",
        "22 / 7 = 3.14",  # rounded
        "2 / 3 = 0.66",  # cut
        "10 / 3 = 3",  # a quotient without its remainder
        "123 × 456 ≈ 5.6 × 10^4",
        "x + 3 = 5 and 2x + 3 = 7",
        "f(3) + 2 = 9",
        "50% = 1/2",
        "5! + 1 = 121",
        "3 apples + 4 apples = 7 apples",
        "is 3 + 4 = 8? No",
        "if 3 + 4 = 8",
        "- 3 + 4 = 7",  # a bullet
        "1. 3 + 4 = 7",
        "27 is even? No",
        "There are 4 odd numbers",
        "3 -> 4, 10 - 5 > 3",
        "1/0 = 5 and 9^999999 = 1",
    ],
)
def test_what_holds_or_cannot_be_checked_is_no_wrong_step(text: str) -> None:
    assert found(text) == []


def test_a_step_is_located() -> None:
    text = "First 12 + 30 = 42. Then 42 + 7 = 48, done."
    ((step),) = wrong_steps(text)
    assert text[slice(*step.span)] == step.written == "42 + 7 = 48"
