"""The rule table: ``python -m benchmarks.rule_table``; add ``--list`` for every response that is read otherwise.

Grades the responses of ``responses.jsonl`` and compares with what a careful reader took as the answer. A line holds
``source`` (model and revision with prompt style and temperature, or ``constructed``), ``task``, ``data``,
``finish_reason``, ``response`` and ``truth``: the answer a reader takes, right or wrong, or null for none; equally
good readings stand between ``|``.

The responses of real models were labelled by reading each of them beside what the grader had taken, and the label
changed wherever a reader takes something else; so the labels of doubtful texts may lean towards the grader. Those of
constructed responses were written with them, before any grader had seen them.

Columns, per rule, the one that found most answers first:

coverage        responses in which this rule found the answer, as a share of all
success         of these, the share in which it is the answer that the reader took
false positive  of these, the share in which the reader took none
credited        wrongly: graded correct though the reader's answer is not right
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import bench
from bench.grade import GRADER_VERSION
from bench.problem import AnswerKind, Problem
from bench.verdict import Outcome, Verdict

RESPONSES = Path(__file__).with_name("responses.jsonl")
_NOTHING = "nothing read"


@dataclass(frozen=True, slots=True)
class Reading:
    """One response as the grader and a reader see it.

    Attributes:
        line: The line of the file.
        verdict: The grader's.
        same: Whether both take the same answer, or none.
        right: Whether the reader's answer is right.
    """

    line: dict[str, Any]
    verdict: Verdict
    same: bool
    right: bool

    @property
    def rule(self) -> str:
        """The rule that found the grader's answer."""
        return self.verdict.rule or _NOTHING

    @property
    def credited(self) -> bool:
        """Whether the grader counts as right what the reader does not."""
        return self.verdict.outcome is Outcome.CORRECT and not self.right

    @property
    def refused(self) -> bool:
        """Whether the reader counts as right what the grader does not."""
        return self.right and self.verdict.outcome is not Outcome.CORRECT


def readings(path: Path = RESPONSES) -> Iterator[Reading]:
    """Yield every response of a file with both readings."""
    for text in path.read_text("utf-8").split("\n"):
        if text:
            yield _reading(json.loads(text))


def _reading(line: dict[str, Any]) -> Reading:
    problem = bench.problem_from_data(line["task"], line["data"])
    verdict = bench.grade(problem, line["response"], finish_reason=line["finish_reason"])
    truths = [] if line["truth"] is None else [part.strip() for part in line["truth"].split("|")]
    found = None if verdict.answer is None else _value(verdict.answer, problem)
    same = found in [_value(truth, problem) for truth in truths] if truths else found is None
    # The comparison with the gold is the grader's own: a box that holds nothing but the reader's answer.
    right = any(bench.grade(problem, f"\\boxed{{{truth}}}").outcome is Outcome.CORRECT for truth in truths)
    return Reading(line, verdict, same, right)


def _value(text: str, problem: Problem) -> object:
    """Return an answer in a form that is equal for equal answers."""
    if problem.answer_kind in (AnswerKind.INTEGER_LIST, AnswerKind.INTEGER_SET):
        values = [Fraction(part) for part in text.strip("[]").split(",") if part.strip()]
        return set(values) if problem.answer_kind is AnswerKind.INTEGER_SET else values
    return text if problem.answer_kind is AnswerKind.RELATION else Fraction(text)


def table(found: list[Reading]) -> str:
    """Return the table as Markdown."""
    by_rule: dict[str, list[Reading]] = defaultdict(list)
    for reading in found:
        by_rule[reading.rule].append(reading)
    order = sorted(by_rule, key=lambda rule: (rule == _NOTHING, -len(by_rule[rule])))
    rows = [_row(rule, by_rule[rule], len(found)) for rule in order]
    heading = ["rule", "found", "coverage", "success", "false positive", "wrongly credited", "wrongly refused"]
    lines = [heading, ["---", *["---:"] * (len(heading) - 1)], *rows, _row("all", found, len(found))]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _row(rule: str, found: list[Reading], total: int) -> list[str]:
    none = [reading for reading in found if reading.verdict.rule and reading.line["truth"] is None]
    counts = [sum(reading.credited for reading in found), sum(reading.refused for reading in found)]
    success = _percent(sum(reading.same for reading in found), len(found))
    false = "–" if rule == _NOTHING else _percent(len(none), len(found))
    return [rule, str(len(found)), _percent(len(found), total), success, false, *map(str, counts)]


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %"


def _listed(found: Iterable[Reading]) -> Iterator[str]:
    for reading in found:
        if not reading.same:
            line = reading.line
            said = f"{reading.verdict.answer} by {reading.verdict.rule}" if reading.verdict.rule else "nothing"
            yield f"{line['task']} {line['data']}: reader {line['truth']}, grader {said}: {line['response'][-120:]!r}"


def main() -> None:
    """Print the table, for real models' responses, for constructed ones and for all."""
    found = list(readings())
    constructed = [reading for reading in found if reading.line["source"] == "constructed"]
    real = [reading for reading in found if reading.line["source"] != "constructed"]
    print(f"grader {GRADER_VERSION}")
    for name, part in (("real models", real), ("constructed", constructed), ("all", found)):
        print(f"\n{len(part)} responses, {name}\n\n{table(part)}")
    if "--list" in sys.argv[1:]:
        print("\nread otherwise:", *_listed(found), sep="\n")


if __name__ == "__main__":
    main()
