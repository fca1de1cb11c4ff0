r"""Finds the equations of a text and checks them: ``3 + 4 = 7``, ``3 \times 4 = 12``, ``12 plus 7 is 19``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from bench.taxonomy.expression import Side, work_out
from bench.taxonomy.findings import Span

MAX_STEPS = 1_000
_MAX_READ = 16_000  # characters of arithmetic that are looked at

# Characters and words that arithmetic is made of; every repetition takes at least one character and gives none back.
_RUN = re.compile(
    r"[\d(|$*\\+\-−–](?:[\d \t.,()|$*/+\-−–×·∙⋅÷^=≈{}]|\\(?:times|cdot|div|left|right|approx|boxed"
    r"|[dt]?frac|[,;!()\[\] ])"
    r"|x(?= ?[\d(])|\b(?:plus|minus|times|divided by|multiplied by|is equal to|equals|gives|makes|is)\b){0,2000}"
)
_TOKEN = re.compile(
    r"(?P<number>\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?)"
    r"|(?P<relation>=|≈|\\approx|equals|is equal to|gives|makes|is)"
    r"|(?P<product>\)\(|\}\()"
    r"|(?P<over>\}\{)"
    r"|(?P<bold>\*\*)"
    r"|(?P<sign>[+\-−–*/×·∙⋅÷^x]|\\times|\\cdot|\\div|plus|minus|times|divided by|multiplied by)"
    r"|(?P<bracket>[(){}|]|\\[dt]?frac ?\{)"
    r"|(?P<space>[ \t$]+|\\(?:left|right|boxed|[,;!()\[\] ]))"
    r"|(?P<cut>.)"
)
_SIGNS = {
    "−": "-", "–": "-", "minus": "-", "plus": "+", "×": "*", "·": "*", "∙": "*", "⋅": "*", "x": "*", "times": "*",
    "\\times": "*", "\\cdot": "*", "multiplied by": "*", "÷": "/", "\\div": "/", "divided by": "/", "{": "(", "}": ")",
    "\\frac{": "(", "\\dfrac{": "(", "\\tfrac{": "(",
}  # fmt: skip
_RELATION = re.compile(r"=|≈|\\approx|\b(?:equals|is|gives|makes)\b")
_REMAINDER = re.compile(
    r"[ ,(]{0,2}(?:\d{1,18}(?=r)|(?:with|and)? ?(?:a )?(?=r|R))"
    r"(?:remainder|rem\.?|r|R)(?: of)? ?(\d{1,18})"
)
_SUPPOSED = re.compile(r"\b(?:if|whether|suppose|assume|say|does|did|was|not)\s+\**$", re.IGNORECASE)
_ASKED = re.compile(r"[ )*$]{0,4}\?")
_CLOSE_ENOUGH = Fraction(1, 20)  # what a sign of approximation allows, as a share of the value


@dataclass(frozen=True, slots=True)
class Step:
    """One equation that was asserted.

    Attributes:
        span: Where it stands, left side to right side.
        left: The left side.
        right: The right side.
        holds: Whether it is right. A rounded or cut decimal holds.
    """

    span: Span
    left: Side
    right: Side
    holds: bool

    @property
    def stated(self) -> Fraction:
        """The value that the step gives."""
        return self.right.value


@dataclass(slots=True)
class _Token:
    kind: str
    text: str
    start: int
    end: int


def read_steps(text: str) -> tuple[Step, ...]:
    """Return the equations that a text asserts, in order; linear, at most 1,000 of them.

    Left out are those with unknowns or units, those that are asked (``3 + 4 = 8?``) or supposed, and quotients that
    are cut to an integer without a remainder beside them.
    """
    steps: list[Step] = []
    read = 0
    for run in _RUN.finditer(text):
        if not _RELATION.search(run.group()):
            continue
        start, end = run.span()
        read += end - start
        if read > _MAX_READ or len(steps) >= MAX_STEPS:
            break
        steps += _steps_of(text, start, end)
    return tuple(steps[:MAX_STEPS])


def _steps_of(text: str, start: int, end: int) -> Iterator[Step]:
    """Yield the steps of one run of arithmetic."""
    tokens = _tokens(text, start, end)
    marks = [place for place, token in enumerate(tokens) if token.kind == "relation"]
    bounds = [-1, *marks, len(tokens)]
    for before, mark, after in zip(bounds, bounds[1:], bounds[2:], strict=False):
        left, right = _last_side(tokens[before + 1 : mark]), _first_side(tokens[mark + 1 : after])
        if left and right and not _touches(text, left, right):
            step = _step(text, left, tokens[mark], right, chained=after < len(tokens))
            if step:
                yield step


def _tokens(text: str, start: int, end: int) -> list[_Token]:
    """Return the tokens of a run without spaces, with what stands for a sign or a bracket as it."""
    tokens: list[_Token] = []
    for match in _TOKEN.finditer(text, start, end):
        kind, said = match.lastgroup or "cut", match.group()
        place = (match.start(), match.end())
        if kind == "space":
            continue
        if kind in ("product", "over"):
            middle = "*" if kind == "product" else "/"
            close, sign = _Token("bracket", ")", place[0], place[0]), _Token("sign", middle, *place)
            tokens += [close, sign, _Token("bracket", "(", place[1], place[1])]
        elif kind == "bold":
            power = bool(tokens) and tokens[-1].end == place[0] and text[place[1] : place[1] + 1].isdigit()
            tokens.append(
                _Token("sign", "^", *place) if power and tokens[-1].kind == "number" else _Token("cut", said, *place)
            )
        else:
            if said == "(" and tokens and tokens[-1].kind == "number" and tokens[-1].end == place[0]:
                tokens.append(_Token("sign", "*", place[0], place[0]))  # `3(4)`
            tokens.append(_Token(kind, _SIGNS.get(said, said), *place))
    return tokens


def _joins(one: _Token, other: _Token) -> bool:
    """Return whether two tokens belong to one side; two values side by side don't."""
    ends = one.kind == "number" or one.text == ")"
    return not (ends and (other.kind == "number" or other.text == "("))


