"""The examples of docs/taxonomy.md are what the rules say they are, and every rule and class stands there."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import bench
from bench.taxonomy import ErrorKind, Pattern, error_of, patterns_of
from bench.taxonomy.classify import ERROR_RULES

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "taxonomy.md").read_text("utf-8")


def rows(mark: str) -> dict[str, list[str]]:
    table = PAGE.split(f"<!-- {mark} -->\n")[1].split("\n\n")[0].split("\n")[2:]
    cells = [[cell.strip() for cell in row.strip("| ").split(" | ")] for row in table]
    return {row[0].strip("`"): row[1:] for row in cells}


@pytest.mark.parametrize("kind", ErrorKind)
def test_an_example_of_each_kind_of_error(kind: ErrorKind) -> None:
    _, asked, example, named = rows("errors")[kind]
    task, data = asked.split(" ", 1)
    found = error_of(bench.problem_from_data(task, json.loads(data)), example.strip("`"))
    assert found is not None
    assert found.kind is kind
    rules = {(rule.name, str(rule.order)) for rule in ERROR_RULES if rule.kind is kind}
    assert set(re.findall(r"`(\w+)` (\d+)", named)) == rules


@pytest.mark.parametrize("pattern", Pattern)
def test_an_example_of_each_pattern(pattern: Pattern) -> None:
    example = rows("patterns")[pattern][-1].strip("`")
    assert {finding.pattern for finding in patterns_of(example)} == {pattern}
