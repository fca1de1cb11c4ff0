"""The consoles that everything is printed on."""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper

from rich.console import Console

_LEAST_WIDTH = 60  # below it a table is all borders
_FILE_WIDTH = 140  # columns where no terminal says how wide it is; tables stay whole in a log


def make_console(*, errors: bool = False) -> Console:
    """Return a console on standard output, or on standard error."""
    stream = sys.stderr if errors else sys.stdout
    if isinstance(stream, TextIOWrapper):  # an ASCII terminal shows ? for what it lacks
        stream.reconfigure(errors="replace")
    wide = not stream.isatty() and "COLUMNS" not in os.environ
    console = Console(stderr=errors, width=_FILE_WIDTH if wide else None)
    console.width = max(console.width, _LEAST_WIDTH)
    return console


def visible(text: str) -> str:
    """Return the text with control characters as escapes, so that no stored text can steer a terminal."""
    return "".join(
        character if character in "\n\t" or character.isprintable() else character.encode("unicode_escape").decode()
        for character in text
    )


def visible_line(text: object) -> str:
    """Return a text, such as a file's name, as :func:`visible` does, on one line."""
    return visible(str(text)).replace("\n", "\\n").replace("\t", "\\t")


def print_line(console: Console, text: str) -> None:
    """Print text as it is: no markup, no colours, no breaking of lines."""
    console.print(text, markup=False, highlight=False, soft_wrap=True)
