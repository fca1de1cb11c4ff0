r"""Rewrites answers in LaTeX and Markdown as the plain text that reasoning-gym's scorers read.

Without it a right ``\frac{3}{7}``, ``A\# \#B``, ``45.00^\circ`` or ``A \rightarrow B`` scores near 0.
"""

from __future__ import annotations

import re

from bench.verdict import Unreadable

MAX_LENGTH = 4_096  # characters of an answer; no right one is so long

# Longer commands first: \rightarrow is no \right.
_COMMANDS = {
    **dict.fromkeys(("longrightarrow", "Longrightarrow", "rightarrow", "Rightarrow", "implies", "to"), " → "),
    **dict.fromkeys(
        ("longleftrightarrow", "Longleftrightarrow", "leftrightarrow", "Leftrightarrow", "iff", "equiv"), " ↔ "
    ),
    **dict.fromkeys(("land", "wedge"), " ∧ "),
    **dict.fromkeys(("lor", "vee"), " ∨ "),
    **dict.fromkeys(("lnot", "neg"), "¬"),
    **dict.fromkeys(("times", "cdot", "ast"), "*"),
    "div": "/",
    "approx": "≈",
    "degree": "°",
    **dict.fromkeys(("left", "right", "displaystyle", "big", "Big"), ""),
    **dict.fromkeys(("quad", "qquad"), " "),
    "lbrack": "[",
    "rbrack": "]",
}
_COMMAND = re.compile(r"\\([A-Za-z]+)")
_WRAPPED = re.compile(
    r"\\(?:text|textbf|textit|texttt|mathrm|mathbf|mathit|mathtt|mathsf|operatorname|boxed|fbox)\s*\{([^{}]*)\}"
)
_FRACTION = re.compile(r"\\[dtc]?frac\s*(?:\{\s*([^{}]*?)\s*\}|(\d))\s*(?:\{\s*([^{}]*?)\s*\}|(\d))")
_DEGREES = re.compile(r"\^\s*\{?\s*\\circ\s*\}?")
_ESCAPED = re.compile(r"\\([#%&_{}$,;:! ])")
_SPACES = {",": " ", ";": " ", ":": " ", "!": "", " ": " "}
_SIGNS = str.maketrans(
    {"−": "-", "–": "-", "×": "*", "·": "*", "⋅": "*", "÷": "/", "“": '"', "”": '"', "‘": "'", "’": "'", "\u00a0": " "}
)
_DELIMITERS = re.compile(r"\\[()\[\]]|\$|\*\*|`")


def plain(text: str) -> str:
    r"""Return an answer without LaTeX and Markdown around its content, e.g. ``3/7`` for ``$\frac{3}{7}$``.

    Raises:
        Unreadable: it is longer than :data:`MAX_LENGTH` characters.
    """
    if len(text) > MAX_LENGTH:
        raise Unreadable(f"an answer of {len(text)} characters")
    text = _DELIMITERS.sub("", text.translate(_SIGNS))
    text = _DEGREES.sub("°", text)
    for _ in range(4):  # wrappers in wrappers, each pass opens the inner ones
        text = _FRACTION.sub(_fraction, _WRAPPED.sub(r" \1 ", text))
    text = _ESCAPED.sub(lambda found: _SPACES.get(found[1], found[1]), text)
    text = _COMMAND.sub(lambda found: _COMMANDS.get(found[1], found[0]), text)
    return " ".join(text.split()).rstrip(".")


def _fraction(found: re.Match[str]) -> str:
    above, below = (
        next(part for part in parts if part is not None) for parts in (found.groups()[:2], found.groups()[2:])
    )
    return "/".join(part if re.fullmatch(r"[-\w.]*", part) else f"({part})" for part in (above, below))


def only_number(text: str) -> str:
    """Return the one whole number that a text names, however often; commas may group its digits.

    Raises:
        Unreadable: it names none, or several.
    """
    found = {
        number.replace(",", "").lstrip("+")
        for number in re.findall(r"(?<![\w.])[-+]?\d+(?:,\d{3})*(?![\w]|\.\d)", text)
    }
    return only(found)


def only(found: set[str]) -> str:
    """Return the one candidate.

    Raises:
        Unreadable: there is none, or there are several.
    """
    if len(found) != 1:
        raise Unreadable(f"{len(found)} candidates for an answer")
    return next(iter(found))
