"""Orthocentre, incircle radius or angle of a triangle given by coordinates."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from bench.puzzles.gym import GymTask
from bench.verdict import Unreadable

_NUMBER = r"-?\s*\(?-?\d{1,12}(?:\.\d{0,30})?(?:\s*/\s*\d{1,12})?\)?"
_PLAIN = re.compile(r"-?\d{1,12}(?:\.\d{0,30}|/0{0,9}[1-9]\d{0,11})?")
_PAIR = re.compile(rf"\(\s*(?:x\s*=\s*)?({_NUMBER})\s*,\s*(?:y\s*=\s*)?({_NUMBER})\s*\)")
_ANGLE_UNIT = re.compile(r"\s*(?:°|degrees?)", re.IGNORECASE)
_HALF = Fraction(1, 2000)  # of the third decimal, which the question asks for
_SLACK = Fraction(1, 10**9)  # of the package's floats


@dataclass(frozen=True)
class AdvancedGeometry(GymTask):
    """Three questions about triangles; published with coordinates from -20 to 20.

    The question asks for 3 decimals and the package's gold of an angle has 2: an angle that is right to 3 is right.
    """

    min_coord: int = -20
    max_coord: int = 20

    name: ClassVar[str] = "advanced_geometry"
    order: ClassVar[int] = 112
    kept: ClassVar[tuple[str, ...]] = ("task_type", "A", "B", "C")

    def read(self, data: Any, text: str) -> str:
        """Return the coordinates as decimals, the radius with 3 decimals, the angle as it is."""
        if data["task_type"] == "orthocenter":
            pairs = _PAIR.findall(text)
            if not pairs:
                raise Unreadable("no coordinates")
            return "({}, {})".format(*(float(_value(part)) for part in pairs[-1]))
        value = _value(_ANGLE_UNIT.sub("", re.split(r"[=≈]", text)[-1]))
        if data["task_type"] == "incircle_radius":
            return f"{float(value):.3f}"
        near = abs(value - Fraction(angle_at_b(data))) <= _HALF + _SLACK
        return data["answer"] if near else str(float(value))

    def score(self, data: Any, said: str) -> float:
        """Return the package's score; the places of the orthocentre follow from the triangle again."""
        return super().score(data | {"ortho": list(map(str, orthocentre(data)))}, said)

    def facts(self, data: Any) -> Mapping[str, int | str]:
        """Return the kind of question as ``question``."""
        return {"question": data["task_type"]}


def orthocentre(data: Any) -> tuple[Fraction, Fraction]:
    """Return where the altitudes of the triangle meet, exactly."""
    (ax, ay), (bx, by), (cx, cy) = _corners(data)
    # H.(C - B) = A.(C - B) and H.(C - A) = B.(C - A)
    right_a, right_b = ax * (cx - bx) + ay * (cy - by), bx * (cx - ax) + by * (cy - ay)
    area = (cx - bx) * (cy - ay) - (cy - by) * (cx - ax)
    x = Fraction(right_a * (cy - ay) - right_b * (cy - by), area)
    return x, Fraction(right_b * (cx - bx) - right_a * (cx - ax), area)


def angle_at_b(data: Any) -> float:
    """Return the angle ABC in degrees."""
    (ax, ay), (bx, by), (cx, cy) = _corners(data)
    turn = math.atan2(cy - by, cx - bx) - math.atan2(ay - by, ax - bx)
    degrees = abs(math.degrees(turn))
    return min(degrees, 360 - degrees)


def _corners(data: Any) -> list[tuple[int, int]]:
    return [(int(data[name][0]), int(data[name][1])) for name in "ABC"]


def _value(text: str) -> Fraction:
    """Return a number, a decimal or a fraction.

    Raises:
        Unreadable: it is none.
    """
    written = re.sub(r"[\s()]", "", text)
    if not _PLAIN.fullmatch(written):
        raise Unreadable("no number")
    return Fraction(written)
