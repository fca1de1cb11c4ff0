"""A finished run's curve: every point is what a run with that cap finds, and what can't be known is refused."""

from __future__ import annotations

import csv
import dataclasses
import json
from pathlib import Path

import pytest
from rich.console import Console

from runner.cli.curve import show_curve
from runner.config.compose import compose
from runner.config.settings import Scoring
from runner.errors import UserError
from runner.experiment import run_point
from runner.pack import opened, packs_of
from runner.point import prepare
from runner.results.layout import RunFolder
from runner.results.load import load
from runner.results.record import Record
from runner.results.run import load_run
from runner.results.store import read

BASE = ("model=scripted", "engine=scripted", "tracking=off", "suite.samples=3", "suite.tasks=[sum,median,sorting]")
PART = ("engine.accuracy=0.7", "engine.thinking_tokens=60", "engine.overrun=0.2", "engine.odd_bytes=0.2")
CAPS = (1, 40, 90, 160)
CONSOLE = Console(quiet=True)


def generate(outputs: Path, *overrides: str) -> RunFolder:
    """Run a point as the command line does; return its folder."""
    point = prepare(compose([*BASE, *PART, f"outputs={outputs}", *overrides]))
    (pack,) = packs_of([point])
    with opened(pack) as source:
        run_point(point, source, "command", CONSOLE)
    return point.folder


def results(folder: RunFolder) -> list[dict[str, object]]:
    """Return every stored sample without what reuse may change."""
    kept = []
    for record in read(folder, with_ids=True):
        usage = dataclasses.replace(record.usage, source="ids", reused=0)
        turns = tuple(dataclasses.replace(turn, latency_s=0.0) for turn in record.turns)
        fields = {"usage": usage, "turns": turns, "latency_s": 0.0, "started_s": 0.0, "derived_from": ()}
        kept.append(dataclasses.asdict(dataclasses.replace(record, **fields)))
    return sorted(kept, key=lambda fields: str(fields["problem_id"]))


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> dict[str, RunFolder]:
    """Runs at every cap: each alone with reuse off, then one study in which they share their texts."""
    outputs = tmp_path_factory.mktemp("outputs")
    runs = {}
    for cap in (*CAPS, 400):
        runs[f"alone {cap}"] = generate(outputs, "study=alone", f"budget.tokens={cap}", "budget.reuse=false")
    for cap in (90, 400, 1, 160, 40):
        runs[f"shared {cap}"] = generate(outputs, "study=shared", f"budget.tokens={cap}")
    return runs


@pytest.mark.parametrize("cap", [*CAPS, 400])
def test_a_reused_sweep_stores_what_a_sweep_without_reuse_stores(swept: dict[str, RunFolder], cap: int) -> None:
    shared, alone = results(swept[f"shared {cap}"]), results(swept[f"alone {cap}"])
    assert len(shared) == len(alone) == 9
    wrong = sum(one != other for one, other in zip(shared, alone, strict=True))
    assert wrong == 0, f"{wrong} of {len(alone)} samples differ"


def test_a_record_says_which_runs_its_text_comes_from(swept: dict[str, RunFolder]) -> None:
    def sources(name: str) -> set[tuple[str, ...]]:
        return {record.derived_from for record in read(swept[name])}

    first, second = swept["shared 90"].path.name, swept["shared 400"].path.name
    assert sources("shared 90") == sources("alone 90") == {()}
    assert (first,) in sources("shared 400")
    assert sources("shared 160") <= {(first,), tuple(sorted((first, second)))}
    assert {record.usage.source for record in read(swept["shared 1"])} == {"derived"}


def test_what_was_reused_is_no_work_of_the_run(swept: dict[str, RunFolder]) -> None:
    def generated(*names: str) -> int:
        runs = [load_run(swept[name]) for name in names]
        return sum(attempt.output_tokens for run in runs if run for attempt in run.attempts)

    assert generated(*(f"shared {cap}" for cap in (*CAPS, 400))) == generated("alone 400")
    assert generated("shared 1") == 0
    assert generated("alone 1") == 9


def test_reuse_is_no_part_of_what_names_a_run(swept: dict[str, RunFolder]) -> None:
    assert swept["shared 90"].path.name == swept["alone 90"].path.name


def test_every_point_of_the_curve_is_the_run_with_that_cap(swept: dict[str, RunFolder], tmp_path: Path) -> None:
    file = tmp_path / "curve.csv"
    caps = ",".join(map(str, CAPS))
    show_curve(swept["alone 400"].path, None, caps, file, Scoring.PAPER, CONSOLE)
    rows = list(csv.DictReader(file.open()))
    assert [int(row["cap"]) for row in rows] == list(CAPS)
    for cap, row in zip(CAPS, rows, strict=True):
        samples = load(swept[f"alone {cap}"].path)
        tasks = samples.groupby("task")
        assert float(row["accuracy"]) == pytest.approx(
            (samples["outcome"] == "correct").groupby(samples["task"]).mean().mean()
        )
        assert float(row["output_tokens"]) == pytest.approx(tasks["output_tokens"].mean().mean())
        assert float(row["thinking_tokens"]) == pytest.approx(tasks["thinking_tokens"].mean().mean())
        assert int(row["truncated"]) == int((samples["status"] == "truncated").sum())


def test_without_caps_the_curve_reaches_as_far_as_every_text(swept: dict[str, RunFolder], tmp_path: Path) -> None:
    file = tmp_path / "curve.csv"
    show_curve(swept["alone 400"].path, None, None, file, Scoring.PAPER, CONSOLE)
    assert [int(row["cap"]) for row in csv.DictReader(file.open())] == [16, 32, 64, 128, 256, 400]


@pytest.mark.parametrize("caps", ["", "0", "a,b", "8,-1"])
def test_caps_that_are_none_are_refused(swept: dict[str, RunFolder], caps: str) -> None:
    with pytest.raises(UserError, match="--caps 64,128,256"):
        show_curve(swept["alone 400"].path, None, caps, None, Scoring.PAPER, CONSOLE)


def test_nothing_is_invented_beyond_a_cut(swept: dict[str, RunFolder]) -> None:
    with pytest.raises(UserError, match="was cut after 40 tokens, so nothing is known of a cap of 64"):
        show_curve(swept["alone 40"].path, None, "16,64", None, Scoring.PAPER, CONSOLE)


def test_texts_with_forced_parts_have_no_curve(tmp_path: Path) -> None:
    folder = generate(tmp_path, "budget=thinking", "budget.tokens=20", "budget.answer_tokens=200")
    with pytest.raises(UserError, match=r"holds injected text.*budget=total"):
        show_curve(folder.path, None, "16", None, Scoring.PAPER, CONSOLE)


def test_lines_of_earlier_revisions_name_no_run(swept: dict[str, RunFolder]) -> None:
    folder = swept["alone 1"]
    lines = [json.loads(line) for line in folder.generations.read_bytes().split(b"\n") if line]
    for line in lines:
        del line["derived_from"]
    folder.generations.write_text("".join(json.dumps(line) + "\n" for line in lines))
    records: list[Record] = list(read(folder))
    assert len(records) == 9
    assert {record.derived_from for record in records} == {()}
