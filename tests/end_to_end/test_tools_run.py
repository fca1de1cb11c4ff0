"""A study with tools as a user sees it: its table, its report, a sample, and what is refused."""

from __future__ import annotations

import csv

from tests.end_to_end.command import SCRIPTED
from tests.end_to_end.test_sweeps import Here, here, table

__all__ = ["here"]  # a fixture

ASKED = (
    *SCRIPTED, "study=s", "suite.samples=4", "suite.folds=1", "suite.tasks=[sum,find_max]", "tools=none,calculator",
    "engine.tool_calls=1.0", "engine.accuracy=0.0", "engine.accuracy_with_tools=1.0", "engine.slip=unknown_tool",
    "engine.slips=0.5", "engine.calls=2",
)  # fmt: skip


def test_a_study_with_tools_shows_the_published_columns(here: Here) -> None:
    done = here.type("-m", *ASKED)
    assert done.code == 0, done.err
    heading, without, within = table(done)
    columns = [heading.index(name) for name in ("tools", "accuracy", "calls", "toolerrors")]
    assert [without[place] for place in columns] == ["none", "0.000", "–", "–"]
    shown = [within[place] for place in columns]
    assert shown[:3] == ["calculator", "1.000", "2.00"]
    assert 0 < float(shown[3]) < 1
    assert here.type("report", "outputs/s").code == 0
    (row,) = csv.DictReader((here.folder / "outputs/s/report/table-tools.csv").read_text().splitlines())
    assert (row["accuracy without"], row["accuracy with"], row["calls"]) == ("0.000", "1.000", "2.00")
    assert float(row["wrong tool"]) == float(shown[3])
    assert here.type("show", "outputs/s", "calculator", "sum:0:0:0").out.count("call of ") == 2


def test_a_curve_of_a_run_with_tools_is_refused(here: Here) -> None:
    assert here.type("-m", *ASKED, "suite.samples=1").code == 0
    done = here.type("curve", "outputs/s", "calculator")
    assert done.code == 2
    assert "was made with tools" in done.err
