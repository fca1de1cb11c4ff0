"""A judge decides what no rule can: beside the generation, on the same engine, or later; each content once a study."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from io import StringIO
from pathlib import Path
from threading import Event
from time import monotonic

import pytest
from rich.console import Console

from runner import asking
from runner.cli.judge import judge_study
from runner.config.compose import compose
from runner.config.settings import Scoring
from runner.errors import UserError
from runner.judge_beside import judging_beside
from runner.judging import check_judge, judge_of
from runner.point import Point, prepare
from runner.results.judgements import JudgementFile, chosen_judge, judged_in, read_judgements
from runner.results.layout import RunFolder
from runner.results.store import read
from runner.results.summary import compute_summary
from runner.results.verdict_table import read_verdicts
from runner.sweep import run_alone

TASK = '''
"""Things by their numbers; every third reference is a number itself."""
from dataclasses import dataclass
from bench.problem import AnswerKind
from bench.task import Task


@dataclass(frozen=True)
class Thing(Task):
    name = "thing"
    category = "stored"
    suite = "mine"
    answer_kind = AnswerKind.JUDGED

    def draw(self, seed, position):
        return position // 6

    def question(self, data):
        return f"What is thing {data}?"

    def gold(self, data):
        return str(data) if data % 3 == 0 else f"the thing called {data}"

    def read_data(self, data):
        return data
'''


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tasks")  # one for all tests: a process knows a task by one file
    (folder / "thing.py").write_text(TASK)
    return folder


@pytest.fixture
def task_folder(tasks: Path, tmp_path: Path) -> tuple[Path, Path]:
    return tasks, tmp_path / "outputs"


def point(folders: tuple[Path, Path], *overrides: str) -> Point:
    fixed = ["model=scripted", "engine=scripted", "tracking=off", "suite.tasks=[thing]", "suite.samples=30"]
    where = [f"suite.task_folder={folders[0]}", f"outputs={folders[1]}"]
    return prepare(compose([*fixed, *where, *overrides]))


def run(one: Point) -> tuple[int, str]:
    console = Console(file=StringIO(), width=200)
    code = run_alone(one, "python -m runner", console)
    return code, console.file.getvalue()  # type: ignore[attr-defined]


def outcomes(folder: RunFolder) -> list[str]:
    return [str(row["outcome"]) for row in read_verdicts(folder, columns=["outcome"]).to_pylist()]


@pytest.mark.parametrize("judge", ["scripted", "same"])
def test_a_judge_decides_in_the_run_itself(task_folder: tuple[Path, Path], judge: str) -> None:
    one = point(task_folder, f"judge={judge}", "engine.accuracy=0.5")
    code, said = run(one)
    assert code == 0, said
    table = read_verdicts(one.folder, columns=["outcome", "rule", "answer", "gold"]).to_pylist()
    assert {row["rule"] for row in table} == {"judge"}
    if judge == "scripted":  # it is never wrong, so its verdicts are those of a comparison letter by letter
        assert all((row["answer"] == row["gold"]) == (row["outcome"] == "correct") for row in table)
        assert re.search(r"agreement with the rules where both apply: ([1-9]\d*) of \1 ", said), said
    assert run(one)[0] == 0  # nothing is left to do
    assert len(list(read_judgements(one.folder))) == len({one.key for one in read_judgements(one.folder)}) <= 30


def test_without_a_judge_answers_are_ungraded_and_the_run_is_partial(task_folder: tuple[Path, Path]) -> None:
    one = point(task_folder)
    code, said = run(one)
    assert code == 1
    assert "30 samples have no verdict" in said
    assert set(outcomes(one.folder)) == {"ungraded"}


def test_stored_runs_are_judged_later_and_another_judge_changes_the_verdicts(task_folder: tuple[Path, Path]) -> None:
    one = point(task_folder, "engine.accuracy=1.0")
    run(one)
    study, out = one.folder.path.parent, Console(file=StringIO(), width=200)
    assert judge_study(study, ["judge=scripted"], 0, 1, None, out) == 0
    first = judged_in(one.folder)
    assert set(outcomes(one.folder)) == {"correct"}
    assert judge_study(study, ["judge=scripted", "judge.engine.accuracy=0.0"], 0, 1, None, out) == 0
    second = judged_in(one.folder)
    assert set(outcomes(one.folder)) == {"incorrect"}
    assert first is not None
    assert second is not None
    assert first.judge != second.judge
    summary = compute_summary(one.folder, Scoring.PAPER)
    assert second.judge[:8] in summary.grader_version
    # back to the first: nothing is asked again
    before = one.folder.judgements.read_bytes()
    judge_study(study, ["judge=scripted"], 0, 1, None, out)
    assert one.folder.judgements.read_bytes() == before
    assert set(outcomes(one.folder)) == {"correct"}


def test_the_same_answer_is_judged_once_in_a_study(task_folder: tuple[Path, Path]) -> None:
    first, second = (point(task_folder, "judge=scripted", f"sampling.seed={seed}") for seed in (0, 1))
    run(first)
    asked = {one.key for one in read_judgements(first.folder)}
    run(second)
    replies = {one.key: one.reply for one in read_judgements(first.folder)}
    shared = [one for one in read_judgements(second.folder) if one.key in asked]
    assert all(replies[one.key] == one.reply for one in shared)


def test_a_failing_judge_leaves_answers_ungraded_and_the_next_attempt_asks_again(
    task_folder: tuple[Path, Path],
) -> None:
    one = point(task_folder, "judge=scripted", "judge.engine.fail=0.5")
    code, said = run(one)
    assert code == 1
    assert "failed, asked again by the next attempt" in said
    assert "ungraded" in outcomes(one.folder)
    healthy = point(task_folder, "judge=scripted")
    assert run(healthy)[0] == 0
    assert "ungraded" not in outcomes(one.folder)


def test_a_torn_or_foreign_line_costs_no_other_judgement(task_folder: tuple[Path, Path]) -> None:
    one = point(task_folder, "judge=scripted")
    run(one)
    lines = one.folder.judgements.read_bytes().split(b"\n")
    one.folder.judgements.write_bytes(b"null\n{}\n" + b"\n".join(lines[:5]) + b"\n" + lines[5][:40])
    assert len(list(read_judgements(one.folder))) == 5
    assert run(one)[0] == 0
    assert set(outcomes(one.folder)) <= {"correct", "incorrect"}
    with JudgementFile(one.folder):
        pass
    assert one.folder.judgements.read_bytes().endswith(b"\n")


def test_the_rules_are_checked_on_problems_that_they_grade_themselves(tmp_path: Path) -> None:
    settings = ["model=scripted", "engine=scripted", "tracking=off", "suite.tasks=[sum]", "suite.samples=20"]
    one = prepare(compose([*settings, f"outputs={tmp_path}"]))
    run(one)
    out = Console(file=StringIO(), width=200)
    assert judge_study(one.folder.path, ["judge=scripted"], 8, 1, None, out) == 0
    said = out.file.getvalue()  # type: ignore[attr-defined]
    assert "agreement with the rules where both apply: 8 of 8" in said
    assert chosen_judge(one.folder) is None  # no verdict hangs on it


@pytest.mark.parametrize("what", ["errors", "patterns"])
def test_the_taxonomies_are_judged_and_compared_with_the_rules(tmp_path: Path, what: str) -> None:
    settings = ["model=scripted", "engine=scripted", "tracking=off", "suite.tasks=[sum]", "suite.samples=20"]
    one = prepare(compose([*settings, "engine.accuracy=0.2", "engine.rechecks=2", f"outputs={tmp_path}"]))
    run(one)
    out = Console(file=StringIO(), width=200)
    assert judge_study(one.folder.path, ["judge=scripted", f"what={what}"], 0, 10, None, out) == 0
    said = [judgement.said for judgement in read_judgements(one.folder)]
    assert len(said) == 10
    assert None not in said
    shown = out.file.getvalue()  # type: ignore[attr-defined]
    assert ("redundant_verification" if what == "patterns" else "kind of error") in shown


def test_what_decides_a_judgement_is_in_the_judge_s_fingerprint() -> None:
    def fingerprint(*overrides: str) -> str:
        judge = judge_of(compose(["judge=scripted", *overrides]))
        assert judge is not None
        return judge.fingerprint

    base = fingerprint()
    assert fingerprint("judge.engine.window=3", "suite.samples=3", "model=thinker") == base
    assert fingerprint("judge.max_tokens=9") != base
    assert fingerprint("model@judge.model=thinker") != base


def test_a_judge_beside_speaks_while_more_is_still_to_come(task_folder: tuple[Path, Path]) -> None:
    one = point(task_folder)
    run(one)
    settings = point(task_folder, "judge=scripted").settings
    records = list(read(one.folder))
    with judging_beside(one.folder, settings, Event(), needed=True) as judge:
        judge.take(records[0])
        deadline = monotonic() + 120
        while not list(read_judgements(one.folder)):  # nobody said that this was the last one
            assert monotonic() < deadline
        for record in records[1:]:
            judge.take(record)
        assert "judged by scripted" in str(judge.finish())
    assert {"correct", "incorrect"} >= set(outcomes(one.folder))


def test_when_a_judge_works() -> None:
    def stage(*overrides: str) -> str:
        judge = judge_of(compose(list(overrides)))
        assert judge is not None
        return judge.stage

    assert stage("judge=same") == "same"
    assert stage("judge=model", "engine=transformers", "engine@judge.engine=transformers") == "after"
    assert stage("judge=scripted", "engine=transformers") == "beside"


def test_mistakes_about_the_judge_are_one_line(tmp_path: Path, task_folder: tuple[Path, Path]) -> None:
    with pytest.raises(UserError, match=r"(?m)^judge: model=thinker with engine=scripted"):
        point(task_folder, "judge=scripted", "model@judge.model=thinker")
    with pytest.raises(UserError, match=r"^judge.engine.max_cost limits"):
        point(task_folder, "judge=model", "engine@judge.engine=openai", "judge.engine.max_cost=1.0")
    settings = compose(
        ["model=gpt4o", "engine=openai", "engine.max_cost=1", "judge=model", "engine@judge.engine=openai"]
    )
    with pytest.raises(UserError, match=r"^judge\.engine=openai: engine\.max_cost=1\.0 would not count what it asks"):
        check_judge(settings, elsewhere=True)
    run(point(task_folder))
    for words, message in (([], "nobody is given"), (["what=looks", "judge=same"], "what=looks")):
        with pytest.raises(UserError, match=message):
            judge_study(tmp_path / "outputs" / "single", words, 0, 1, None, Console(file=StringIO()))


def test_a_reply_that_goes_on_thinking_behind_its_verdict_says_nothing(task_folder: tuple[Path, Path]) -> None:
    one = point(task_folder)
    run(one)
    record = next(read(one.folder))

    def said(text: str) -> str | None:
        return asking.visible(replace(record, turns=(replace(record.turns[0], text=text),)), None)

    assert said("<think>Same.</think>VERDICT: EQUAL") == "VERDICT: EQUAL"
    assert said("VERDICT: EQUAL\n<think>Or is it") is None


def test_judgements_are_plain_json(task_folder: tuple[Path, Path]) -> None:
    one = point(task_folder, "judge=scripted")
    run(one)
    line = json.loads(one.folder.judgements.read_text("ascii").split("\n")[0])
    assert set(line) == {"key", "judge", "matter", "said", "reply", "finish_reason", "sample"}
