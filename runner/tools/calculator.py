"""The tool ``calculator``: arithmetic by a parser of its own, exact wherever the value is a fraction.

No text is ever evaluated as code. Every number stays below ``MOST_DIGITS`` digits and every expression below
``MOST_CHARACTERS``, so that an answer takes milliseconds.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from runner.tools.functions import CONSTANTS, FUNCTIONS, CalculatorError, List, Number, Value, exact, number, power
from runner.tools.protocol import Outcome, ToolCall

MOST_CHARACTERS = 5_000
MOST_DIGITS = 2_000
_MOST_DEPTH = 60
_MOST_EXPONENT = 1_000  # of a number such as 1e6
_MOST_BITS = MOST_DIGITS * 10 // 3

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<name>[A-Za-z_][A-Za-z_0-9]*)"
    r"|(?P<sign>\*\*|//|==|!=|<=|>=|[-+*/%^()\[\],!<>=]))"
)
_SAME = str.maketrans({"×": "*", "·": "*", "÷": "/", "−": "-", "–": "-", "π": " pi ", "≤": "<=", "≥": ">="})
_COMPARISONS: dict[str, Callable[[Number, Number], bool]] = {
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
    "<=": lambda a, b: a <= b,
    ">=": lambda a, b: a >= b,
    "=": lambda a, b: a == b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}


class Calculator:
    """The tool: an expression in, its value out."""

    def run(self, call: ToolCall) -> Outcome:
        """Evaluate the argument ``expression``."""
        expression = call.arguments.get("expression")
        if isinstance(expression, int | float) and not isinstance(expression, bool):
            expression = str(expression)
        if not isinstance(expression, str):
            return Outcome("calculator needs the argument expression, a text such as (3 + 4) * 12", False)
        try:
            return Outcome(calculate(expression), True)
        except CalculatorError as error:
            return Outcome(str(error), False)

    def release(self, session: str) -> None:
        """Nothing is kept."""

    def close(self) -> None:
        """Nothing is held."""


def calculate(expression: str) -> str:
    """Return the value of an expression as a model reads it.

    Raises:
        CalculatorError: what is wrong with the expression, or why its value is refused.
    """
    if len(expression) > MOST_CHARACTERS:
        raise CalculatorError(f"the expression has {len(expression)} characters; at most {MOST_CHARACTERS} are read")
    tokens = _tokens(expression.translate(_SAME).rstrip(" \n\t=?"))
    try:
        return shown(_Parser(tokens).parse())
    except ZeroDivisionError:
        raise CalculatorError("division by zero") from None
    except OverflowError:
        raise CalculatorError("the value is too large for an inexact function") from None


def shown(value: Value | bool) -> str:
    """Return a value as text; a fraction without a finite decimal is given both ways."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, List):
        return "[" + ", ".join(shown(item) for item in value.items) + "]"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if value.denominator == 1:
        return str(value.numerator)
    finite = _finite_decimal(value)
    return finite if finite is not None else _both_ways(value)


def _both_ways(value: Fraction) -> str:
    fraction = f"{value.numerator}/{value.denominator}"
    try:
        return f"{float(value)!r} (exactly {fraction})"
    except OverflowError:  # beyond what a float can say
        return fraction


