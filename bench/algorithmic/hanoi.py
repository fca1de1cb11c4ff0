"""Move a tower of disks to another peg."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bench.algorithmic.candidates import first_solution
from bench.finite import FiniteTask, size_of
from bench.problem import AnswerKind
from bench.task import read_sizes

_MOST = 12

_PEG = r"(?:(?:peg|rod|tower|pole|stack)\s{0,3}:?\s{0,3})?#?([A-Ca-c0-3])\b"
_DISK = r"dis[kc]\s{0,3}[:#]?\s{0,3}(\d{1,2})\b"
_WORDS = rf"(?:{_DISK}[\s,:]{{0,4}}(?:is moved |moves )?)?from\s{{0,3}}:?\s{{0,3}}(?:the )?{_PEG}[\s,]{{0,4}}"
_MOVE = re.compile(
    "|".join(
        (
            rf"[(\[]\s{{0,4}}(\d{{1,2}})\s{{0,4}},\s{{0,4}}{_PEG}\s{{0,4}}(?:,|->|to)\s{{0,4}}{_PEG}\s{{0,4}}[)\]]",
            rf"[(\[]\s{{0,4}}{_PEG}\s{{0,4}},\s{{0,4}}{_PEG}\s{{0,4}}[)\]]",
            rf"(?:{_DISK}\s{{0,4}}[:,]?\s{{0,4}}(?:from )?)?(?<![\w-]){_PEG}\s{{0,4}}->\s{{0,4}}{_PEG}",
            rf"{_WORDS}(?:->|(?:on)?to)\s{{0,3}}:?\s{{0,3}}(?:the )?{_PEG}",
            rf"{_DISK}\s{{0,4}}(?:->|(?:on)?to)\s{{0,3}}(?:the )?{_PEG}",
            rf"\|\s{{0,9}}{_PEG}\s{{0,9}}\|\s{{0,9}}{_PEG}\s{{0,9}}(?:\|[ \t]{{0,9}})?$",
        )
    ),
    re.IGNORECASE | re.MULTILINE,
)
# Of each notation the groups that hold disk, source and target; 0 for none.
_GROUPS = ((1, 2, 3), (0, 4, 5), (6, 7, 8), (9, 10, 11), (12, 0, 13), (0, 14, 15))
_COMPACT = re.compile(r"(?<![\w-])([A-C1-3])[ -]?([A-C1-3])(?![\w-])")
_AFTER_LIST_MARK = re.compile(r"^\s{0,9}\d{1,4}[.):]\s", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Move:
    """One move as it was written.

    Attributes:
        disk: The disk that is named, None where none is.
        source: The peg it leaves, 0 to 2; None where it is not said.
        target: The peg it goes to.
    """

    disk: int | None
    source: int | None
    target: int


@dataclass(frozen=True)
class Hanoi(FiniteTask):
    """Data: ``{"disks": n}``, also given as n. Any legal plan that ends with the tower on peg C is right.

    A plan is read from the last box, the last code block or the text, as ``A->C``, ``(A, C)``, ``(1, A, C)``, ``move
    disk 1 from A to C``, ``disk 1 to C``, a table's rows or JSON; pegs are A to C, 1 to 3, or 0 to 2 where a 0 occurs.
    A disk that is named has to be the one that moves. Problem i is the i-th of ``sizes``.
    """

    sizes: tuple[int, ...] = (3, 4, 5, 6, 7, 8, 9, 10)

    name = "hanoi"
    category = "algorithmic"
    suite = "algorithmic"
    answer_kind = AnswerKind.CHECKED
    order = 100

    def __post_init__(self) -> None:
        """Check the sizes."""
        object.__setattr__(self, "sizes", read_sizes(self.name, self.sizes, 1, _MOST))

    def length(self) -> int:
        return len(self.sizes)

    def entry(self, seed: int, index: int) -> dict[str, int]:
        return {"disks": self.sizes[index]}

    def read_data(self, data: Any) -> dict[str, int]:
        """Return the data; 1 to 12 disks."""
        return size_of(self.name, data, "disks", 1, _MOST)

    def question(self, data: Mapping[str, int]) -> str:
        n = data["disks"]
        disks = "Disk 1 stands" if n == 1 else f"Disks 1 (the smallest) to {n} (the largest) stand"
        return (
            f"Solve the Tower of Hanoi with {n} disk{'s' * (n > 1)} and three pegs A, B and C. {disks} on peg A, the "
            "largest at the bottom. Bring all of them to peg C. A move takes the topmost disk of one peg and puts it "
            "on top of another; a disk never lies on a smaller one.\n"
            "Give all moves in order, separated by commas, each as the peg a disk is taken from and the peg it goes "
            "to, for example: A->B, A->C. Any legal sequence of moves that ends with all disks on peg C is right."
        )

    def gold(self, data: Mapping[str, int]) -> str:
        """Return the shortest plan, 2^n - 1 moves."""
        return ", ".join(f"{source}->{target}" for source, target in _shortest(data["disks"], "A", "C", "B"))

    def facts(self, data: Mapping[str, int]) -> Mapping[str, int | str]:
        """Return the number of disks as ``size``, and of moves in the shortest plan."""
        return {"size": data["disks"], "moves": 2 ** data["disks"] - 1}

    def check(self, data: Mapping[str, int], answer: str) -> float:
        """Return 1 for a plan whose moves are all legal and that ends with all disks on peg C, else 0."""
        return float(first_solution(answer, read_moves, lambda moves: is_solution(data["disks"], moves)))


def read_moves(text: str, alone: bool) -> list[Move]:
    """Return the moves of a text in order, linear in its length.

    Args:
        text: Without markup, see :func:`bench.algorithmic.candidates.plain`.
        alone: Whether the text holds nothing else, so that ``AC`` and ``A-C`` are moves as well.
    """
    text = _AFTER_LIST_MARK.sub("", text)
    found = []
    for match in _MOVE.finditer(text):
        disk, source, target = next(groups for groups in _GROUPS if match[groups[2]])
        found.append((match[disk] if disk else None, match[source] if source else None, match[target]))
    if not found and alone:
        found = [(None, match[1], match[2]) for match in _COMPACT.finditer(text)]
    first = "0" if any("0" in (source, target) for _, source, target in found) else "1"
    return [
        Move(int(disk) if disk else None, _peg(source, first) if source else None, _peg(target, first))
        for disk, source, target in found
    ]


def is_solution(disks: int, moves: Sequence[Move]) -> bool:
    """Return whether all moves are legal and leave the disks on the third peg."""
    pegs = [list(range(disks, 0, -1)), [], []]
    for move in moves:
        source = _peg_of(move.disk, pegs) if move.source is None else move.source
        if source is None or not _move(pegs, source, move.target, move.disk):
            return False
    return len(pegs[2]) == disks


def _move(pegs: list[list[int]], source: int, target: int, disk: int | None) -> bool:
    """Make a move and return True, or return False for an illegal one."""
    if not (0 <= source < 3 and 0 <= target < 3) or source == target or not pegs[source]:
        return False
    moved = pegs[source][-1]
    if disk not in (None, moved) or (pegs[target] and pegs[target][-1] < moved):
        return False
    pegs[target].append(pegs[source].pop())
    return True


def _peg_of(disk: int | None, pegs: list[list[int]]) -> int | None:
    return next((place for place, peg in enumerate(pegs) if peg and peg[-1] == disk), None)


def _peg(name: str, first: str) -> int:
    return "ABC".index(name.upper()) if name.isalpha() else int(name) - int(first)


def _shortest(disks: int, source: str, target: str, other: str) -> list[tuple[str, str]]:
    if disks == 0:
        return []
    before = _shortest(disks - 1, source, other, target)
    return [*before, (source, target), *_shortest(disks - 1, other, target, source)]
