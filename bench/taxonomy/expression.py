"""Works out one side of an equation from its tokens, exactly and within bounds."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

MAX_TOKENS = 400  # of a side; a sum of 64 signed numbers in brackets has 320
_MAX_DEPTH = 12
_MAX_DIGITS = 60
_TOO_LARGE = 10**200
_MAX_POWER = 24
_MAX_BASE = 10**8


class Unreadable(Exception):
    """A side is no arithmetic, or too large."""


@dataclass(frozen=True, slots=True)
class Side:
    """One side of an equation, worked out.

    Attributes:
        value: Its exact value.
        operands: The numbers in it, with the sign that stands directly before them.
        signs: Its operations in order: ``+ - * / ^``.
        key: The same text for sides that say the same: the operands of a sum or a product in any order.
        decimals: Digits after the point of the last number written.
    """

    value: Fraction
    operands: tuple[Fraction, ...]
    signs: str
    key: str
    decimals: int


def work_out(tokens: list[str]) -> Side | None:
    """Return the value of a side, None where it is no complete arithmetic or goes beyond the bounds.

    Args:
        tokens: Numbers, ``+ - * / ^``, ``( )`` and ``|``.
    """
    if not tokens or len(tokens) > MAX_TOKENS:
        return None
    parser = _Parser(tokens)
    try:
        value = parser.sum(0)
    except (Unreadable, ZeroDivisionError):
        return None
    if parser.place < len(tokens):
        return None
    operands, signs = tuple(parser.operands), "".join(parser.signs)
    ordered = sorted(map(str, operands)) if len(set(signs)) == 1 and signs[0] in "+*" and "(" not in tokens else tokens
    key = (signs[:1] if ordered is not tokens else "") + " ".join(ordered)
    last = next((token for token in reversed(tokens) if token[0].isdigit()), "")
    return Side(value, operands, signs, key, len(last.partition(".")[2]))


@dataclass
class _Parser:
    tokens: list[str]
    place: int = 0
    operands: list[Fraction] = field(default_factory=list)
    signs: list[str] = field(default_factory=list)

    def _next(self) -> str:
        return self.tokens[self.place] if self.place < len(self.tokens) else ""

    def sum(self, depth: int) -> Fraction:
        value = self._product(depth)
        while self._next() in ("+", "-"):
            sign = self._take_sign()
            other = self._product(depth)
            value = value + other if sign == "+" else value - other
        return _bounded(value)

    def _product(self, depth: int) -> Fraction:
        value = self._power(depth)
        while self._next() in ("*", "/"):
            sign = self._take_sign()
            other = self._power(depth)
            value = value * other if sign == "*" else value / other
            _bounded(value)
        return value

    def _power(self, depth: int) -> Fraction:
        negative = False
        while self._next() in ("-", "+"):
            negative ^= self._next() == "-"
            self.place += 1
            depth += 1
            if depth > _MAX_DEPTH:
                raise Unreadable
        simple = self._next()[:1].isdigit()
        value = self._atom(depth)
        if self._next() == "^":
            self._take_sign()
            exponent = self._power(depth + 1)
            if exponent.denominator != 1 or abs(exponent) > _MAX_POWER or not abs(value) < _MAX_BASE:
                raise Unreadable
            value = Fraction(value ** int(exponent))
        elif negative and simple:
            self.operands[-1] = -self.operands[-1]
        return -value if negative else value

    def _atom(self, depth: int) -> Fraction:
        token = self._next()
        self.place += 1
        if token[:1].isdigit():
            return self._number(token)
        closing = {"(": ")", "|": "|"}.get(token)
        if closing is None or depth >= _MAX_DEPTH:
            raise Unreadable
        value = self.sum(depth + 1)
        if self._next() != closing:
            raise Unreadable
        self.place += 1
        return abs(value) if token == "|" else value

    def _number(self, token: str) -> Fraction:
        if len(token) > _MAX_DIGITS:
            raise Unreadable
        plain = token.replace(",", "")
        value = Fraction(plain)
        self.operands.append(value)
        return value

    def _take_sign(self) -> str:
        sign = self._next()
        self.signs.append(sign)
        self.place += 1
        return sign


def _bounded(value: Fraction) -> Fraction:
    if not -_TOO_LARGE < value < _TOO_LARGE or value.denominator > _TOO_LARGE:
        raise Unreadable
    return value
