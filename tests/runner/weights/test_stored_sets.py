"""Stored sets: from the hub at a pinned commit or from the user's file, checked, and the same whatever the format."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from fake_hub import COMMIT, Hub

from runner.config.compose import compose
from runner.config.fingerprint import generation_fingerprint
from runner.config.suite import Suite
from runner.errors import UserError

ROWS = [{"question": f"What is {n} plus {n}?", "answer": f"Twice.\n#### {2 * n:,}"} for n in (1, 20, 600)]
LINES = "".join(json.dumps(row) + "\n" for row in ROWS)

_FETCH = """
import json, sys
from bench.stored.rows import Source
from runner.config.stored import pinned_file
from runner.errors import UserError
found = []
for source in json.loads(sys.argv[1]):
    try:
        found.append(str(pinned_file(Source(**source), "own")))
    except UserError as error:
        found.append(f"error: {error}")
print(json.dumps(found))
"""
SET = {"repository": "org/set", "revision": COMMIT, "file": "data/*.jsonl", "rows": 3, "licence": "none"}
AWAY = "http://127.0.0.1:9"


def fetched(cache: Path, hub: str, *changes: dict[str, str]) -> list[str]:
    """Fetch sets in a process of its own: the hub's client reads its environment at import."""
    variables = {name: value for name, value in os.environ.items() if not name.startswith("HF_")}
    environment = {**variables, "HF_ENDPOINT": hub, "HF_HOME": str(cache), "HF_HUB_DISABLE_XET": "1"}
    environment |= {"HF_HUB_OFFLINE": "1"} if hub == AWAY else {}
    command = [sys.executable, "-c", _FETCH, json.dumps([{**SET, **change} for change in changes])]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=True)
    found: list[str] = json.loads(done.stdout.splitlines()[-1])
    return found


def test_a_set_comes_from_the_hub_once_and_is_checked(tmp_path: Path, hub: Hub) -> None:
    hub.repos["org/set"] = {"data/test-1.jsonl": LINES.encode(), "README.md": b"#"}
    right = {"sha256": hashlib.sha256(LINES.encode()).hexdigest()}
    (path,) = fetched(tmp_path, hub.url, right)
    assert Path(path).read_text() == LINES
    again, damaged, elsewhere = fetched(tmp_path, AWAY, right, {"sha256": "0" * 64}, {"repository": "org/other"})
    assert again == path  # no hub any more
    assert f"{path} is damaged" in damaged
    assert "python -m runner fetch suite=own" in elsewhere
    assert "suite.path=FILE" in elsewhere


def test_without_access_or_file_the_message_says_what_to_do(tmp_path: Path, hub: Hub) -> None:
    hub.repos["org/set"] = {"README.md": b"#"}
    none, gated = fetched(tmp_path, hub.url, {}, {"repository": "org/gated", "file": "config.json"})
    assert "has no file data/*.jsonl" in none
    assert "given on request" in gated
    assert "HF_TOKEN" in gated


def set_file(folder: Path, name: str = "set.jsonl") -> Path:
    path = folder / name
    path.write_text(json.dumps(ROWS) if name.endswith(".json") else LINES, encoding="utf-8")
    return path


def suite(path: Path, *more: str) -> Suite:
    return Suite(compose(["suite=gsm8k", f"suite.path='{path}'", *more]).suite)


def test_a_suite_asks_at_most_what_a_set_holds_each_problem_once(tmp_path: Path) -> None:
    asked = suite(set_file(tmp_path), "suite.repeats=2")
    places = list(asked.places())
    assert (asked.size, len(places)) == (6, 6)
    assert {problem.gold for problem, _ in places} == {2, 40, 1200}
    keys = [f"{problem.id}/{place.repeat}" for problem, place in places]
    assert asked.count_done(keys) == 6
    assert asked.problem(places[0][0].id) == places[0][0]
    assert suite(set_file(tmp_path), "suite.samples=2").size == 2
    part = suite(set_file(tmp_path), "suite.split={parts: 2, part: 0}")
    other = suite(set_file(tmp_path), "suite.split={parts: 2, part: 1}")
    assert part.size + other.size == 3 == len(list(part.places())) + len(list(other.places()))


def test_folds_of_a_set_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"suite.folds=3: gsm8k has 3 problems in all .* use suite.folds=1"):
        suite(set_file(tmp_path), "suite.folds=3")
    with pytest.raises(UserError, match=r"suite.path='nowhere': there is no such file"):
        Suite(compose(["suite=gsm8k", "suite.path=nowhere"]).suite)


def test_a_run_belongs_to_what_a_set_holds_not_to_where_it_lies(tmp_path: Path) -> None:
    def fingerprint(path: Path) -> str:
        settings = compose(["suite=gsm8k", f"suite.path='{path}'", "model=scripted", "engine=scripted"])
        return generation_fingerprint(settings, Suite(settings.suite))

    one, moved = fingerprint(set_file(tmp_path)), fingerprint(set_file(tmp_path, "list.json"))
    assert one == moved
    other = tmp_path / "other.jsonl"
    other.write_text(LINES.replace("600", "601"))
    assert fingerprint(other) != one


@pytest.mark.parametrize("name", ["algorithmic", "algorithmic_small"])
def test_the_algorithmic_suites_ask_every_size_once_a_repeat(name: str) -> None:
    settings = compose([f"suite={name}"]).suite
    asked = [problem.facts["size"] for problem, place in Suite(settings).places() if place.repeat == 0]
    sizes = [size for task in settings.params.values() for size in task["sizes"]]
    assert sorted(map(int, asked)) == sorted(sizes)
    assert Suite(settings).size == len(sizes) * settings.repeats
