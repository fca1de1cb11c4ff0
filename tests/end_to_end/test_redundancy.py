"""Redundancy and onset, as a user types them."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from tests.end_to_end.command import SCRIPTED, only_run, runner

# The scripted thinking derives 247 + 385 = 632, which is the sum of these.
ASKED = ("suite.tasks=[sum]", "suite.params.sum={low:316,high:316,sizes:[2]}", "suite.samples=1", "suite.folds=1")


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("redundancy")
    done = runner("-m", *SCRIPTED, *ASKED, "study=s", "engine.rechecks=2,6", cwd=folder)
    assert done.code == 0, done.err
    return folder


def rows(file: Path) -> list[dict[str, str]]:
    with file.open(newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def test_tokens_after_the_first_correct_answer_are_counted_on_ids(study: Path) -> None:
    done = runner("redundancy", "outputs/s", "embed=lexical", "baseline=engine.rechecks 2", cwd=study)
    assert done.code == 2  # a baseline is named by its folder, not by its label
    folders = sorted((study / "outputs" / "s").glob("scripted*"))
    done = runner("redundancy", "outputs/s", "embed=lexical", f"baseline={folders[0].name}", "ablation=true", cwd=study)
    assert done.code == 0, done.err
    assert "lexical" in done.out
    found = {row["external"]: row for row in rows(study / "outputs" / "s" / "redundancy" / "samples.csv")}
    for folder in folders:
        (line,) = (folder / "generations.jsonl").read_text("ascii").splitlines()
        text = json.loads(line)["turns"][0]["text"]
        thinking = text.partition("<think>")[2].partition("</think>")[0].strip()
        after = len(thinking) - thinking.index("632.") - len("632.")  # the scripted engine's tokens are characters
        row = found[f"{float(after)}" if f"{float(after)}" in found else str(after)]
        assert (row["basis"], row["missing"], row["trace_tokens"]) == ("ids", "", str(len(thinking)))
        assert float(row["erd"]) == pytest.approx(after / len(thinking))
        assert float(row["ird"]) == pytest.approx(float(row["ird"]))
    assert len(rows(study / "outputs" / "s" / "redundancy" / "against.csv")) == 1


@pytest.mark.parametrize(
    "words", [["embed=nothing"], ["colour=red"], ["baseline=nix", "embed=lexical"], ["ablation=1"]]
)
def test_a_mistake_is_one_line(study: Path, words: list[str]) -> None:
    done = runner("redundancy", "outputs/s", *words, cwd=study)
    assert (done.code, done.err.count("\n")) == (2, 1), done.err
    assert words[0].split("=")[1] in done.err or words[0] in done.err


def test_the_report_shows_where_the_answer_first_stood(study: Path) -> None:
    done = runner("report", "outputs/s", cwd=study)
    assert done.code == 0, done.err
    folder = study / "outputs" / "s" / "report"
    assert "## Redundancy of traces" in (folder / "report.md").read_text("utf-8")
    assert 'id="redundancy"' in (folder / "index.html").read_text("utf-8")
    assert '"first correct answer"' in (folder / "data" / "texts-0-0.js").read_text("ascii")
    assert (folder / "table-redundancy.csv").exists()


def test_a_run_that_never_thinks_can_not_be_probed(tmp_path: Path) -> None:
    assert runner(*SCRIPTED, *ASKED, "engine.thinking_tokens=0", cwd=tmp_path).code == 0
    done = runner("onset", "outputs/single", cwd=tmp_path)
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "thinks" in done.err
    assert runner("onset", "outputs/single", "step=0", cwd=tmp_path).code == 2


def test_onset_asks_a_real_model_in_the_middle_of_its_thinking(tmp_path: Path) -> None:
    asked = ("model=thinker", "suite=basic_math_small", "sampling=greedy", "tracking=off", "effort=high")
    done = runner(*asked, "suite.tasks=[sum]", "suite.samples=2", cwd=tmp_path)
    assert done.code == 0, done.err
    run = only_run(tmp_path)
    tables = []
    for _ in range(2):  # the second takes all answers from the study's trajectories
        done = runner("onset", str(run), "step=32", "samples=2", cwd=tmp_path)
        assert done.code == 0, done.err
        tables.append(rows(run / "onset-32.csv"))
    assert tables[0] == tables[1]
    for row in tables[0]:
        assert int(row["probes"]) == -(-int(row["thinking"]) // 32)
        assert row["onset"] == "" or int(row["onset"]) % 32 == 0
