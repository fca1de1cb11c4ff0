"""Nothing that a user names leaves outputs, and different names get different folders."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runner.errors import StorageError
from runner.results.layout import find_runs, replacing, run_folder, slug, write_atomic

NAMES = st.text() | st.text("/.-_ab\\:=,\x00\ud800é").map(lambda text: text * 30)


@settings(deadline=None)
@given(NAMES, st.integers(16, 120))
def test_a_slug_is_a_safe_name(text: str, limit: int) -> None:
    assert re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9._-]*", slug(text, limit))
    assert len(slug(text, limit)) <= limit


@settings(deadline=None)
@given(NAMES)
def test_a_slug_is_its_own_slug(text: str) -> None:
    assert slug(slug(text)) == slug(text)


@pytest.mark.parametrize(
    ("one", "other"),
    [("org/a", "org__a"), ("org/a", "org_a"), ("a b", "a:b"), ("x" * 300, "x" * 301), (".a", "a"), ("", "_")],
)
def test_different_names_stay_apart(one: str, other: str) -> None:
    assert slug(one) != slug(other)


@pytest.mark.parametrize("name", ["../../etc", "/etc/passwd", "..", ".", "", "a/../..", "~root", "C:\\x"])
def test_no_name_leaves_outputs(tmp_path: Path, name: str) -> None:
    folder = run_folder(tmp_path, name, name, "0123456789abcdef")
    assert folder.path.resolve().parents[1] == tmp_path.resolve()
    assert folder.path.name.endswith("-01234567")


def test_a_fingerprint_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="hex"):
        run_folder(tmp_path, "study", "run", "../up")


def test_runs_are_the_folders_that_hold_a_run(tmp_path: Path) -> None:
    for name in ("b", "a"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "run.json").write_text("{}")
    (tmp_path / "other").mkdir()
    assert [folder.path.name for folder in find_runs(tmp_path)] == ["a", "b"]
    assert find_runs(tmp_path / "missing") == []


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "summary.json"
    write_atomic(path, b"old")

    def fail() -> None:
        with replacing(path) as temporary:
            temporary.write_bytes(b"half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert [(file.name, file.read_bytes()) for file in tmp_path.iterdir()] == [("summary.json", b"old")]


def test_a_file_where_a_folder_should_be_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "run").write_bytes(b"")
    with pytest.raises(StorageError, match=re.escape(os.fspath(tmp_path / "run" / "summary.json"))):
        write_atomic(tmp_path / "run" / "summary.json", b"new")
