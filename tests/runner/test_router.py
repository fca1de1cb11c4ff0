"""A trained router knows hard from easy questions it never saw, is saved whole, and is never scored on its own."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pandas as pd
import pytest
from rich.console import Console

from runner.cli.route import route
from runner.cli.select import select
from runner.config.compose import compose
from runner.config.settings import Scoring
from runner.embedding import Lexical
from runner.errors import UserError
from runner.point import prepare
from runner.router import load_router, save_router, train_router
from runner.sweep import run_alone


def questions(kind: str, count: int) -> dict[str, str]:
    words = {"hard": "Solve the maze of size {} step by step.", "easy": "Name the capital of country {}."}[kind]
    return {f"{kind} {n}": words.format(n) for n in range(count)}


def gains(asked: dict[str, str]) -> pd.DataFrame:
    rows = [{"problem_id": one, "task": one.split()[0], "gain": 1.0 if one[0] == "h" else -0.5} for one in asked]
    return pd.DataFrame(rows)


def test_a_router_tells_kinds_of_questions_apart_and_is_the_same_after_saving(tmp_path: Path) -> None:
    seen = questions("hard", 20) | questions("easy", 20)
    router = train_router(gains(seen), seen, Lexical(), "lexical", ("t", "d"))
    new = {
        f"new {one}": text.replace(" 1", " 9") for one, text in (questions("hard", 40) | questions("easy", 40)).items()
    }
    save_router(router, tmp_path / "router.json")
    again = load_router(tmp_path / "router.json")
    assert again == router
    scores = again.scores(new, Lexical())
    assert all((score >= 0.5) == ("hard" in one) for one, score in scores.items())


def test_a_router_refuses_other_vectors_and_files_that_are_none(tmp_path: Path) -> None:
    seen = questions("hard", 5) | questions("easy", 5)
    router = train_router(gains(seen), seen, Lexical(), "lexical", ("t", "d"))

    class Other(Lexical):
        name = "other"

    with pytest.raises(UserError, match="not of other"):
        router.scores(seen, Other())
    (tmp_path / "bad.json").write_text('{"version": 0}')
    with pytest.raises(UserError, match="no saved router"):
        load_router(tmp_path / "bad.json")
    with pytest.raises(UserError, match="worth the same"):
        train_router(gains(seen).assign(gain=0.0), seen, Lexical(), "lexical", ("t", "d"))


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A thinking run that is better at sums, and a direct one that is better at comparisons."""
    outputs = tmp_path_factory.mktemp("outputs")
    fixed = ["model=scripted", "engine=scripted", "tracking=off", f"outputs={outputs}", "suite.tasks=[sum,comparison]"]
    more = ["suite.samples=25", "suite.folds=2", "suite.repeats=2"]
    thinking = ["engine.thinking_tokens=300", "+engine.task_accuracy={sum: 1.0, comparison: 0.5}"]
    direct = ["engine.thinking_tokens=0", "+engine.task_accuracy={sum: 0.2, comparison: 0.95}"]
    for part in (thinking, direct):
        run_alone(prepare(compose([*fixed, *more, *part])), "python -m runner", Console(file=StringIO()))
    return outputs / "single"


def said(console: Console) -> str:
    return console.file.getvalue()  # type: ignore[attr-defined,no-any-return]


def test_a_study_is_routed_without_new_generation(study: Path, tmp_path: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in study.rglob("generations.jsonl")}
    out, table, saved = Console(file=StringIO(), width=200), tmp_path / "routers.csv", tmp_path / "router.json"
    route(study, ["embed=lexical"], (None, saved), str(table), Scoring.PAPER, out)
    rows = pd.read_csv(table).set_index("router")
    assert {"always thinking", "always direct", "oracle by task", "oracle by question"} < set(rows.index)
    assert rows.loc["trained router", "value"] > rows.loc[["always thinking", "always direct"], "value"].max()
    assert rows.loc["trained router", "value"] <= rows.loc["oracle by task", "value"] + 1e-9
    assert 0 < rows.loc["trained router", "share_thinking"] < 1
    assert {path: path.stat().st_mtime_ns for path in study.rglob("generations.jsonl")} == before
    router = load_router(saved)
    assert rows.loc["trained router", "problems"] + len(router.trained_on) == 100
    again = tmp_path / "again.csv"
    route(study, [], (saved, None), str(again), Scoring.PAPER, out)
    assert pd.read_csv(again).set_index("router").loc["trained router"].equals(rows.loc["trained router"])


def test_the_runs_are_named_where_they_are_not_two(study: Path) -> None:
    out = Console(file=StringIO(), width=200)
    for words in (["thinking=scripted", "direct=scripted"], ["thinking=nothing", "direct=scripted"], ["mode=x"]):
        with pytest.raises(UserError, match="route: "):
            route(study, words, (None, None), None, Scoring.PAPER, out)
    with pytest.raises(UserError, match="score=depth"):
        route(study, ["score=depth"], (None, None), None, Scoring.PAPER, out)


def test_a_task_is_selected_by_the_lower_end_of_its_interval(study: Path, tmp_path: Path) -> None:
    by_tokens = sorted(study.glob("scripted-*"), key=lambda path: -(path / "generations.jsonl").stat().st_size)
    out, table = Console(file=StringIO(), width=200), tmp_path / "selected.csv"
    select([*map(str, by_tokens), "lambda=0.1"], str(table), Scoring.PAPER, out)
    rows = pd.read_csv(table).set_index("task")
    assert rows.loc["sum", "decision"] == "selected"
    assert rows.loc["sum", "low"] > 0.1
    assert rows.loc["comparison", "decision"] == "no"
    assert "selected 1 of 2: sum" in said(out)
    high = rows.loc["sum", "difference"] - 0.01  # the difference is above it, the interval is not
    select([*map(str, by_tokens), f"lambda={high}"], str(table), Scoring.PAPER, out)
    assert pd.read_csv(table).set_index("task").loc["sum", "decision"] == "above"
    for words in ([str(by_tokens[0])], [*map(str, by_tokens), "lambda=2"], [*map(str, by_tokens), "lambda=x"]):
        with pytest.raises(UserError):
            select(words, None, Scoring.PAPER, out)
