"""Propositional formulas: read without recursion, and as truth tables over a few variables."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from bench.verdict import Unreadable

MAX_TOKENS = 400

_TOKEN = re.compile(
    r"\s*(?:(?P<name>[A-Z])(?![A-Za-z])|(?P<iff>↔|<->|<=>|⇔)|(?P<implies>→|->|=>|⇒)|(?P<and>∧|&&?|\bAND\b|\band\b)"
    r"|(?P<or>∨|\|\|?|\bOR\b|\bor\b)|(?P<not>¬|~|!|\bNOT\b|\bnot\b)|(?P<open>[(\[])|(?P<close>[)\]]))"
)
# The stronger binds first; the package splits at the last operator of the weakest kind, so all group to the left.
_STRENGTH = {"iff": 1, "implies": 2, "or": 3, "and": 4}


@cache
def column(place: int, variables: int) -> int:
    """Return the truth table of a variable as bits, one for each of the 2**variables assignments."""
    return sum(1 << row for row in range(1 << variables) if row >> place & 1)


def everything(variables: int) -> int:
    """Return the truth table of what is always true."""
    return (1 << (1 << variables)) - 1


def truth_table(text: str, variables: Sequence[str]) -> int:
    """Return the truth table of a formula; ``↔ → ∨ ∧ ¬`` from weak to strong, with their ASCII forms and words.

    Linear in the length.

    Raises:
        Unreadable: it is no formula over these variables, or a very long one.
    """
    values: list[int] = []
    pending: list[str] = []
    after_value = False
    for kind, name in _tokens(text):
        if after_value != (kind in ("close", *_STRENGTH)):
            raise Unreadable("no formula")
        if kind == "name":
            values.append(_value_of(name, variables))
            _apply_nots(pending, values, len(variables))
        elif kind == "close":
            _apply_down_to(1, pending, values, len(variables))
            if not pending or pending.pop() != "open":
                raise Unreadable("a bracket too many")
            _apply_nots(pending, values, len(variables))
        elif kind in _STRENGTH:
            _apply_down_to(_STRENGTH[kind], pending, values, len(variables))
            pending.append(kind)
        else:
            pending.append(kind)
        after_value = kind in ("name", "close")
    if not after_value:
        raise Unreadable("no formula")
    _apply_down_to(1, pending, values, len(variables))
    if pending:
        raise Unreadable("a bracket too few")
    return values[0]


def _tokens(text: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    text, at = text.rstrip(), 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None or len(found) == MAX_TOKENS:
            raise Unreadable("no formula")
        assert match.lastgroup is not None
        found.append((match.lastgroup, match[match.lastgroup]))
        at = match.end()
    return found


def _value_of(name: str, variables: Sequence[str]) -> int:
    if name not in variables:
        raise Unreadable(f"{name} is no variable")
    return column(list(variables).index(name), len(variables))


def _apply_nots(pending: list[str], values: list[int], variables: int) -> None:
    while pending and pending[-1] == "not":
        pending.pop()
        values[-1] ^= everything(variables)


def _apply_down_to(strength: int, pending: list[str], values: list[int], variables: int) -> None:
    """Work out pending operators that bind at least so strongly, down to the last opening bracket."""
    while pending and _STRENGTH.get(pending[-1], 0) >= strength:
        right, left = values.pop(), values.pop()
        values.append(_combined(pending.pop(), left, right, everything(variables)))


def _combined(kind: str, left: int, right: int, whole: int) -> int:
    if kind == "and":
        return left & right
    if kind == "or":
        return left | right
    return (left ^ whole) | right if kind == "implies" else left ^ right ^ whole