def _finite_decimal(value: Fraction) -> str | None:
    """Return a fraction as a decimal if that is exact and of a readable length."""
    for places in range(1, 41):
        if 10**places % value.denominator == 0:
            digits = str(abs(value.numerator) * (10**places // value.denominator)).rjust(places + 1, "0")
            return f"{'-' if value < 0 else ''}{digits[:-places]}.{digits[-places:]}"
    return None


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str  # number, name, sign, or end
    text: str


def _tokens(expression: str) -> list[_Token]:
    tokens, position = [], 0
    while position < len(expression.rstrip()):
        found = _TOKEN.match(expression, position)
        if found is None or found.lastgroup is None:
            rest = expression[position:].lstrip()
            raise CalculatorError(f"{rest[0]!r} is not understood: numbers, + - * / // % ** ( ) [ ] and functions are")
        tokens.append(_Token(found.lastgroup, found[found.lastgroup]))
        position = found.end()
    if not tokens:
        raise CalculatorError("the expression is empty")
    return [*tokens, _Token("end", "")]


class _Parser:
    """Recursive descent, the loosest operators first: comparison, sum, product, sign, power, factorial, atom."""

    def __init__(self, tokens: list[_Token]) -> None:
        self._tokens = tokens
        self._at = 0
        self._depth = 0

    def parse(self) -> Value | bool:
        left = self._sum()
        while (sign := self._token.text) in _COMPARISONS and self._token.kind == "sign":
            self._at += 1
            result = _COMPARISONS[sign](number(left, sign), number(self._sum(), sign))
            if self._token.kind == "end":
                return result
            raise self._unexpected()
        if self._token.kind != "end":
            raise self._unexpected()
        return left

    def _sum(self) -> Value:
        value = self._product()
        while (sign := self._take("+", "-")) is not None:
            left, right = number(value, sign), number(self._product(), sign)
            value = _bounded(left + right if sign == "+" else left - right)
        return value

    def _product(self) -> Value:
        value = self._signed()
        while (sign := self._take("*", "/", "//", "%")) is not None:
            left, right = number(value, sign), number(self._signed(), sign)
            value = _bounded(_multiply(sign, left, right))
        return value

    def _signed(self) -> Value:
        with_minus = False
        while (sign := self._take("-", "+")) is not None:
            with_minus ^= sign == "-"
        value = self._power()
        return -number(value, "-") if with_minus else value

    def _power(self) -> Value:
        base = self._atom()
        while self._take("!") is not None:
            base = _bounded(FUNCTIONS["factorial"]([base]))
        sign = self._take("**", "^")
        if sign is None:
            return base
        self._enter()
        exponent = number(self._signed(), sign)  # so that 2 ** 3 ** 2 is 2 ** 9, and 2 ** -1 is a half
        self._depth -= 1
        return _bounded(power(number(base, sign), exponent, _MOST_BITS))

    def _atom(self) -> Value:
        token = self._token
        self._at += 1
        if token.kind == "number":
            return _literal(token.text)
        if token.kind == "name":
            return self._named(token.text)
        if token.text == "(":
            items = self._items(")")
            if len(items) != 1:
                raise CalculatorError("a list is written with brackets: [1, 2, 3]; numbers have no commas: 1000")
            return items[0]
        if token.text == "[":
            return List(tuple(number(item, "a list") for item in self._items("]")))
        self._at -= 1
        raise self._unexpected()

    def _named(self, name: str) -> Value:
        name = name.removeprefix("math_").lower()
        if name in CONSTANTS:
            return CONSTANTS[name]
        if name not in FUNCTIONS:
            known = ", ".join(sorted({*FUNCTIONS, *CONSTANTS}))
            raise CalculatorError(f"{name[:40]!r} is not known; known are {known}")
        if self._take("(") is None:
            raise CalculatorError(f"{name} is a function: write {name}(...)")
        return _bounded(FUNCTIONS[name](self._items(")")))

    def _items(self, closing: str) -> list[Value]:
        self._enter()
        items = []
        if self._take(closing) is None:
            items.append(self._sum())
            while self._take(",") is not None:
                items.append(self._sum())
            if self._take(closing) is None:
                raise self._unexpected(closing)
        self._depth -= 1
        return items

    def _enter(self) -> None:
        self._depth += 1
        if self._depth > _MOST_DEPTH:
            raise CalculatorError(f"more than {_MOST_DEPTH} levels of brackets")

    @property
    def _token(self) -> _Token:
        return self._tokens[self._at]

    def _take(self, *signs: str) -> str | None:
        if self._token.kind == "sign" and self._token.text in signs:
            self._at += 1
            return self._tokens[self._at - 1].text
        return None

    def _unexpected(self, wanted: str = "") -> CalculatorError:
        token = self._token
        if token.kind == "end":
            return CalculatorError(f"the expression ends too early{f': {wanted} is missing' if wanted else ''}")
        hint = "; write 2 * (3), not 2 (3)" if token.text == "(" or token.kind != "sign" else ""
        hint = "; numbers have no commas: 1000, and a list has brackets" if token.text == "," else hint
        return CalculatorError(f"{token.text[:40]!r} is not expected there{hint}")


def _multiply(sign: str, left: Number, right: Number) -> Number:
    if sign == "*":
        return left * right
    if sign == "/":
        return left / right
    return exact(left // right) if sign == "//" else left % right


def _literal(text: str) -> Fraction:
    digits, _, exponent = text.lower().partition("e")
    if len(digits) > MOST_DIGITS or len(exponent) > 6 or abs(int(exponent or 0)) > _MOST_EXPONENT:
        raise CalculatorError(f"a number of more than {MOST_DIGITS} digits is not taken")
    return Fraction(text.rstrip(".") if text.endswith(".") else text)


def _bounded(value: Value) -> Value:
    """Return a value if it is not too long to go on with."""
    items = value.items if isinstance(value, List) else (value,)
    for item in items:
        if isinstance(item, float):
            if item != item or item in (float("inf"), float("-inf")):
                raise CalculatorError("the value is not a finite number")
        elif max(item.numerator.bit_length(), item.denominator.bit_length()) > _MOST_BITS:
            raise CalculatorError(f"the value has more than {MOST_DIGITS} digits")
    return value
