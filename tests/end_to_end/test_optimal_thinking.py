"""OptimalThinkingBench as a user runs it: a small study, its summary, its report, two runs compared."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from runner.config.compose import compose
from runner.results.layout import RunFolder
from runner.results.summary import compute_summary
from runner.tracking.views import summary_metrics
from tests.end_to_end.command import SCRIPTED, runner

SUITE = (
    "suite=optimal_thinking_demo", "suite.repeats=1", "judge=scripted", "study=s",
    "suite.tasks=[optimal_thinking_general,puzzle24]",
)  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    cwd = tmp_path_factory.mktemp("optimal")
    done = runner("-m", *SCRIPTED, *SUITE, "engine.thinking_tokens=0,600", "engine.accuracy=1", cwd=cwd)
    assert done.code == 0, done.out + done.err
    return cwd


def test_a_run_ends_with_the_benchmarks_figures(folder: Path) -> None:
    found = {}
    for path in (folder / "outputs" / "s").glob("*/summary.json"):
        optimal = json.loads(path.read_text("utf-8"))["optimal"]
        found[optimal["auc_oaa"]["value"]] = optimal
    assert len(found) == 2
    silent, thinking = found[max(found)], found[min(found)]
    assert (silent["auc_oaa"]["value"], silent["acc_ut"]["value"], silent["f1"]["value"]) == (1, 1, 1)
    assert 0.2 < thinking["auc_oaa"]["value"] < 0.7
    assert silent["missing"] == ["over math", "under math"]


def test_a_tracker_is_sent_the_benchmarks_headlines(folder: Path) -> None:
    for path in (folder / "outputs" / "s").glob("*/summary.json"):
        sent = summary_metrics(compute_summary(RunFolder(path.parent)))
        optimal = json.loads(path.read_text("utf-8"))["optimal"]
        assert sent["f1"] == optimal["f1"]["value"]
        assert sent["auc_oaa"] == optimal["auc_oaa"]["value"]


def test_the_report_has_the_curve_as_page_markdown_and_csv(folder: Path) -> None:
    done = runner("report", "outputs/s", cwd=folder)
    assert done.code == 0, done.err
    report = folder / "outputs" / "s" / "report"
    rows = list(csv.reader((report / "table-optimal_thinking_curve.csv").read_text("utf-8").splitlines()))
    assert rows[0][1:] == [f"t = {t}" for t in range(0, 1001, 100)]
    assert {row[-1] for row in rows[1:]} == {"1.000"}
    assert "## OAA\\_t" in (report / "report.md").read_text("utf-8")
    assert 'data-plot="optimal"' in (report / "index.html").read_text("utf-8")
    assert '"oaa":[' in (report / "data" / "study.js").read_text("ascii")


def test_two_runs_are_compared_by_the_benchmarks_figures(folder: Path) -> None:
    runs = sorted(str(path.parent) for path in (folder / "outputs" / "s").glob("*/summary.json"))
    done = runner("compare", *runs, cwd=folder)
    assert "F1: A " in done.out
    assert "AUC_OAA on output tokens: A " in done.out


@pytest.mark.parametrize("suite", ["optimal_thinking", "optimal_thinking_over", "optimal_thinking_under"])
def test_the_suites_are_the_published_ones(suite: str) -> None:
    settings = compose([*SCRIPTED, f"suite={suite}", "sampling=optimal_thinking", "budget.tokens=16384"]).suite
    assert (settings.repeats, settings.folds) == (8, 1)
    sides = {"over": {"optimal_thinking_general", "math500"}, "under": {"maze", "aime25", "hmmt25", "puzzle24"}}
    asked = set(settings.params)
    for side, tasks in sides.items():
        assert (tasks <= asked) == (suite in ("optimal_thinking", f"optimal_thinking_{side}"))
    if "math500" in asked:
        assert settings.params["math500"]["levels"] == [1, 2]
