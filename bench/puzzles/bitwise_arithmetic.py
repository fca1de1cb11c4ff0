"""Work out an expression of hexadecimal numbers, shifts included."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, ClassVar

from bench.puzzles.gym import GymTask
from bench.puzzles.notation import only
from bench.verdict import Unreadable

_PREFIXED = re.compile(r"(?<![\w.])-?\s*0x[0-9a-f]+(?![\w]|\.\d)", re.IGNORECASE)
_BARE = re.compile(r"-?[0-9a-f]+", re.IGNORECASE)
_MAX_DIGITS = 200  # hexadecimal; a gold of difficulty 10 has fewer


@dataclass(frozen=True)
class BitwiseArithmetic(GymTask):
    """An expression of depth ``difficulty``; published with 4.

    The package's scorer evaluates the stored expression as code, so the gold alone is compared here.
    """

    difficulty: int = 4

    name: ClassVar[str] = "bitwise_arithmetic"
    order: ClassVar[int] = 118

    def read(self, data: Any, text: str) -> str:
        """Return the one hexadecimal number; its prefix may be missing where it stands alone."""
        text = re.sub(r"_\s*\{?\s*16\s*\}?", "", text.rpartition("=")[2]).replace(" ", "")
        found = {match.lower() for match in _PREFIXED.findall(text)}
        if found:
            return only(found)
        if not _BARE.fullmatch(text):
            raise Unreadable("no hexadecimal number")
        return text

    def score(self, data: Any, said: str) -> float:
        """Return 1 for the gold's value; digits without a prefix may be decimal, as the package reads them."""
        if len(said) > _MAX_DIGITS:
            return 0.0
        gold = int(data["answer"], 16)
        decimal = said.removeprefix("-").isdecimal() and int(said) == gold
        return float(int(said, 16) == gold or decimal)
