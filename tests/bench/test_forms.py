"""Every task's own gold is right in thirty and more written forms, and another value in the same forms is wrong."""

# ruff: noqa: UP031 (with str.format every brace of LaTeX would be doubled)
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bench
from bench.problem import AnswerKind
from bench.verdict import Outcome

# Where an answer stands in a response.
PLACES = (
    r"So it is \boxed{%s}.", r"$$\boxed{ %s }$$", r"<think>\boxed{1}</think>The result: \boxed{%s}", r"\fbox{%s}",
    r"\boxed{0} is wrong. Correct: \boxed{%s}",
)  # fmt: skip


def decimal(value: Fraction) -> Decimal:
    """Return a value to 28 digits, which no tie of the sixth decimal survives wrongly."""
    return Decimal(value.numerator) / Decimal(value.denominator)


def joined(values: list[int], separator: str) -> str:
    return separator.join(map(str, values))


def sides(gold: str, more: str, less: str, same: str) -> str:
    return {">": more, "<": less, "=": same}[gold]


INTEGERS = (
    str,
    lambda n: f"{n:,}",
    lambda n: f"{n:,}".replace(",", "{,}"),
    lambda n: f"{n:,}".replace(",", r"\,"),
    lambda n: f"{n}.0",
    lambda n: r"\text{%d}" % n,
    lambda n: f"x = {n}",
    lambda n: f"[{n}]",
    lambda n: str(n).replace("-", "\u2212"),
    lambda n: r"\frac{%d}{2}" % (2 * n),
    lambda n: rf"{n}\ \text{{units}}",
    lambda n: f"{n}.00",
    lambda n: f"{n}.",
    lambda n: f"  {n}  ",
    lambda n: f"${n}$",
    lambda n: rf"\({n}\)",
    lambda n: rf"\mathbf{{{n}}}",
    lambda n: rf"{{{n}}}",
    lambda n: f"**{n}**",
    lambda n: f"({n})",
    lambda n: f"`{n}`",
    lambda n: f"Sum: {n}",
    lambda n: rf"\text{{The answer is {n}}}",
    lambda n: f"{n} apples",
    lambda n: rf"{n}\text{{ cm}}",
    lambda n: rf"\frac{{{n}}}{{1}}",
    lambda n: f"{n}/1",
    lambda n: f"{n}e0",
    lambda n: rf"{n} \times 10^0",
    lambda n: rf"\left({n}\right)",
    lambda n: rf"\color{{red}}{{{n}}}",
    lambda n: rf"\textcolor{{red}}{{{n}}}",
    lambda n: rf"{n}\\",
    lambda n: f"\u200b{n}",
)
RATIONALS = (
    str,
    lambda q: r"\frac{%d}{%d}" % q.as_integer_ratio(),
    lambda q: r"\dfrac{%d}{%d}" % (-q.numerator, -q.denominator),
    lambda q: f"{3 * q.numerator} / {3 * q.denominator}",
    lambda q: f"x = {q}",
    lambda q: r"{%d \over %d}" % q.as_integer_ratio(),
    lambda q: f"{decimal(q):.6f}",
    lambda q: rf"\approx {decimal(q):.5f}",
    lambda q: rf"\text{{about }} {decimal(q):.6f}",
    lambda q: f"{decimal(q):.6f}".replace("-", "\u2212"),
    lambda q: r"\tfrac{%d}{%d}" % q.as_integer_ratio(),
    lambda q: r"\cfrac{%d}{%d}" % q.as_integer_ratio(),
    lambda q: r"\sfrac{%d}{%d}" % q.as_integer_ratio(),
    lambda q: r"{%d}/{%d}" % q.as_integer_ratio(),
    lambda q: r"(%d)/(%d)" % q.as_integer_ratio(),
    lambda q: r"%d\div %d" % q.as_integer_ratio(),
    lambda q: "%d\u2044%d" % q.as_integer_ratio(),
    lambda q: r"\left(\frac{%d}{%d}\right)" % q.as_integer_ratio(),
    lambda q: r"\text{%d/%d}" % q.as_integer_ratio(),
    lambda q: r"\displaystyle\frac{%d}{%d}" % q.as_integer_ratio(),
    lambda q: r"\frac {%d} {%d}" % q.as_integer_ratio(),
    lambda q: r"\frac{\text{%d}}{%d}" % q.as_integer_ratio(),
    lambda q: r"\mathbf{%s}" % q,
    lambda q: f"${q}$",
    lambda q: f"({q})",
    lambda q: f"**{q}**",
    lambda q: f"The answer is {q}",
    lambda q: f"Mean = {q}",
    lambda q: f"Average: {decimal(q):.6f}",
    lambda q: rf"x \approx {decimal(q):.6f}",
    lambda q: rf"{decimal(q):.6f}\ldots"[: 99 * (q.denominator == 1)] or f"{decimal(q):.7f}",
    lambda q: f"{decimal(q):.8f}",
)
LISTS = (
    str,
    lambda v: joined(v, ", "),
    lambda v: joined(v, "; "),
    lambda v: joined(v, r",\ ").replace("-", "\u2212"),
    lambda v: r"\{%s\}" % joined(v, ", "),
    lambda v: r"\left(%s\right)" % joined(v, ", "),
    lambda v: r"\begin{bmatrix} %s \end{bmatrix}" % joined(v, " & "),
    lambda v: r"\begin{pmatrix} %s \end{pmatrix}^T" % joined(v, r" \\ "),
    lambda v: rf"\text{{{v}}}",
    lambda v: f"L = {v}",
    lambda v: rf"\text{{Answer: }} {v}",
    lambda v: joined(v, ","),
    lambda v: joined(v, ",\n"),
    lambda v: joined(v, r",\, "),
    lambda v: joined(v, r", \quad "),
    lambda v: f"({joined(v, ', ')})",
    lambda v: r"\left[%s\right]" % joined(v, ", "),
    lambda v: r"\left\{%s\right\}" % joined(v, ", "),
    lambda v: r"\langle %s \rangle" % joined(v, ", "),
    lambda v: r"\lbrace %s \rbrace" % joined(v, ", "),
    lambda v: r"\begin{array}{c} %s \end{array}" % joined(v, r" \\ "),
    lambda v: r"\begin{matrix} %s \end{matrix}" % joined(v, " & "),
    lambda v: f"${v}$",
    lambda v: f"**{v}**",
    lambda v: f"`{v}`",
    lambda v: rf"\mathbf{{{v}}}",
    lambda v: f"The answer is {v}",
    lambda v: f"Result: {v}",
    lambda v: f"[{v}]",
    lambda v: str([f"{n}" for n in v]),
    lambda v: f"[{joined([f'{n}.0' for n in v], ', ')}]",
)
RELATIONS = (
    str,
    lambda s: rf"\text{{{s}}}",
    lambda s: rf"\mathbf{{{s}}}",
    lambda s: f'"{s}"',
    lambda s: f"Answer: {s}",
    lambda s: sides(s, r"\gt", r"\lt", "="),
    lambda s: sides(s, "&gt;", "&lt;", "&#61;"),
    lambda s: sides(s, "\uff1e", "\uff1c", "\uff1d"),
    lambda s: sides(s, "greater than", "less than", "equal to"),
    lambda s: sides(s, r"\text{larger}", r"\text{smaller}", r"\text{equal}"),
    lambda s: sides(s, "the first is greater", "the first is less", "both are equal"),
    lambda s: f"${s}$",
    lambda s: f" {s} ",
    lambda s: f"`{s}`",
    lambda s: f"**{s}**",
    lambda s: f"({s})",
    lambda s: f"'{s}'",
    lambda s: rf"\mathrm{{{s}}}",
    lambda s: rf"\texttt{{{s}}}",
    lambda s: rf"{{{s}}}",
    lambda s: f"The answer is {s}",
    lambda s: rf"\text{{Relation: }} {s}",
    lambda s: sides(s, r"\greater", r"\less", "="),
    lambda s: sides(s, r"{\gt}", r"{\lt}", "{=}"),
    lambda s: sides(s, "Greater than", "Less than", "Equal to"),
    lambda s: sides(s, "GREATER", "LESS", "EQUAL"),
    lambda s: sides(s, "is greater than", "is less than", "is equal to"),
    lambda s: sides(s, "the first number is larger", "the first number is smaller", "they are equal"),
    lambda s: sides(s, "the second is smaller", "the second is larger", "the same"),
    lambda s: sides(s, "bigger", "smaller", "equals"),
)
NOTATIONS = {
    AnswerKind.INTEGER: INTEGERS,
    AnswerKind.RATIONAL: RATIONALS,
    AnswerKind.INTEGER_LIST: LISTS,
    AnswerKind.INTEGER_SET: LISTS,
    AnswerKind.RELATION: RELATIONS,
}


