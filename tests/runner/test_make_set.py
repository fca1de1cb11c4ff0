"""A recipe keeps what all agree on, drops the rest for a stated reason, and goes on where it was killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from bench.registry import make_task
from runner.cli.make_set import make_set, read_recipe
from runner.config.folder import config_folder
from runner.config.recipe import AnswerType
from runner.errors import UserError
from runner.recipe.candidates import Unusable, read_candidate
from runner.recipe.replies import Reply, ReplyFile, reply_key

GOOD = "Here you are:\nQUESTION: What is the capital of France?\n"


def made(folder: Path, *words: str) -> tuple[int, dict[str, Any], list[dict[str, Any]]]:
    code = make_set([f"out={folder}", "recipe=scripted", *words], None, Console(file=StringIO()))
    manifest = json.loads((folder / "manifest.json").read_text())
    rows = [json.loads(line) for line in (folder / manifest["file"]).read_text().split("\n") if line]
    return code, manifest, rows


def test_a_set_is_full_balanced_and_loaded_by_the_suite(tmp_path: Path) -> None:
    code, manifest, rows = made(tmp_path)
    assert code == 0
    assert manifest["quality"] == "scripted"
    assert manifest["balance"]["full_cells"] == manifest["balance"]["cells"] == 12
    assert set(manifest["balance"]["by_type"].values()) == {6}
    assert manifest["written"] == len(rows) + sum(manifest["dropped"].values())
    assert any(reason.endswith("of 8 agree") for reason in manifest["dropped"])
    assert len({row["id"] for row in rows}) == len({row["question"] for row in rows}) == 24
    task = make_task("optimal_thinking_general", path=str(tmp_path / manifest["file"]))
    problems = [task.problem(seed=0, fold=0, index=index) for index in range(4)]
    assert {problem.gold for problem in problems} <= {row["answer"] for row in rows}
    assert task.length() == 24
    assert 0 < manifest["judge"]["answers"] == manifest["judge"]["like_search"]


def test_no_name_leads_out_of_the_folder(tmp_path: Path) -> None:
    _, manifest, rows = made(tmp_path / "sets" / "own", "recipe.name='../../x'")
    assert rows
    assert Path(manifest["file"]).name == manifest["file"]
    assert [path.name for path in tmp_path.iterdir()] == ["sets"]


def test_the_same_recipe_gives_the_same_set_and_asks_nothing_twice(tmp_path: Path) -> None:
    _, first, _ = made(tmp_path / "a")
    _, second, _ = made(tmp_path / "b")
    assert first["version"] == second["version"]
    replies = (tmp_path / "a" / "replies.jsonl").read_bytes()
    _, again, _ = made(tmp_path / "a")
    assert again["version"] == first["version"]
    assert (tmp_path / "a" / "replies.jsonl").read_bytes() == replies
    _, other, _ = made(tmp_path / "c", "recipe.seed=1")
    assert other["version"] != first["version"]


def test_a_respondent_that_is_shown_other_examples_is_asked_again(tmp_path: Path) -> None:
    made(tmp_path)
    before = {line for line in (tmp_path / "replies.jsonl").read_bytes().splitlines() if b'"solver"' in line}
    made(tmp_path, "recipe.solver.examples=[{user: 'How many?', reply: '7'}]")
    after = {line for line in (tmp_path / "replies.jsonl").read_bytes().splitlines() if b'"solver"' in line}
    assert before < after


def test_a_solver_that_always_errs_leaves_nothing_and_one_that_is_right_everything(tmp_path: Path) -> None:
    _, never, rows = made(tmp_path / "never", "recipe.solver.engine.accuracy=0.0")
    assert rows == []
    assert never["balance"]["full_cells"] == 0
    assert never["dropped"]["0 of 8 agree"] > 0
    _, always, _ = made(tmp_path / "all", "recipe.solver.engine.accuracy=1.0", "recipe.generator.engine.accuracy=1.0")
    assert always["dropped"] == {}
    _, alike, _ = made(tmp_path / "alike", "recipe.similarity=0.3", "recipe.candidates=2")
    assert alike["dropped"]["double"] > 0


def test_failed_replies_are_asked_again(tmp_path: Path) -> None:
    code, manifest, _ = made(tmp_path, "recipe.solver.engine.fail=0.2")
    assert code == 1
    assert not manifest["finished"]
    code, manifest, _ = made(tmp_path)
    assert code == 0
    assert manifest["version"] == made(tmp_path / "whole")[1]["version"]


def test_a_killed_process_loses_nothing(tmp_path: Path) -> None:
    words = ["recipe=scripted", f"out={tmp_path / 'killed'}"]
    slow = "recipe.solver.engine.step_s=0.05"  # decides no text
    command = [sys.executable, "-m", "runner", "make-set", *words, slow]
    process = subprocess.Popen(command, cwd=Path(__file__).parents[2], stdout=subprocess.DEVNULL, env={**os.environ})
    replies = tmp_path / "killed" / "replies.jsonl"
    deadline = time.monotonic() + 300
    while not replies.exists() or replies.read_bytes().count(b"\n") < 30:
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = replies.read_bytes()
    replies.write_bytes(before[:-5])  # and the machine lost the end
    assert made(tmp_path / "killed")[1]["version"] == made(tmp_path / "whole")[1]["version"]
    assert replies.read_bytes().startswith(before[: before[:-5].rfind(b"\n")])


@pytest.mark.parametrize(
    ("reply", "kind", "answer"),
    [
        (f"{GOOD}ANSWER: Paris", "word_or_phrase", "Paris"),
        ("QUESTION: How many legs has a spider?\nANSWER: 8", "number", "8"),
        ("**QUESTION: How many people?**\n\n**ANSWER: 1,200**", "number", "1200"),
        (f"{GOOD}A) Rome\nB) Paris\nC) Bonn\nD) Oslo\nANSWER: B)", "multiple_choice", "B"),
        ("QUESTION: first\nANSWER: 1\nQUESTION: second?\nANSWER: 2", "number", "2"),
    ],
)
def test_a_reply_in_the_right_form_is_read(reply: str, kind: AnswerType, answer: str) -> None:
    assert read_candidate(reply, "geography", kind, 0).answer == answer


@pytest.mark.parametrize(
    ("reply", "kind", "reason"),
    [
        ("", "number", "no question"),
        (GOOD, "word_or_phrase", "no answer"),
        (f"{GOOD}ANSWER: Paris\nI hope this helps!", "word_or_phrase", "other lines"),
        (f"{GOOD}ANSWER: Paris", "number", "no number"),
        (f"{GOOD}ANSWER: 1/0", "number", "no number"),
        (f"{GOOD}ANSWER: 75", "word_or_phrase", "a number"),
        (f"{GOOD}ANSWER: it is the city of Paris", "word_or_phrase", "too many words"),
        (f"{GOOD}ANSWER: France", "word_or_phrase", "answer in question"),
        (f"{GOOD}ANSWER: B", "multiple_choice", "options"),
        (f"{GOOD}A) Rome\nB) Paris\nC) Bonn\nANSWER: B", "multiple_choice", "options"),
        (f"{GOOD}A) Rome\nB) Paris\nC) rome\nD) Oslo\nANSWER: B", "multiple_choice", "equal options"),
        (f"{GOOD}A) Rome\nB) Paris\nC) Bonn\nD) Oslo\nANSWER: Paris", "multiple_choice", "no letter"),
        (f"QUESTION: {'x' * 700}\nANSWER: 1", "number", "too long"),
    ],
)
def test_another_reply_is_refused_with_the_reason(reply: str, kind: AnswerType, reason: str) -> None:
    with pytest.raises(Unusable, match=f"^{reason}$"):
        read_candidate(reply, "geography", kind, 0)


def test_a_judge_is_shown_the_option_behind_the_letter() -> None:
    one = read_candidate(f"{GOOD}A) Rome\nB) Paris\nC) Bonn\nD) Oslo\nANSWER: B", "geography", "multiple_choice", 0)
    assert one.problem.gold == "B) Paris"
    assert one.shown.endswith("D) Oslo")


def test_replies_survive_a_torn_line_and_odd_text(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    key = reply_key("who", ("", "\ud800"), 0)
    with ReplyFile(path) as file:
        file.add(Reply(key, "judge", "\u2028\ud800\n", None))
    path.write_bytes(path.read_bytes() + b"null\n" + b'{"key": "to')
    with ReplyFile(path) as file:
        assert file.known == {key: Reply(key, "judge", "\u2028\ud800\n", None)}
    assert path.read_bytes().endswith(b"null\n")


@pytest.mark.parametrize("name", sorted(path.stem for path in (config_folder() / "recipe").glob("[!_]*.yaml")))
def test_every_recipe_composes(name: str) -> None:
    assert read_recipe([f"recipe={name}"], None)[0].name == name


def test_the_published_recipe_is_whole_and_mistakes_are_one_line() -> None:
    recipe, out = read_recipe([], None)
    assert (len(recipe.fields), len(recipe.generate.types), recipe.agreement, out) == (72, 4, 8, None)
    for words, message in (
        (["recipe.wanted=0"], "recipe.wanted"),
        (["recipe.candidates=1"], "candidates=1 are fewer"),
        (["recipe=nothing"], "recipe=nothing: no such option. Options: demo, optimal_thinking, scripted$"),
        (["recipe.answer.user=hello"], "question"),
        (["recipe.depth=1"], "recipe.depth"),
    ):
        with pytest.raises(UserError, match=message):
            read_recipe(words, None)
    with pytest.raises(UserError, match="out is empty"):
        make_set(["recipe=scripted", "out="], None, Console())
    with pytest.raises(UserError, match="solver: model=thinker with engine=scripted"):
        make_set(["recipe=scripted", "model@recipe.solver.model=thinker", "out=/dev/null/x"], None, Console())
