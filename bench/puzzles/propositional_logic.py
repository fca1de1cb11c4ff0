"""Draw a conclusion from premises of propositional logic."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from bench.puzzles.formulas import everything, truth_table
from bench.puzzles.gym import GymTask

_FOLLOWS_BUT = 0.25  # what the package gives a tautology
_READABLE = 0.05  # what the package gives a formula that does not follow


@dataclass(frozen=True)
class PropositionalLogic(GymTask):
    """Premises in 2 to 4 variables; published with the package's defaults.

    Right is what follows from the premises, is no tautology and says something else than each of them. The package has
    no gold, its example may not follow, it counts a premise repeated as right and a variable alone as trivial. Items
    that have no right answer are not asked, nor those whose premises contradict each other: all follows from them.
    """

    min_vars: int = 2
    max_vars: int = 4
    min_statements: int = 2
    max_statements: int = 4
    min_complexity: int = 1
    max_complexity: int = 3

    name: ClassVar[str] = "propositional_logic"
    order: ClassVar[int] = 119
    data_version: ClassVar[int] = 2
    kept: ClassVar[tuple[str, ...]] = ("premises", "variables")

    def settle(self, data: dict[str, Any]) -> dict[str, Any] | None:
        """Return the item with a right answer as its example."""
        if not _together(data)[0]:
            return None
        right = (text for text in _candidates(data) if self.score(data, text) == 1)
        example = next(right, None)
        return None if example is None else data | {"answer": example}

    def read(self, data: Any, text: str) -> str:
        """Return the formula, in front of which words may stand that end in a colon."""
        said = text.rpartition(":")[2].rpartition("∴")[2].strip()
        truth_table(said, data["variables"])
        return said

    def score(self, data: Any, said: str) -> float:
        """Return 1 for a conclusion, less for a premise, a tautology or what does not follow."""
        given, premises = _together(data)
        table = truth_table(said, data["variables"])
        if given & ~table:
            return _READABLE
        return _FOLLOWS_BUT if table == everything(len(data["variables"])) or table in premises else 1.0

    def facts(self, data: Any) -> Mapping[str, int | str]:
        """Return the number of variables and of premises."""
        return {"variables": len(data["variables"]), "premises": len(data["premises"])}


def _together(data: Mapping[str, Any]) -> tuple[int, list[int]]:
    """Return the truth table of all premises together, 0 where they contradict each other, and that of each."""
    names = data["variables"]
    premises = [truth_table(premise, names) for premise in data["premises"]]
    given = everything(len(names))
    for premise in premises:
        given &= premise
    return given, premises


def _candidates(data: Mapping[str, Any]) -> Iterator[str]:
    """Yield formulas among which a right one is looked for: literals, pairs of them, premises together."""
    literals = [form for name in data["variables"] for form in (name, f"¬{name}")]
    yield from literals
    for place, left in enumerate(literals):
        for right in literals[place + 1 :]:
            yield from (f"({left} {sign} {right})" for sign in "∧∨")
    yield _joined(data["premises"])


def _joined(premises: Sequence[str]) -> str:
    return " ∧ ".join(f"({premise})" for premise in premises)