def another(gold):
    """Return a value of the same kind that is not the gold, nor its rounding."""
    if isinstance(gold, str):
        return {">": "<", "<": "=", "=": ">"}[gold]
    return [*gold[:-1], gold[-1] + 1] if isinstance(gold, list) else gold + 1


@pytest.mark.parametrize("name", bench.task_names("basic_math"))
@given(index=st.integers(0, 10**6), place=st.sampled_from(PLACES))
@settings(max_examples=30)
def test_the_gold_is_right_in_every_form_and_another_value_wrong(name, index, place):
    problem = bench.make_task(name).problem(seed=3, fold=1, index=index)
    gold = list(problem.gold) if isinstance(problem.gold, tuple) else problem.gold
    gold = Fraction(gold) if problem.answer_kind is AnswerKind.RATIONAL else gold
    for notation in NOTATIONS[problem.answer_kind]:
        right, wrong = notation(gold), notation(another(gold))
        if problem.answer_kind is AnswerKind.RATIONAL and len(right.replace("-", "").lstrip("0.")) < 2:
            continue  # a tiny value has no two significant digits in six decimals
        assert bench.grade(problem, place % right).outcome == Outcome.CORRECT, place % right
        assert bench.grade(problem, place % wrong).outcome == Outcome.INCORRECT, place % wrong
