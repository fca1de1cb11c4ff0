"""How the taxonomies' rules agree with a reader: ``python -m benchmarks.taxonomy_agreement``; ``--list`` adds details.

The traces of ``tests/bench/taxonomy/traces.jsonl`` were written for this set. A line holds ``task``, ``data``,
``finish_reason``, ``text``; the labels ``error`` (null for a right answer), ``patterns`` and ``wrong`` (the wrong
steps, as written); and ``part``:

held    labelled before any rule existed; nothing was tuned on it
fresh   written and labelled after the rules, by one who knew them; nothing was tuned on it
tuned   what rules were tuned on

Columns: of a class, how many traces a reader gave it, how many the rules gave it, precision, recall, and Cohen's kappa
of "this class or not" over all traces of the part.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import bench
from bench.taxonomy import ErrorKind, Pattern, error_of, patterns_of, wrong_steps

TRACES = Path(__file__).resolve().parents[1] / "tests" / "bench" / "taxonomy" / "traces.jsonl"
PARTS = ("held", "fresh", "tuned")
NO_ERROR = "none"


@dataclass(frozen=True, slots=True)
class Labelled:
    """One trace as a reader and the rules see it.

    Attributes:
        id: Its name in the file.
        part: ``held``, ``fresh`` or ``tuned``.
        error: The kind of error that a reader and the rules give, ``none`` for no error.
        patterns: The patterns that a reader and the rules find.
        wrong: The wrong steps, as written, that a reader and the rules find.
    """

    id: str
    part: str
    error: tuple[str, str]
    patterns: tuple[frozenset[str], frozenset[str]]
    wrong: tuple[Counter[str], Counter[str]]


@dataclass(frozen=True, slots=True)
class Agreement:
    """How two readings of yes or no agree.

    Attributes:
        both: Traces with yes in both.
        reader: Traces with yes by the reader.
        rules: Traces with yes by the rules.
        total: All traces.
    """

    both: int
    reader: int
    rules: int
    total: int

    @property
    def precision(self) -> float | None:
        """The share of the rules' finds that the reader confirms, None where there are none."""
        return self.both / self.rules if self.rules else None

    @property
    def recall(self) -> float | None:
        """The share of the reader's finds that the rules have, None where there are none."""
        return self.both / self.reader if self.reader else None

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa, (p_o - p_e) / (1 - p_e); None where chance alone agrees always."""
        neither = self.total - self.reader - self.rules + self.both
        chance = self.reader * self.rules + (self.total - self.reader) * (self.total - self.rules)
        agreed = (self.both + neither) * self.total
        return (agreed - chance) / (self.total**2 - chance) if chance < self.total**2 else None


def labelled(path: Path = TRACES) -> Iterator[Labelled]:
    """Yield every trace with both readings."""
    for text in path.read_text("utf-8").split("\n"):
        if text:
            line = json.loads(text)
            problem = bench.problem_from_data(line["task"], line["data"])
            error = error_of(problem, line["text"], finish_reason=line["finish_reason"])
            found = frozenset(finding.pattern.value for finding in patterns_of(line["text"]))
            wrong = Counter(step.written for step in wrong_steps(line["text"]))
            yield Labelled(
                line["id"],
                line["part"],
                (line["error"] or NO_ERROR, error.kind.value if error else NO_ERROR),
                (frozenset(line["patterns"]), found),
                (Counter(line["wrong"]), wrong),
            )


def error_agreement(traces: Sequence[Labelled], kind: str) -> Agreement:
    """Return how reader and rules agree on one kind of error."""
    return _agreement([tuple(said == kind for said in trace.error) for trace in traces])


def pattern_agreement(traces: Sequence[Labelled], pattern: str) -> Agreement:
    """Return how reader and rules agree on one pattern."""
    return _agreement([tuple(pattern in said for said in trace.patterns) for trace in traces])


def step_agreement(traces: Sequence[Labelled]) -> tuple[int, int, int]:
    """Return how many wrong steps both found, how many the reader and how many the rules."""
    both = sum((reader & rules).total() for reader, rules in (trace.wrong for trace in traces))
    reader, rules = (sum(trace.wrong[side].total() for trace in traces) for side in (0, 1))
    return both, reader, rules


def error_kappa(traces: Sequence[Labelled]) -> float:
    """Return Cohen's kappa over all kinds of error, no error included."""
    total = len(traces)
    agreed = sum(reader == rules for reader, rules in (trace.error for trace in traces)) / total
    sides = [Counter(trace.error[side] for trace in traces) for side in (0, 1)]
    chance = sum(sides[0][kind] * sides[1][kind] for kind in sides[0]) / total**2
    return (agreed - chance) / (1 - chance)


def _agreement(said: Sequence[tuple[bool, ...]]) -> Agreement:
    reader, rules = ([both[side] for both in said] for side in (0, 1))
    return Agreement(sum(map(all, said)), sum(reader), sum(rules), len(said))


def confusion_table(traces: Sequence[Labelled]) -> str:
    """Return the kinds of error as Markdown, the reader's in rows and the rules' in columns."""
    kinds = [*(kind.value for kind in ErrorKind), NO_ERROR]
    counts = Counter(trace.error for trace in traces)
    rows = [[reader, *(str(counts[reader, rules]) for rules in kinds)] for reader in kinds]
    return _markdown(["reader \\ rules", *kinds], rows)


def class_table(traces: Sequence[Labelled]) -> str:
    """Return a row for each class of both taxonomies and one for the wrong steps, as Markdown."""
    rows = [_row(kind, error_agreement(traces, kind)) for kind in ErrorKind]
    rows += [_row(pattern, pattern_agreement(traces, pattern)) for pattern in Pattern]
    both, reader, rules = step_agreement(traces)
    rows.append(["wrong steps", str(reader), str(rules), _percent(both, rules), _percent(both, reader), "–"])
    return _markdown(["class", "reader", "rules", "precision", "recall", "kappa"], rows)


def _row(name: str, found: Agreement) -> list[str]:
    kappa = "–" if found.kappa is None else f"{found.kappa:.2f}"
    shares = [_percent(found.both, whole) for whole in (found.rules, found.reader)]
    return [str(name), str(found.reader), str(found.rules), *shares, kappa]


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "–"


def _markdown(heading: list[str], rows: list[list[str]]) -> str:
    lines = [heading, ["---", *["---:"] * (len(heading) - 1)], *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def disagreements(traces: Sequence[Labelled]) -> Iterator[str]:
    """Yield a line for each trace that reader and rules see otherwise."""
    for trace in traces:
        pairs: tuple[tuple[str | Iterable[str], str | Iterable[str]], ...] = (trace.error, trace.patterns, trace.wrong)
        for reader, rules in pairs:
            if reader != rules:
                yield f"{trace.id} ({trace.part}): reader {_said(reader)}, rules {_said(rules)}"


def _said(reading: str | Iterable[str]) -> str:
    return reading if isinstance(reading, str) else ", ".join(sorted(reading)) or "none"


def main() -> None:
    """Print the tables of each part."""
    traces = list(labelled())
    for name in PARTS:
        part = [trace for trace in traces if trace.part == name]
        print(f"\n{len(part)} traces, {name}; kappa over kinds of error {error_kappa(part):.2f}\n")
        print(confusion_table(part), class_table(part), sep="\n\n")
    if "--list" in sys.argv[1:]:
        print("\nread otherwise:", *disagreements(traces), sep="\n")


if __name__ == "__main__":
    main()