def _last_side(tokens: list[_Token]) -> list[_Token]:
    """Return the tokens that end at a relation and make up one side."""
    tokens = _without_bold(tokens)
    first, depth = len(tokens), 0
    for place in range(len(tokens) - 1, -1, -1):
        token = tokens[place]
        depth += (token.text == ")") - (token.text == "(")
        if token.kind == "cut" or depth < 0 or (first < len(tokens) and not _joins(token, tokens[first])):
            break
        first = place
    return tokens[first:]


def _first_side(tokens: list[_Token]) -> list[_Token]:
    """Return the tokens that follow a relation and make up one side."""
    tokens = _without_bold(tokens)
    end, depth = 0, 0
    for place, token in enumerate(tokens):
        depth += (token.text == "(") - (token.text == ")")
        if token.kind == "cut" or depth < 0 or (place and not _joins(tokens[place - 1], token)):
            break
        end = place + 1
    side = tokens[:end]
    while side and side[-1].kind == "sign":
        side.pop()
    return side


def _without_bold(tokens: list[_Token]) -> list[_Token]:
    """Return the tokens without the bold marks around a side."""
    return [token for token in tokens if token.text != "**"]


def _touches(text: str, left: list[_Token], right: list[_Token]) -> bool:
    """Return whether a side goes on beyond what was read: ``x + 3 = 5``, ``2 + 3 = 5y``, or is asked or supposed."""
    start, end = left[0].start, right[-1].end
    before, after = text[max(0, start - 30) : start], text[end : end + 6]
    if before[-1:].isalnum() or before[-1:] in ("_", "^", "}", ".", "%"):
        return True
    if left[0].kind == "sign" and left[0].text != "-":
        return True
    if left[0].kind == "sign" and before.rstrip(" ")[-1:].isalnum() and text[left[0].end : left[0].end + 1] == " ":
        return True  # `x - 3 = 5`
    if after[:1].isalpha() or after[:1] in ("_", "%", "^") or after[:2] == "\\%":
        return not _REMAINDER.match(text, end)
    return bool(_ASKED.match(after) or _SUPPOSED.search(before))


def _step(text: str, left: list[_Token], mark: _Token, right: list[_Token], *, chained: bool) -> Step | None:
    one, other = work_out([token.text for token in left]), work_out([token.text for token in right])
    if one is None or other is None or not (one.signs or other.signs):
        return None
    if mark.text.isalpha() and (other.signs or not one.signs):
        return None  # `8 gives 32 / 8`
    span = (left[0].start, right[-1].end)
    holds = _holds(one, other, mark.text in ("≈", "\\approx"))
    if not holds and other.signs and one.value == other.operands[0]:
        return Step(span, one, other, True) if chained else None  # `3 + 4 = 7 + 5 = 12`
    if not holds and "/" in one.signs and not other.signs and other.value == one.value // 1:
        return _with_remainder(text, span, one, other)
    if not holds and text[span[0]] in "-−–" and _bulleted(left, one, other):
        return None
    return Step(span, one, other, holds)


def _holds(left: Side, right: Side, approximate: bool) -> bool:
    off = abs(left.value - right.value)
    if off == 0:
        return True
    if approximate and off <= abs(left.value) * _CLOSE_ENOUGH:
        return True
    return not right.signs and right.decimals > 0 and off * 10**right.decimals < 1


def _with_remainder(text: str, span: Span, left: Side, right: Side) -> Step | None:
    """Return a quotient that was cut to an integer with the remainder beside it, None where none stands there."""
    rest = _REMAINDER.match(text, span[1])
    if rest is None or len(left.operands) != 2:
        return None
    dividend, divisor = left.operands
    return Step((span[0], rest.end()), left, right, dividend - right.value * divisor == int(rest.group(1)))


def _bulleted(left: list[_Token], one: Side, other: Side) -> bool:
    """Return whether an equation holds once the dash before it is taken for a bullet."""
    plain = work_out([token.text for token in left[1:]])
    return plain is not None and plain.value == other.value
